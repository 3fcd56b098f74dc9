import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KMSClient, ListKeysCommand } from '@aws-sdk/client-kms';
import { expect, it } from 'vitest';
import { endAfterMs } from '#shared/platform/call-limit.ts';

it('a client with a call limit ends a call that is never answered', async () => {
  const server = createServer(() => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const where = { endpoint: `http://127.0.0.1:${port}`, region: 'sa-east-1', credentials };
  const client = new KMSClient({ ...where, maxAttempts: 1, requestHandler: endAfterMs(50) });
  await expect(client.send(new ListKeysCommand({}))).rejects.toMatchObject({ name: 'TimeoutError' });
  server.closeAllConnections();
  server.close();
});
