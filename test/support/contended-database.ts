import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

const KeyAttributes = z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) });
const Transaction = z.object({
  TransactItems: z.array(
    z
      .record(z.string(), z.object({ Key: KeyAttributes.optional(), Item: KeyAttributes.optional() }))
      .transform((write) => Object.values(write)[0]),
  ),
});

/**
 * Stands before a database and holds the items of each transaction, as DynamoDB does and its emulators do not: a
 * transaction that meets a held item is canceled (TransactWriteItems, "TransactionConflict").
 */
export async function startContendedDatabase(target: string, holdMs: number) {
  const held = new Set<string>();
  let conflicts = 0;
  const forward = async ({ method = 'POST', headers, url }: IncomingMessage, body: Buffer) => {
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const sent = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]);
    const response = await fetch(new URL(url ?? '/', target), { method, headers: sent, body: new Uint8Array(body) });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const end = (status: number, bytes: Buffer | string): void => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(bytes);
    };
    if (!String(request.headers['x-amz-target']).endsWith('.TransactWriteItems')) {
      const { status, bytes } = await forward(request, body);
      end(status, bytes);
      return;
    }
    const items = Transaction.parse(JSON.parse(body.toString())).TransactItems.map((write) => {
      const { PK, SK } = KeyAttributes.parse(write?.Key ?? write?.Item);
      return `${PK.S} ${SK.S}`;
    });
    const met = items.map((item) => held.has(item));
    if (met.includes(true)) {
      conflicts += 1;
      await sleep(holdMs / 2);
      end(
        400,
        JSON.stringify({
          __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
          Message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
          CancellationReasons: met.map((isHeld) => ({ Code: isHeld ? 'TransactionConflict' : 'None' })),
        }),
      );
      return;
    }
    for (const item of items) held.add(item);
    try {
      await sleep(holdMs);
      const { status, bytes } = await forward(request, body);
      end(status, bytes);
    } finally {
      for (const item of items) held.delete(item);
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    conflicts: () => conflicts,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
