import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { companyPrefix } from '#shared/platform/table/keys.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';
import { environments } from '../environments.ts';
import type { EnvironmentName } from '../settings.ts';
import type { BankSecrets } from './bank-secrets.ts';
import { awsBankSecrets, localBankSecrets } from './bank-secrets.ts';
import type { FileClientRegistry } from './client-registry.ts';
import { openClientRegistry } from './client-registry.ts';
import type { SandboxFile } from './local-environment.ts';
import { localFiles, openSandboxFile, readAddresses } from './local-environment.ts';
import type { TableAdmin } from './restore/table-settings.ts';
import type { Surroundings } from './status/surroundings.ts';
import { awsSurroundings, localSurroundings } from './status/surroundings.ts';
import type { PlanGateway } from './usage-plan.ts';
import { UsageError } from './values.ts';

/** The table to work on, as the command line names it. */
export type Target = {
  readonly table?: string | undefined;
  readonly localDir?: string | undefined;
  readonly clientsFile?: string | undefined;
};

/** Secrets of API clients, for an own issuer. On AWS the identity provider has them. */
export type SecretRegistry = Pick<FileClientRegistry, 'register'>;

/** Dependencies of onboarding. */
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
  /** Scans the whole table for the items of one company or all, in no order. */
  readonly itemsOf: (options: ScanOptions) => AsyncIterable<Item>;
  /** Scans the whole table by pages, from a position on. */
  readonly pagesOf: (options: PagesOptions) => AsyncIterable<ScanPage>;
  /** Opens the table and a restored table beside it. */
  readonly beside: (restored: string) => RestoreDependencies;
  /** Returns who runs the command: the ARN that AWS knows, or locally the user of the machine. */
  readonly caller: () => Promise<string>;
  /** Opens API Gateway with the AWS credentials of the shell. */
  readonly plans: () => PlanGateway;
  /** Opens S3, which holds the truststore of the callback domain. @throws UsageError in a local environment */
  readonly buckets: () => Buckets;
  /** Opens the secrets of banks. */
  readonly bankSecrets: () => BankSecrets;
  /**
   * Opens the queues and the deployment of an environment.
   * @param environment required with a table on AWS
   * @throws UsageError
   */
  readonly surroundings: (environment: EnvironmentName | undefined) => Surroundings;
};

/** S3 client with the AWS credentials of the shell. */
export type Buckets = Pick<S3Client, 'send'>;

/** Dependencies of commands about companies' own banks. */
export type BankDependencies = Pick<OperatorDependencies, 'store' | 'ids' | 'now' | 'bankSecrets'>;

type OpenTable = { readonly name: string; readonly store: Store } & Pick<OperatorDependencies, 'itemsOf'>;

/** The two tables of a restore, and their settings. */
export type RestoreDependencies = {
  readonly current: OpenTable;
  readonly restored: OpenTable;
  readonly admin: TableAdmin;
  readonly now: Clock;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the table that the command line names on AWS (or in an emulator, by `AWS_ENDPOINT_URL`). If it names none, the
 * table of the running local environment is opened.
 * @throws UsageError when the command line names no table and no local environment runs.
 */
export function connectTarget(target: Target, environment: Environment): OperatorDependencies {
  const base = { ids: randomIds, now: systemClock, plans: () => new APIGatewayClient({}) };
  const clients = (file: string | undefined) => (file === undefined ? undefined : openClientRegistry(resolve(file)));
  if (target.table !== undefined) {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions });
    const { table } = target;
    return {
      ...base,
      ...opener(client)(table),
      beside: beside(client, table),
      registry: clients(target.clientsFile),
      bankSecrets: awsBankSecrets,
      caller: callerOnAws,
      buckets: () => new S3Client({}),
      surroundings: (environment) => {
        if (environment === undefined || environment === 'local')
          throw new UsageError('--environment is required with --table: dev, hml or prod.');
        return awsSurroundings(environment);
      },
    };
  }
  const folder = target.localDir ?? environment['LOCAL_DIR'] ?? '.local';
  const { dynamodb, sqs, tableName, region } = readAddresses(folder);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? dynamodb;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 }), {
    marshallOptions,
  });
  const registry = clients(target.clientsFile ?? join(folder, localFiles.clients));
  const sandbox = openSandboxFile(join(folder, localFiles.sandbox));
  const { ispb } = environments.local.orders;
  const bankSecrets = () => localBankSecrets(folder);
  const open = opener(client)(tableName);
  const buckets = (): never => {
    throw new UsageError('A local environment has no truststore: name an environment on AWS by --table.');
  };
  const surroundings = () => localSurroundings(folder, { sqs, region });
  const caller = () => Promise.resolve(userInfo().username);
  const own = { registry, sandbox, ispb, bankSecrets, buckets, surroundings, caller };
  return { ...base, ...open, beside: beside(client, tableName), ...own };
}

/** Asks AWS for the caller, which needs no permission. */
async function callerOnAws(): Promise<string> {
  const { Arn } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
  return Arn ?? 'unknown';
}

/** The options of the service's own client. */
const marshallOptions = { removeUndefinedValues: true } as const;

/** Returns a function that opens tables with this client. Scans are paced by the machine's clock. */
function opener(client: DynamoDBDocumentClient) {
  return (name: string): OpenTable & Pick<OperatorDependencies, 'pagesOf'> => ({
    name,
    store: connectStore(name, { client }),
    itemsOf: (options) => pacedScan(client, name, options, { nowMs, sleep }),
    pagesOf: (options) => pacedPages(client, name, options, { nowMs, sleep }),
  });
}

function beside(client: DynamoDBDocumentClient, table: string): OperatorDependencies['beside'] {
  const open = opener(client);
  return (restored) => ({ current: open(table), restored: open(restored), admin: client, now: systemClock });
}

export type ScanOptions = {
  /** Returns only the items of this company. The whole table is read and paid for all the same. */
  readonly companyId?: string | undefined;
  /** Read units a second, on average. */
  readonly unitsPerSecond: number;
  /** Called with the cost of every page. */
  readonly onPage: (page: { readonly units: number; readonly scanned: number }) => void;
};

type PagesOptions = Omit<ScanOptions, 'companyId'> & {
  /** The `next` of the page before; absent: from the beginning. */
  readonly after?: Key | undefined;
};
type ScanPage = { readonly items: readonly Item[]; readonly next: Key | undefined };

export type ScanClient = { readonly send: (command: ScanCommand) => Promise<ScanCommandOutput> };
type Pace = { readonly nowMs: () => number; readonly sleep: (ms: number) => Promise<unknown> };

/** Items of about 1 KB that one eventually consistent read unit reads. A page then takes about one second's units. */
const itemsPerUnit = 8;
const fewestItems = 25;

/** Every item, in no order. */
export async function* pacedScan(
  client: ScanClient,
  tableName: string,
  options: ScanOptions,
  pace: Pace,
): AsyncGenerator<Item, void, void> {
  for await (const { items } of pacedPages(client, tableName, options, pace)) yield* items;
}

/**
 * Yields every item by pages, in the order of the table's partitions. After each page it waits until the page's units
 * fit into the rate. Reads are eventually consistent, at half the price.
 */
async function* pacedPages(
  client: ScanClient,
  TableName: string,
  { companyId, after, unitsPerSecond, onPage }: ScanOptions & PagesOptions,
  { nowMs, sleep }: Pace,
): AsyncGenerator<ScanPage, void, void> {
  let ExclusiveStartKey: ScanCommandOutput['LastEvaluatedKey'] = after;
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
    ExclusiveStartKey = page.LastEvaluatedKey;
    // Assertions: the client gives records of any value; items have the attributes that were written.
    yield { items: (page.Items ?? []) as Item[], next: ExclusiveStartKey as Key | undefined };
    const leftMs = (units / unitsPerSecond) * 1000 - (nowMs() - startedMs);
    if (ExclusiveStartKey !== undefined && leftMs > 0) await sleep(leftMs);
  } while (ExclusiveStartKey !== undefined);
}
