import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { freshKey } from '#test/support/stores.ts';

describe('a database that accepts the call and never answers', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('is given up after three seconds a try', async () => {
    let asked: number | undefined;
    const server = createServer(() => (asked ??= performance.now())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    let givenUp: (value: number) => void = () => undefined;
    const first = new Promise<number>((resolve) => (givenUp = resolve));
    // The wait before the second try is where the first one has been given up.
    const store = connectStore('table', {
      sleep: () => {
        givenUp(performance.now() - (asked ?? Infinity));
        return new Promise<void>(() => undefined);
      },
    });
    void store.read([freshKey()]);
    const took = await first;
    expect(took).toBeGreaterThan(2900);
    expect(took).toBeLessThan(8000);
    server.closeAllConnections();
    server.close();
  });
});
