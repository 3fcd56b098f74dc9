import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { accountStatuses } from '#shared/platform/ledger/balance.ts';
import { foldText } from '#shared/accounts/model.ts';
import { centavos } from '#shared/core/money.ts';
import { RequestError } from '#shared/core/errors.ts';
import type { AccountFilters } from '#shared/accounts/list.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { accountInserts, accountStatusUpdates } from '#shared/accounts/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { fc } from '../support/properties.ts';
import { memoryStore } from '../support/memory-store.ts';
import { openCompany, sampleAccount, walkPages } from '../support/listings.ts';
import { onEveryStore } from '../support/stores.ts';

type Order = { readonly ascending: boolean; readonly limit: number };

const names = ['José Antônio', 'JOSE Álvares', 'Maria da Conceição', 'Padaria São João', 'Zoë Núñez'];
const emails = ['jose@example.com', 'José@Exemplo.com.br', 'contato@padaria.example', 'ZOE@example.com'];
const documents = ['52998224725', '11144477735', '12ABC34501DE35', 'XDA123456'];

const anyAccount = fc.record({
  fullName: fc.constantFrom(...names),
  email: fc.constantFrom(...emails),
  number: fc.constantFrom(...documents),
  status: fc.constantFrom(...accountStatuses),
  // Few moments, so that several accounts share one: the id makes the order total.
  second: fc.integer({ min: 0, max: 3 }),
});
const anyFilters: fc.Arbitrary<AccountFilters> = fc.record(
  {
    status: fc.constantFrom(...accountStatuses),
    document: fc.constantFrom(...documents, '12abc34501de35', '00000000000'),
    email: fc.constantFrom('example', 'JOSÉ@', '.br', 'nobody', '@'),
    fullName: fc.constantFrom('jose', 'JOÃO', 'ção', 'a', 'nunez', 'nobody', 'é'),
  },
  { requiredKeys: [] },
);

function accountsFrom(
  companyId: string,
  given: readonly (typeof anyAccount extends fc.Arbitrary<infer T> ? T : never)[],
) {
  return given.map(({ number, second, ...rest }): Account => {
    const type = { 11: 'CPF', 14: 'CNPJ' }[number.length] ?? 'PASSPORT';
    const createdAt = `2026-01-15T12:00:0${second}.000Z`;
    return sampleAccount({ companyId, createdAt, ...rest, document: { type: type as 'CPF', number } });
  });
}

async function open(store: Store, accounts: readonly Account[]): Promise<void> {
  const hash = await readOrMakeHash(store);
  for (const account of accounts) {
    const opening = { amount: centavos(0), entryId: randomUUID(), at: account.createdAt };
    expect(await store.write(accountInserts(hash, account, opening), randomUUID())).toEqual({ ok: true });
  }
}

/** What the specification asks for, in three lines: filter, then sort. */
function expected(accounts: readonly Account[], filters: AccountFilters, ascending: boolean): string[] {
  const { status, document, email = '', fullName = '' } = filters;
  const found = accounts
    .filter((one) => status === undefined || one.status === status)
    .filter((one) => document === undefined || one.document.number === document.toUpperCase())
    .filter(
      (one) => foldText(one.email).includes(foldText(email)) && foldText(one.fullName).includes(foldText(fullName)),
    )
    .toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1))
    .map(({ id }) => id);
  return ascending ? found : found.toReversed();
}

function pageOf(store: Store, companyId: string, filters: AccountFilters, { ascending, limit }: Order) {
  return async (cursor: string | undefined) => {
    const { found: accounts, ...page } = await listAccountsOf(store, companyId, filters, { ascending, limit, cursor });
    return { ...page, ids: accounts.map(({ id }) => id) };
  };
}

onEveryStore((store) => {
  it("pages of any size hold every account that matches once, in order, and no other company's", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAccount, { maxLength: 12 }),
        fc.array(anyFilters, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 100 }),
        async (given, choices, most) => {
          const [ownCompany, others] = [await openCompany(store()), await openCompany(store())];
          const accounts = accountsFrom(ownCompany, given);
          await open(store(), accounts);
          await open(store(), accountsFrom(others, given.slice(0, 3)));
          for (const filters of [{}, ...choices])
            for (const limit of [1, 3, most]) {
              const walked = async (ascending: boolean) =>
                walkPages(pageOf(store(), ownCompany, filters, { ascending, limit }));
              const pages = await walked(false);
              expect(pages.flat(), JSON.stringify(filters)).toEqual(expected(accounts, filters, false));
              expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
              expect((await walked(true)).flat()).toEqual(pages.flat().toReversed());
            }
        },
      ),
      { numRuns: 8 },
    );
  });

  it('accounts that are opened during a walk leave out and double none of those that were there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAccount, { minLength: 2, maxLength: 8 }),
        fc.array(anyAccount, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.constantFrom<AccountFilters>({}, { status: 'ACTIVE' }, { fullName: 'o' }),
        async (before, during, ascending, filters) => {
          const companyId = await openCompany(store());
          const initialAccounts = accountsFrom(companyId, before);
          const late = accountsFrom(companyId, during);
          await open(store(), initialAccounts);
          const page = pageOf(store(), companyId, filters, { ascending, limit: 1 });
          const pages = await walkPages(async (cursor) => {
            await open(store(), late.splice(0, 1));
            return page(cursor);
          });
          const seen = pages.flat();
          expect(new Set(seen).size).toBe(seen.length);
          const wanted = new Set(expected(initialAccounts, filters, ascending));
          expect(seen.filter((id) => wanted.has(id))).toEqual([...wanted]);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('a change of status is seen in every list at once', async () => {
    const companyId = await openCompany(store());
    const account = sampleAccount({ companyId, fullName: 'José' });
    await open(store(), [account]);
    await store().write(accountStatusUpdates(account, 'INACTIVE', '2026-01-16T12:00:00.000Z'), randomUUID());
    const found = async (filters: AccountFilters) => {
      const { found: accounts } = await listAccountsOf(store(), companyId, filters, { ascending: true, limit: 5 });
      return accounts.map(({ status }) => status);
    };
    for (const search of [{}, { fullName: 'jose' }, { document: account.document.number }]) {
      expect(await found({ ...search, status: 'INACTIVE' })).toEqual(['INACTIVE']);
      expect(await found({ ...search, status: 'ACTIVE' })).toEqual([]);
    }
  });

  it('a cursor of another company, of other filters, of another order or with another byte is refused', async () => {
    const [ownCompany, others] = [await openCompany(store()), await openCompany(store())];
    for (const companyId of [ownCompany, others])
      await open(
        store(),
        Array.from({ length: 3 }, () => sampleAccount({ companyId })),
      );
    const filters: AccountFilters = { status: 'ACTIVE' };
    const first = pageOf(store(), ownCompany, filters, { ascending: true, limit: 1 });
    const { nextCursor: cursor } = await first(undefined);
    if (cursor === null) throw new Error('There is a second page.');
    expect((await first(cursor)).ids).toHaveLength(1);
    const elsewhere = [
      pageOf(store(), others, filters, { ascending: true, limit: 1 }),
      pageOf(store(), ownCompany, filters, { ascending: false, limit: 1 }),
      pageOf(store(), ownCompany, {}, { ascending: true, limit: 1 }),
      pageOf(store(), ownCompany, { ...filters, fullName: 'a' }, { ascending: true, limit: 1 }),
    ];
    for (const other of elsewhere) await expect(other(cursor)).rejects.toThrow(RequestError);
    await fc.assert(
      fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom('A', 'z', '0', '-'), async (place, character) => {
        fc.pre(cursor[place] !== character);
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
        await expect(first(changed)).rejects.toThrow(RequestError);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a search', () => {
  it('for marks alone, which no name has by itself, finds everybody', async () => {
    const store = memoryStore();
    const companyId = await openCompany(store);
    await open(store, [sampleAccount({ companyId })]);
    const { found: accounts } = await listAccountsOf(
      store,
      companyId,
      { fullName: '\u0301' },
      { ascending: true, limit: 5 },
    );
    expect(accounts).toHaveLength(1);
  });
});
