import { once } from 'node:events';
import { createServer } from 'node:http';

/** A receiver that does little but look at the clock, so that what is measured is the sender. */
export type LightReceiver = {
  readonly url: string;
  /** When requests came, milliseconds of `performance.now()`, in their order. */
  readonly arrivals: readonly number[];
  /** When the first request came whose body holds this text, by the text. */
  readonly arrivedWith: ReadonlyMap<string, number>;
  /** Paths that are not answered from now on. */
  readonly hang: (paths: readonly string[]) => void;
  readonly stop: () => Promise<void>;
};

const success = JSON.stringify({ returnCode: 'SUCCESS' });

/** @param keyOf What of a body `arrivedWith` keeps; nothing unless said. */
export async function startLightReceiver(keyOf?: (body: string) => string | undefined): Promise<LightReceiver> {
  const arrivals: number[] = [];
  const arrivedWith = new Map<string, number>();
  let hanging = new Set<string>();
  const server = createServer((message, response) => {
    const at = performance.now();
    arrivals.push(at);
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const key = keyOf?.(Buffer.concat(chunks).toString('utf8'));
      if (key !== undefined && !arrivedWith.has(key)) arrivedWith.set(key, at);
      if (!hanging.has(message.url ?? '')) response.end(success);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    arrivedWith,
    hang: (paths) => {
      hanging = new Set(paths);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
