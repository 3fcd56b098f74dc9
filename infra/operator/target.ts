import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { companyPrefix } from '#shared/platform/table/keys.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { environments } from '../environments.ts';
import { openClientRegistry } from './client-registry.ts';
import type { SandboxFile } from './local-environment.ts';
import { localFiles, openSandboxFile, readTableEndpoint } from './local-environment.ts';
import type { PlanGateway } from './usage-plan.ts';

/** The table to work on, as the command line names it. */
export type Target = {
  readonly table?: string | undefined;
  readonly localDir?: string | undefined;
  readonly clientsFile?: string | undefined;
};

/** Keeps the secrets of API clients where the service brings its own issuer; on AWS the identity provider does. */
export type SecretRegistry = { readonly register: (clientId: string, secret: string) => Promise<void> };

/** What onboarding needs. */
export type OnboardingDependencies = {
  readonly store: Store;
  readonly ids: Ids;
  readonly now: Clock;
  readonly registry?: SecretRegistry | undefined;
  /** Where a local environment says whom it knows. */
  readonly sandbox?: SandboxFile | undefined;
  /** ISPB of the institution that keeps the accounts, where the environment knows it. */
  readonly ispb?: string | undefined;
};

/** What commands need: what onboarding does, and a look at everything. */
export type OperatorDependencies = OnboardingDependencies & {
  /**
   * Every item of a company, or of all, in no order. Reads the whole table: for an operator's comparison, not for a
   * request.
   */
  readonly itemsOf: (options: ScanOptions) => AsyncIterable<Item>;
  /** The API Gateway of the shell's AWS credentials, made when it is needed. */
  readonly plans: () => PlanGateway;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The table that the command line names on AWS (or on an emulator, by `AWS_ENDPOINT_URL`), else that of the local
 * environment.
 *
 * @throws UsageError when there is neither.
 */
export function connectTarget(target: Target, environment: Environment): OperatorDependencies {
  const base = { ids: randomIds, now: systemClock, plans: () => new APIGatewayClient({}) };
  const clients = (file: string | undefined) => (file === undefined ? undefined : openClientRegistry(resolve(file)));
  if (target.table !== undefined) {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
    const { table } = target;
    return {
      ...base,
      store: connectStore(table),
      itemsOf: scanner(client, table),
      registry: clients(target.clientsFile),
    };
  }
  const folder = target.localDir ?? environment['LOCAL_DIR'] ?? '.local';
  const { dynamodb, tableName, region } = readTableEndpoint(folder);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? dynamodb;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 }));
  const registry = clients(target.clientsFile ?? join(folder, localFiles.clients));
  const store = connectStore(tableName, { client });
  const sandbox = openSandboxFile(join(folder, localFiles.sandbox));
  const { ispb } = environments.local.orders;
  return { ...base, store, itemsOf: scanner(client, tableName), registry, sandbox, ispb };
}

/** Reads items by a scan of the table, at the pace of the machine's clock. */
function scanner(client: DynamoDBDocumentClient, tableName: string): OperatorDependencies['itemsOf'] {
  return (options) => pacedScan(client, tableName, options, { nowMs, sleep });
}

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
