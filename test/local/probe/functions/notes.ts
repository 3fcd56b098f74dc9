import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';

const client = new DynamoDBClient({});
const TableName = process.env['TABLE_NAME'] ?? '';

/** Leaves a note in the table, which the stream's filter passes over. */
export async function note(id: string, content: unknown): Promise<void> {
  const Item = {
    PK: { S: `NOTE#${id}` },
    SK: { S: 'NOTE' },
    entity: { S: 'NOTE' },
    content: { S: JSON.stringify(content) },
  };
  await client.send(new PutItemCommand({ TableName, Item }));
}

export async function seen(id: string): Promise<boolean> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: { PK: { S: `NOTE#${id}` }, SK: { S: 'NOTE' } } }),
  );
  return Item !== undefined;
}
