import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { catchLog, eventOf } from '#test/support/edge.ts';
import { readRequest } from '#shared/platform/http/read-request.ts';

beforeEach(() => {
  catchLog();
});

const small = '12abc34501de35';
const capital = '12ABC34501DE35';

type Found = readonly [operation: string, path: string, schema: z.ZodType];

/** Schemas of requests under these names, wherever they stand. */
function fieldsNamed(...names: readonly string[]): readonly Found[] {
  const found: Found[] = [];
  const walk = (operation: string, path: string, schema: unknown): void => {
    if (schema instanceof z.ZodObject) {
      for (const [name, field] of Object.entries<unknown>(schema.shape)) {
        const place = path === '' ? name : `${path}.${name}`;
        if (names.includes(name)) found.push([operation, place, field as z.ZodType]);
        walk(operation, place, field);
      }
      return;
    }
    if (!(schema instanceof z.ZodType)) return;
    const { innerType, in: input, element, options } = schema.def as unknown as Record<string, unknown>;
    for (const inner of [innerType, input, element, ...(Array.isArray(options) ? options : [])])
      walk(operation, path, inner);
  };
  for (const { contract } of routes) {
    walk(contract.operationId, '', contract.query);
    walk(contract.operationId, '', contract.body);
  }
  return found;
}

const documents = fieldsNamed('document');
const keys = fieldsNamed('pixKey');

describe('a CNPJ in small letters', () => {
  test('is looked for wherever a request has a document or a key', () => {
    expect(documents.map(([operation, path]) => `${operation} ${path}`)).toEqual(
      expect.arrayContaining([
        'createSubscription debtor.document',
        'createSubscription payer.document',
        'createPayIn payer.document',
        'createPayout receiver.document',
        'cancelSubscription customer.document',
        'listAccounts document',
      ]),
    );
    expect(keys.map(([operation]) => operation)).toEqual(['createPayout']);
  });

  test.each([...documents, ...keys])('is read as capitals in %s %s', (_operation, path, schema) => {
    const isText = path === 'document' || path.endsWith('pixKey');
    const [given, expected] = isText
      ? [small, capital]
      : [
          { type: 'CNPJ', number: small },
          { type: 'CNPJ', number: capital },
        ];
    expect(schema.parse(given)).toEqual(expected);
  });

  test('is still refused with wrong check digits, and as a CPF', () => {
    const [, , schema] = documents.find(([, path]) => path === 'debtor.document')!;
    expect(schema.safeParse({ type: 'CNPJ', number: '12abc34501de34' }).success).toBe(false);
    expect(schema.safeParse({ type: 'CPF', number: small }).success).toBe(false);
    // In Unicode the capital of these letters is one of ASCII, or two.
    for (const other of ['ı2ABC34501DE35', 'ß2ABC34501DE3'])
      expect(schema.safeParse({ type: 'CNPJ', number: other }).success).toBe(false);
  });

  test.each<[string, (cnpj: string) => object]>([
    ['receiver', (number) => ({ receiver: { name: 'Loja Ltda', document: { type: 'CNPJ', number } } })],
    ['pixKey', (pixKey) => ({ paymentData: { pixKey } })],
  ])('is the same request as in capitals where it is the %s of a payout', (_field, more) => {
    const { contract } = routes.find(({ contract: { operationId } }) => operationId === 'createPayout')!;
    expect(fingerprint(contract, more(small))).toBe(fingerprint(contract, more(capital)));
    expect(fingerprint(contract, more(small))).not.toBe(fingerprint(contract, more('11222333000181')));
  });
});

function fingerprint(contract: Contract, more: object): string {
  const payout = {
    externalId: 'payout-1',
    accountId: '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00',
    paymentMethod: 'PIX',
    amount: { currency: 'BRL', value: '10.00' },
    description: 'Pagamento',
    paymentData: { pixKey: 'maria@example.com' },
    ...more,
  };
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
  return readRequest(contract, eventOf({ headers, body: JSON.stringify(payout) })).fingerprint;
}
