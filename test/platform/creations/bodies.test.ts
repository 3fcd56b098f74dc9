import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { receiveCallback } from '#shared/bank-events/receive-callback.ts';
import { each } from '#test/support/each.ts';
import { begin, makingWorld } from './making-world.ts';

/** What a body may be without saying anything, and how large it may be. */

const changing = routes
  .map(({ contract }) => contract)
  .filter(({ operationId, method }) => method !== 'GET' && operationId in begin);

test.each(each(changing))(
  '$operationId reads an absent body and an empty body as an empty object',
  async (contract) => {
    const responses: unknown[] = [];
    for (const body of each([{}, '', undefined])) {
      const world = await makingWorld();
      const { params } = await begin[contract.operationId]!(world);
      const call = { params, ...(body !== undefined && { body: body as Record<string, unknown> }) };
      const { status, body: responseBody } = await world.ask(contract.operationId, {
        ...call,
        ...(contract.idempotencyKey !== 'none' && { key: world.ids.uuid() }),
      });
      const { details } = responseBody as {
        readonly details?: readonly { readonly field: string; readonly issue: string }[];
      };
      responses.push([status, details?.map(({ field, issue }) => `${field}:${issue}`)]);
    }
    const [object, ...others] = each(responses);
    for (const other of each(others)) expect(other).toEqual(object);
  },
);

test.each([
  [262_143, 200],
  [262_144, 200],
  [262_145, 413],
  [1_000_000, 413],
])(
  'a callback of %i bytes is answered with %i, and its token is looked up only when it is not too large',
  async (bytes, status) => {
    const reads: string[] = [];
    const request = { token: 'f3nN0mVt0k3nOf128bits_', subject: 'CN=bank', body: Buffer.from('{}'.padEnd(bytes)) };
    const response = await receiveCallback(request, {
      findCallee: (token) => {
        reads.push(token);
        return Promise.resolve({ companyId: 'c', connectionId: 'b', dialect: 'EFI', subject: 'CN=bank' });
      },
      takeQuota: () => Promise.resolve(true),
      findOwn: () => Promise.resolve(new Set()),
      enqueue: () => Promise.resolve(true),
    });
    expect([response.status, reads.length]).toEqual([status, status === 200 ? 1 : 0]);
  },
);
