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
import type { BankSecrets } from './bank-secrets.ts';
import { awsBankSecrets, localBankSecrets } from './bank-secrets.ts';
import type { FileClientRegistry } from './client-registry.ts';
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

/** Secrets of API clients, for an own issuer. On AWS the identity provider has them. */
export type SecretRegistry = Pick<FileClientRegistry, 'register'>;

/** What onboarding needs. */
export type OnboardingDependencies = {
  readonly store: Store;
  readonly ids: Ids;
  readonly now: Clock;
  readonly registry?: SecretRegistry | undefined;
  /** Only in a local environment. */
  readonly sandbox?: SandboxFile | undefined;
  /** ISPB of the institution that keeps the accounts, where the environment knows it. */
  readonly ispb?: string | undefined;
};

export type OperatorDependencies = OnboardingDependencies & {
  /** Every item of a company or all, in no order: a scan of the whole table. */
  readonly itemsOf: (options: ScanOptions) => AsyncIterable<Item>;
  /** The API Gateway of the shell's AWS credentials. */
  readonly plans: () => PlanGateway;
  /** Where the secrets of banks lie. */
  readonly bankSecrets: () => BankSecrets;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The table of the command line on AWS (or an emulator, by `AWS_ENDPOINT_URL`), else of the local environment.
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
      bankSecrets: awsBankSecrets,
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
  const bankSecrets = () => localBankSecrets(folder);
  return { ...base, store, itemsOf: scanner(client, tableName), registry, sandbox, ispb, bankSecrets };
}

/** Reads items by a scan of the table, at the pace of the machine's clock. */
function scanner(client: DynamoDBDocumentClient, tableName: string): OperatorDependencies['itemsOf'] {
  return (options) => pacedScan(client, tableName, options, { nowMs, sleep });
}

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

/** Items of about 1 KB per eventually consistent unit: a page is about a second's share, never a burst. */
const itemsPerUnit = 8;
const fewestItems = 25;

/**
 * Every item, in no order. After each page it waits until the page's units fit into the rate. Eventually consistent, at
 * half the price: the comparison leaves out the changes during the scan.
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
