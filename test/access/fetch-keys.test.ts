import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fetchIssuerKeys } from '#shared/access/fetch-keys.ts';

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
