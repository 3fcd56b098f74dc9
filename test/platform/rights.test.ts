import { describe, expect, test } from 'vitest';
import type { FunctionAccess } from '#functions/access.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { memoryStore } from '../support/memory-store.ts';
import { rightsOf, storeFor } from '../support/rights.ts';

/* The judge of rights that the simulated world and tests of functions have: it permits what IAM would, and no more. */

const company = '00000000-0000-4000-8000-000000000001';
const at = { PK: `C#${company}`, SK: 'X' };
type Use = (store: Store) => Promise<unknown>;
const put =
  (key: { PK: string; SK: string }): Use =>
  (store) =>
    store.writeOne({ put: { ...key, entity: 'X' } });
const get =
  (...itemKeys: readonly { PK: string; SK: string }[]): Use =>
  (store) =>
    store.read(itemKeys);

describe.each<[string, FunctionAccess, Use, string | undefined]>([
  ['a read of one item', { table: 'gets' }, get(at), undefined],
  ['a read of one item', {}, get(at), 'table: gets'],
  ['a read of two items', { table: 'gets' }, get(at, { ...at, SK: 'Y' }), 'table: reads'],
  ['a query', { table: 'gets' }, (store) => store.query({ partition: at.PK }), 'table: reads'],
  ['a query', { table: 'reads' }, (store) => store.query({ partition: at.PK }), undefined],
  ['a query of GSI2', { table: 'writes' }, (store) => store.query({ index: 'GSI2', partition: at.PK }), 'index: GSI2'],
  [
    'a query of GSI2',
    { table: 'writes', indexes: ['GSI1', 'GSI3'] },
    (store) => store.query({ index: 'GSI2', partition: at.PK }),
    'index: GSI2',
  ],
  ['a query of GSI2', { indexes: ['GSI2'] }, (store) => store.query({ index: 'GSI2', partition: at.PK }), undefined],
  ['a write', { table: 'reads' }, put(at), 'table: writes'],
  ['a write', { table: 'writes' }, put(at), undefined],
  [
    'a check in a transaction',
    { table: 'reads' },
    (store) => store.write([{ check: at, when: { is: 'absent' } }], 'token'),
    'table: writes',
  ],
  ['a read of a webhook secret', { table: 'writes' }, get(keys.webhookSecret(company)), 'secrets'],
  ['a read of a webhook secret', { table: 'reads', secrets: true }, get(keys.webhookSecret(company)), undefined],
  ['a read of a webhook secret and an item', { table: 'reads' }, get(at, keys.webhookSecret(company)), 'secrets'],
  ['a read of a secret of codes', { table: 'writes', secrets: true }, get(keys.codeSecret(company)), 'codeSecrets'],
  ['a read of a secret of codes', { table: 'reads', codeSecrets: true }, get(keys.codeSecret(company)), undefined],
  ['a read of the secret of hashes', { table: 'writes' }, get(keys.hashSecret()), 'hashSecret'],
  ['a read of the secret of hashes', { table: 'writes', hashSecret: true }, get(keys.hashSecret()), undefined],
  [
    'a write of the secret of hashes',
    { table: 'writes', hashSecret: true },
    put(keys.hashSecret()),
    'hashSecret: writes',
  ],
  ["a read of the issuer's keys", { table: 'writes' }, get(keys.issuerKeys('https://issuer')), 'issuerKeys: keeps'],
  [
    "a write of the issuer's keys",
    { table: 'gets', issuerKeys: 'keeps' },
    put(keys.issuerKeys('https://issuer')),
    undefined,
  ],
  ['a write of another item', { table: 'gets', issuerKeys: 'keeps' }, put(at), 'table: writes'],
  [
    'a slot of a slow response',
    { table: 'reads', slowCalls: 'holds' },
    (store) => store.writeOne({ update: keys.slowCalls(company), set: { a: 1 }, when: { lacks: 'a' } }),
    undefined,
  ],
])('%s with the access %j', (_name, access, use, lacking) => {
  test(lacking === undefined ? 'is permitted' : `is refused because it needs ${lacking}`, async () => {
    const used = use(storeFor(access, memoryStore()));
    if (lacking === undefined) await used;
    else
      await expect(used).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: expect.stringContaining(`No right ${lacking}:`) as string,
      });
  });
});

test('rights are those of the access, word by word, and a lower level of the table is in a higher one', () => {
  const access: FunctionAccess = { table: 'writes', indexes: ['GSI3'], bank: true, drainQueue: 'receives' };
  expect([...rightsOf(access)].toSorted()).toEqual(
    ['bank', 'drainQueue: receives', 'index: GSI3', 'table: gets', 'table: reads', 'table: writes'].toSorted(),
  );
});
