import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { DatabaseCall } from './captured-calls.ts';

/**
 * The floor of row 1, a process of its own: Node's HTTP server and the SDK, nothing else. It reads the request's JSON,
 * makes the calls of the database that the operation of that path makes, and answers what the operation answered.
 */

export type FloorPlan = {
  readonly endpoint: string;
  readonly operations: Readonly<Record<string, { readonly calls: readonly DatabaseCall[]; readonly answer: string }>>;
};

const commands = {
  GetCommand: (input: never) => new GetCommand(input),
  BatchGetCommand: (input: never) => new BatchGetCommand(input),
  QueryCommand: (input: never) => new QueryCommand(input),
  TransactWriteCommand: (input: never) => new TransactWriteCommand(fresh(input)),
};

type Transaction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
const lastTime = '9999-12-31T23:59:59.999Z';

/** A balance takes what is later than its last move: here every move is, though all have the time of the first one. */
function laterThanAll({ Update: update }: Transaction): Transaction {
  if (update === undefined) return {};
  const { ConditionExpression = '', ExpressionAttributeValues: values } = update;
  const times = [...ConditionExpression.matchAll(/< (:v\d+)/gu)].flatMap(([, holder = '']) =>
    typeof values?.[holder] === 'string' ? [[holder, lastTime]] : [],
  );
  return { Update: { ...update, ExpressionAttributeValues: { ...values, ...Object.fromEntries(times) } } };
}

/** The same items under keys that nobody has: every put is one of something new. */
function fresh({ TransactItems = [], ...input }: TransactWriteCommandInput): TransactWriteCommandInput {
  const suffix = randomUUID();
  return {
    ...input,
    ClientRequestToken: suffix,
    TransactItems: TransactItems.map((one) =>
      one.Put === undefined
        ? { ...one, ...laterThanAll(one) }
        : { Put: { ...one.Put, Item: { ...one.Put.Item, PK: `${String(one.Put.Item?.['PK'])}#${suffix}` } } },
    ),
  };
}

async function serve({ endpoint, operations }: FloorPlan): Promise<number> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const database = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const client = DynamoDBDocumentClient.from(database, { marshallOptions: { removeUndefinedValues: true } });
  const answer = async (message: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const operation = operations[decodeURIComponent((message.url ?? '').slice(1))];
    if (operation === undefined) throw new Error(`There is no operation ${String(message.url)}.`);
    for (const { command, input } of operation.calls) {
      const build = commands[command as keyof typeof commands] as ((input: unknown) => GetCommand) | undefined;
      if (build === undefined) throw new Error(`The floor has no ${command}.`);
      await client.send(build(input));
    }
    return operation.answer;
  };
  const server = createServer((message, response) => {
    answer(message).then(
      (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

process.once('message', (plan: FloorPlan) => {
  void serve(plan).then((port) => process.send?.(port));
});
// Ends with the bench, however that ends.
process.once('disconnect', () => process.exit());
