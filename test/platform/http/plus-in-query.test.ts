import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { catchLog, eventOf, through } from '#test/support/edge.ts';
import { readRequest } from '#shared/platform/http/read-request.ts';
import { RequestError } from '#shared/core/errors.ts';
import type { Detail } from '#shared/core/errors.ts';
import { ask } from './probe-contract.ts';

beforeEach(() => {
  catchLog();
});

/** Names and identifiers of a partner hold blanks. */
const withBlanks = ['fullName', 'externalId'];

const parameters = routes.flatMap(({ contract }) =>
  contract.query instanceof z.ZodObject
    ? Object.keys(contract.query.shape).map((name) => [contract.operationId, name, contract] as const)
    : [],
);

/** Details of the query that a request gets which sends this text. */
function faultsOf(contract: Contract, name: string, text: string): readonly Detail[] {
  try {
    readRequest(contract, eventOf({ query: { [name]: [text] } }));
    return [];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return error.details.filter(({ field }) => field === name);
  }
}

describe('a + in a query', () => {
  test('is tried with every parameter of the document', () => {
    expect(parameters.map(([, name]) => name)).toEqual(expect.arrayContaining([...withBlanks, 'email', 'document']));
  });

  test.each(parameters.filter(([, name]) => !withBlanks.includes(name)))(
    'is refused by %s in the parameter %s, with the code of a plus in the description',
    (_operation, name, contract) => {
      const description = expect.stringContaining('%2B') as string;
      expect(faultsOf(contract, name, 'maria pix@example.com')).toMatchObject([{ field: name, description }]);
    },
  );

  test.each([
    ['listAccounts', 'email', 'maria pix@example.com'],
    ['listAccounts', 'document', '11222333 000181'],
    ['listPayIns', 'endToEndId', 'E12345678 02601151205A1b2C3d4E5f'],
    ['listPayIns', 'accountId', '3f2b8c1e 5d4a-4c6b-9e7f-0a1b2c3d4e00'],
    ['listPayIns', 'createdFrom', '2026-01-15T00:00:00 03:00'],
    ['listPayouts', 'createdTo', '2026-01-15T00:00:00 03:00'],
    ['listWebhookDeliveries', 'event', 'ORDER-PAYIN PAID'],
    ['listWebhookDeliveries', 'resourceId', ' 3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00'],
  ])('is INVALID_FORMAT for %s in the parameter %s', (operation, name, text) => {
    const [, , contract] = parameters.find(([id, known]) => id === operation && known === name) ?? [];
    expect(faultsOf(contract!, name, text)).toMatchObject([{ issue: 'INVALID_FORMAT' }]);
  });

  test.each(parameters.filter(([, name]) => withBlanks.includes(name)))(
    'is read as a blank by %s in the parameter %s',
    (_operation, name, contract) => {
      expect(faultsOf(contract, name, 'Maria Souza')).toEqual([]);
    },
  );

  test('is not mentioned when a value is invalid for another reason', async () => {
    expect((await ask({ query: { limit: ['0'] } })).body).not.toContain('%2B');
    expect((await ask({ query: { more: ['a b'] } })).body).not.toContain('%2B');
    const [, , listAccounts] = parameters.find(([id]) => id === 'listAccounts') ?? [];
    const ok = () => Promise.resolve({ status: 200 as const, body: {} });
    const { body } = await through(listAccounts!, ok as never, {})({ query: { document: ['11.222'] } });
    expect(body).toContain('document');
    expect(body).not.toContain('%2B');
  });
});
