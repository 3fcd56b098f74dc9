const endpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
const TableName = process.env['TABLE_NAME'] ?? '';

/** Leaves a note in the table, which the stream's filter passes over. */
export async function note(id: string, content: unknown): Promise<void> {
  await call('PutItem', { Item: { ...keyOf(id), entity: { S: 'NOTE' }, content: { S: JSON.stringify(content) } } });
}

export async function seen(id: string): Promise<boolean> {
  return 'Item' in (await call('GetItem', { Key: keyOf(id) }));
}

const keyOf = (id: string) => ({ PK: { S: `NOTE#${id}` }, SK: { S: 'NOTE' } });

/** DynamoDB's protocol by hand: the SDK would make the bundles of the probe fifty times as large. */
async function call(operation: string, input: object): Promise<object> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/sa-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify({ TableName, ...input }),
  });
  const answer = (await response.json()) as object;
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
