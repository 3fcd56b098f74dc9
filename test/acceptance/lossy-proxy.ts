import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { send } from '@banking-order/partner-tools';

/** A request as it came, and what the service made of it when it was let through. */
type Seen = {
  readonly path: string;
  readonly key: string | undefined;
  readonly passed?: { readonly status: number; readonly replayed: boolean };
};

/** What happens to the first calls of a POST, by the end of its path; the next one gets its answer. */
const faults: Readonly<Record<string, readonly ('broken' | number)[]>> = {
  // Its response is lost, the next call is throttled, and the one after it finds the service unavailable.
  '/order-payins': [504, 429, 503],
  // The connection breaks when all is done.
  '/refunds': ['broken'],
};
/** The service never gets these calls. */
const unheard: readonly unknown[] = [429, 503];

/** Stands between a client and the service as a bad network does: answers are lost after the request took effect. */
export async function startLossyProxy(baseUrl: string) {
  const seen: Seen[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const key = headers['idempotency-key'];
    const calls = seen.filter((one) => one.path === path).length;
    const planned = Object.entries(faults).find(([end]) => method === 'POST' && path.endsWith(end))?.[1] ?? [];
    const fault = planned[calls];
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const passed = unheard.includes(fault)
      ? undefined
      : await send(baseUrl, {
          method,
          path,
          headers: rest,
          ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
        });
    const replayed = passed?.headers['idempotent-replayed'] === 'true';
    seen.push({
      path,
      key: typeof key === 'string' ? key : undefined,
      ...(passed && { passed: { status: passed.status, replayed } }),
    });
    if (fault === 'broken') response.destroy();
    else if (passed === undefined || fault !== undefined)
      response.writeHead(fault ?? 500, { 'retry-after': '0', 'content-type': 'application/json' }).end('{}');
    else response.writeHead(passed.status, { 'content-type': 'application/json' }).end(passed.text);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    /** What came with POST, by its path. */
    posted: (): ReadonlyMap<string, readonly Seen[]> =>
      Map.groupBy(
        seen.filter(({ key }) => key !== undefined),
        ({ path }) => path,
      ),
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
