import type { ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { companyPrefix } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';

/** What a scan reads, and how fast at most. */
export type ScanOptions = {
  /** Gives the items of one company alone; the whole table is read, and paid for, either way. */
  readonly companyId?: string | undefined;
  /** Read units a second, on average. */
  readonly unitsPerSecond: number;
  /** Called with the cost of every page. */
  readonly onPage: (page: { readonly units: number; readonly scanned: number }) => void;
};

export type ScanClient = { readonly send: (command: ScanCommand) => Promise<ScanCommandOutput> };
type Pace = { readonly nowMs: () => number; readonly sleep: (ms: number) => Promise<unknown> };

/**
 * Items of about 1 KB that an eventually consistent unit reads: a page is then about a second's share, never a burst.
 */
const itemsPerUnit = 8;
const fewestItems = 25;

/**
 * Every item, in no order, page by page; after each page it waits until the page's units fit into the rate.
 *
 * Eventually consistent, at half the price. A scan of many minutes shows no single moment however it reads: what
 * changed while it ran is for the comparison to leave out.
 */
export async function* pacedScan(
  client: ScanClient,
  TableName: string,
  { companyId, unitsPerSecond, onPage }: ScanOptions,
  { nowMs, sleep }: Pace,
): AsyncGenerator<Item, void, void> {
  let ExclusiveStartKey: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const startedMs = nowMs();
    const page = await client.send(
      new ScanCommand({
        TableName,
        Limit: Math.max(fewestItems, Math.floor(unitsPerSecond * itemsPerUnit)),
        ReturnConsumedCapacity: 'TOTAL',
        ...(companyId !== undefined && {
          FilterExpression: 'begins_with(PK, :company)',
          ExpressionAttributeValues: { ':company': companyPrefix(companyId) },
        }),
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    const units = page.ConsumedCapacity?.CapacityUnits ?? 0;
    onPage({ units, scanned: page.ScannedCount ?? 0 });
    yield* (page.Items ?? []) as Item[];
    ExclusiveStartKey = page.LastEvaluatedKey;
    const leftMs = (units / unitsPerSecond) * 1000 - (nowMs() - startedMs);
    if (ExclusiveStartKey !== undefined && leftMs > 0) await sleep(leftMs);
  } while (ExclusiveStartKey !== undefined);
}
