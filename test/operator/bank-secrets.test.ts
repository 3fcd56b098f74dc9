import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { awsBankSecrets } from '#infra/operator/bank-secrets.ts';

type Call = { readonly Name?: string; readonly SecretId?: string; readonly SecretString?: string };

/** Secrets Manager over HTTP, as far as the operator calls it. */
const kept = new Map<string, string>();
const isDenied = { value: false };
const refuse = (type: string) => [400, { __type: type, message: type }] as const;
const deeds: Readonly<Record<string, (call: Call) => readonly [number, object]>> = {
  CreateSecret: ({ Name = '', SecretString = '' }) => {
    if (kept.has(Name)) return refuse('ResourceExistsException');
    kept.set(Name, SecretString);
    return [200, { Name }];
  },
  PutSecretValue: ({ SecretId = '', SecretString = '' }) => {
    if (!kept.has(SecretId)) return refuse('ResourceNotFoundException');
    kept.set(SecretId, SecretString);
    return [200, {}];
  },
  GetSecretValue: ({ SecretId = '' }) => {
    const SecretString = kept.get(SecretId);
    return SecretString === undefined ? refuse('ResourceNotFoundException') : [200, { SecretString }];
  },
};
const server = createServer((request, response) => {
  void json(request).then((call) => {
    const name = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const [status, body] = isDenied.value
      ? refuse('AccessDeniedException')
      : (deeds[name]?.(call as Call) ?? refuse('UnknownOperationException'));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
});

beforeEach(async () => {
  kept.clear();
  isDenied.value = false;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const variables = { AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`, AWS_REGION: 'sa-east-1' };
  for (const [name, text] of Object.entries({ ...variables, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }))
    vi.stubEnv(name, text);
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

test('a secret is created by the first write, and replaced by the next', async () => {
  const { fetch, write, allowLocal } = awsBankSecrets();
  expect(allowLocal).toBe(false);
  await write('a', '1');
  expect(await fetch('a')).toBe('1');
  await write('a', '2');
  expect(await fetch('a')).toBe('2');
});

test('a missing secret is undefined, and no error that looks like a missing table', async () => {
  expect(await awsBankSecrets().fetch('a')).toBeUndefined();
});

test('a read of a secret throws an error when it is denied', async () => {
  isDenied.value = true;
  await expect(awsBankSecrets().fetch('a')).rejects.toThrow('AccessDeniedException');
});
