import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { environments } from '../environments.ts';
import { openClientRegistry } from './client-registry.ts';
import type { Target } from './cli.ts';
import { localFiles, readTableEndpoint } from './local-environment.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { openSandboxFile } from './sandbox-file.ts';
import { pacedScan } from './reconciliation/paced-scan.ts';

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
