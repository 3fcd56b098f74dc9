import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { KeepRoot } from '#shared/accounts/roots/sign-minute.ts';

/* A server that answers as S3 does ("Error responses" of the Amazon S3 API reference). */

type Taken = { readonly line: string; readonly body: string; readonly onlyNew: string | undefined };
const taken: Taken[] = [];
let answers: number[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(parts).toString();
    taken.push({ line: `${method} ${url}`, body, onlyNew: headers['if-none-match'] });
    const status = answers.shift() ?? 200;
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(
      status === 200 ? '' : `<Error><Code>${status === 412 ? 'PreconditionFailed' : 'AccessDenied'}</Code></Error>`,
    );
  });
});
let keep: KeepRoot;

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'sa-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const { keepInBucket } = await import('#shared/accounts/roots/keep-root.ts');
  keep = keepInBucket('roots');
});
beforeEach(() => {
  taken.length = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

it('puts the signed text under its minute, only if nothing is there', async () => {
  await keep('2026-01-15T15:04', 'a.b.c');
  expect(taken).toEqual([{ line: 'PUT /roots/2026/01/15/15-04.jws?x-id=PutObject', body: 'a.b.c', onlyNew: '*' }]);
});

it('leaves a root that is there as it is', async () => {
  answers = [412];
  await expect(keep('2026-01-15T15:04', 'a.b.c')).resolves.toBeUndefined();
  expect(taken).toHaveLength(1);
});

it('fails when the bucket refuses it', async () => {
  answers = [403];
  await expect(keep('2026-01-15T15:04', 'a.b.c')).rejects.toThrow();
});
