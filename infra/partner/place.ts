import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { connectStore } from '../../shared/persistence/connect.ts';
import { companyPrefix } from '../../shared/persistence/keys.ts';
import type { Item } from '../../shared/persistence/store.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { randomIds } from '../../shared/runtime/ids.ts';
import { environments } from '../environments.ts';
import { ENDPOINTS_FILE } from '../local/data-folder.ts';
import { openClientRegistry } from '../local/identity/client-registry.ts';
import type { Place } from './cli.ts';
import type { Operator } from './partner.ts';
import { UsageError } from './values.ts';

/** What a local environment writes about itself while it runs: `endpoints.json` in its folder. */
const endpointsShape = z.object({
  dynamodb: z.url(),
  tableName: z.string().min(1),
  region: z.string().min(1).default('us-east-1'),
});
type Endpoints = z.output<typeof endpointsShape>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The table that the command line names on AWS (or on an emulator, by `AWS_ENDPOINT_URL`), else that of the local environment.
 *
 * @throws UsageError when there is neither.
 */
export function connectPlace(place: Place, environment: Environment): Operator {
  const base = { ids: randomIds, now: systemClock, plans: () => new APIGatewayClient({}) };
  const clients = (file: string | undefined) => (file === undefined ? undefined : openClientRegistry(resolve(file)));
  if (place.table !== undefined) {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
    const { table } = place;
    return {
      ...base,
      store: connectStore(table),
      itemsOf: scanner(client, table),
      registry: clients(place.clientsFile),
    };
  }
  const folder = place.localDir ?? environment['LOCAL_DIR'] ?? '.local';
  const { dynamodb, tableName, region } = readEndpoints(join(folder, ENDPOINTS_FILE));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? dynamodb;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 }));
  const registry = clients(place.clientsFile ?? join(folder, 'clients.json'));
  const store = connectStore(tableName, { client });
  return { ...base, store, itemsOf: scanner(client, tableName), registry, ispb: environments.local.orders.ispb };
}

/** Reads a company's items by a scan of the table. */
export function scanner(client: DynamoDBDocumentClient, TableName: string): Operator['itemsOf'] {
  return async function* (companyId) {
    const pages = paginateScan(
      { client },
      {
        TableName,
        ConsistentRead: true,
        FilterExpression: 'begins_with(PK, :company)',
        ExpressionAttributeValues: { ':company': companyPrefix(companyId) },
      },
    );
    for await (const { Items = [] } of pages) yield* Items as Item[];
  };
}

function readEndpoints(file: string): Endpoints {
  try {
    return endpointsShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UsageError(
      `There is no local environment at ${file}: start one with npm start, or name the table of an environment on AWS with --table.`,
      { cause },
    );
  }
}
