import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchIssuerKeys, IssuerUnavailable } from '#shared/access/fetch-keys.ts';

it('reads an answer that is packed only as far as a key set can go', async () => {
  const bomb = gzipSync(`{"keys":[${' '.repeat(50_000_000)}]}`);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(fetchIssuerKeys(`http://127.0.0.1:${port}/`, 3000)).rejects.toThrow(/too large/u);
  server.closeAllConnections();
  server.close();
});

describe('the keys of an issuer', () => {
  const good = { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43), kid: 'k' };
  /** An issuer that answers with this status, and has a good key set at the address to which it points. */
  async function issuer(status: number): Promise<{ readonly uri: string; readonly asked: readonly string[] }> {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(url === '/' ? status : 200, { location: '/moved' });
      response.end(status === 204 ? undefined : JSON.stringify({ keys: [good] }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
  }

  it('are taken from an answer of status 200', async () => {
    const { uri, asked } = await issuer(200);
    expect([await fetchIssuerKeys(uri, 3000), asked]).toEqual([[good], ['/']]);
  });

  it.each([201, 204, 301, 302, 303, 307, 308, 404, 500, 503])(
    'are not taken from an answer of status %i, nor from the address to which it points',
    async (status) => {
      const { uri, asked } = await issuer(status);
      await expect(fetchIssuerKeys(uri, 3000)).rejects.toThrow(IssuerUnavailable);
      expect(asked).toEqual(['/']);
    },
  );
});
