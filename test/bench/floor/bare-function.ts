import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const client = new DynamoDBClient({ maxAttempts: 1 });

/** The floor of a cold import: a function that has a client of the database and nothing else. */
export async function handler({ tableName }: { readonly tableName: string }): Promise<unknown> {
  const Key = { PK: { S: 'nothing' }, SK: { S: 'nothing' } };
  return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
}
