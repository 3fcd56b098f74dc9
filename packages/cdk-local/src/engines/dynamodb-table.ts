import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import { CreateTableCommand, DescribeTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { LocalStartError } from '../template/local-template.ts';
import type { ReadResources } from '../template/resources.ts';
import { notRunLocally, readTheOne } from '../template/resources.ts';

const key = z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) });
const index = z.object({
  IndexName: z.string(),
  KeySchema: z.array(key),
  Projection: z.object({ ProjectionType: z.enum(['ALL', 'KEYS_ONLY']) }),
});

/**
 * The properties that decide how a table responds. The other properties (backup, protection, encryption, tags) have no
 * effect locally.
 */
const tableShape = z.object({
  KeySchema: z.array(key),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  GlobalSecondaryIndexes: z.array(index),
  LocalSecondaryIndexes: notRunLocally('local secondary indexes'),
  StreamSpecification: z.object({
    StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']),
  }),
});
const templateShape = tableShape.extend({
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.literal(true) }),
});

type TableShape = z.infer<typeof tableShape>;

/** The attribute with the expiry of a table's items (`TimeToLiveSpecification`), and the names of the table's keys. */
export type Expiry = { readonly table: string; readonly attribute: string; readonly keys: readonly string[] };

/** The table of the template, and the stream that the engine keeps for it. */
export type LocalTable = Awaited<ReturnType<typeof prepareTable>>;

/**
 * Creates the template's table where it is absent.
 *
 * @throws LocalStartError when it exists with other keys, indexes or stream: data are never dropped silently.
 */
export async function prepareTable(client: DynamoDBClient, read: ReadResources) {
  const { name, properties: wanted } = readTheOne(read, 'AWS::DynamoDB::GlobalTable', templateShape);
  const current = (await describeTable(client, name)) ?? (await createTable(client, name, wanted));
  const difference = differenceOf(wanted, current);
  if (difference !== undefined) {
    throw new LocalStartError(
      `The table ${name} of an earlier start has another ${difference} than the template. Delete the local data folder, or choose another folder with LOCAL_DIR.`,
    );
  }
  const keys = wanted.KeySchema.map(({ AttributeName }) => AttributeName);
  const expiry: Expiry = { table: name, attribute: wanted.TimeToLiveSpecification.AttributeName, keys };
  // The engine's own ARN of the stream: it changes when the table is created again.
  return { name, streamArn: current.LatestStreamArn ?? '', expiry };
}

async function describeTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createTable(client: DynamoDBClient, name: string, table: TableShape): Promise<TableDescription> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: table.KeySchema,
      AttributeDefinitions: table.AttributeDefinitions,
      GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
      StreamSpecification: { StreamEnabled: true, ...table.StreamSpecification },
    }),
  );
  const created = await describeTable(client, name);
  if (created === undefined) throw new LocalStartError(`The DynamoDB engine did not create the table ${name}.`);
  return created;
}

/** Name of the first part in which the engine's table differs, or undefined. */
function differenceOf(wanted: TableShape, current: TableDescription): string | undefined {
  const found = tableShape.parse(current);
  const parts: readonly (readonly [string, (table: TableShape) => unknown])[] = [
    ['key', (table) => table.KeySchema],
    ['set of key attributes', (table) => byName(table.AttributeDefinitions, 'AttributeName')],
    ['set of indexes', (table) => byName(table.GlobalSecondaryIndexes, 'IndexName')],
    ['stream', (table) => table.StreamSpecification.StreamViewType],
  ];
  return parts.find(([, part]) => !isDeepStrictEqual(part(wanted), part(found)))?.[0];
}

function byName<Name extends string, Part extends Record<Name, string>>(
  parts: readonly Part[],
  name: Name,
): readonly Part[] {
  return parts.toSorted((a, b) => a[name].localeCompare(b[name]));
}
