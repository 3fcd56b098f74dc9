import { describe, expect, test } from 'vitest';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { first, second } from './partners.ts';
import { refused } from '../support/refusals.ts';

type Query = Readonly<Record<string, string>>;

async function walk(query: Query, partner = first) {
  const pages: { readonly ids: readonly string[]; readonly hasNext: boolean }[] = [];
  let cursor: Query = {};
  for (;;) {
    const { body } = await partner.call(ListAccounts, { query: { ...query, ...cursor } });
    pages.push({ ids: body.data.map(({ id }) => id), hasNext: body.hasNext });
    expect(body.hasNext).toBe(body.nextCursor !== null);
    if (body.nextCursor === null) return pages;
    cursor = { cursor: body.nextCursor };
  }
}

const idsOf = async (query: Query, partner = first) => (await walk(query, partner)).flatMap(({ ids }) => ids);

describe('the list of accounts', () => {
  test('shows every account of the company once, newest first, and no other company has any of them', async () => {
    const { body } = await first.call(ListAccounts, { query: { limit: '100' } });
    expect(body).toMatchObject({ hasNext: false, nextCursor: null });
    const created = body.data.map(({ createdAt }) => createdAt);
    expect(created).toEqual(created.toSorted().toReversed());
    const own = new Map(body.data.map((account) => [account.id, account]));
    for (const { id, status, fullName, document } of first.accounts)
      expect(own.get(id)).toMatchObject({ status, fullName, document });
    const theirs = await idsOf({}, second);
    expect(theirs.filter((id) => own.has(id))).toEqual([]);
  });

  test('walks in pages of one as in a single page, in either order', async () => {
    const all = await idsOf({ limit: '100' });
    const pages = await walk({ limit: '1', sort: 'asc' });
    expect(pages.flatMap(({ ids }) => ids)).toEqual(all.toReversed());
    expect(pages.slice(0, -1).every(({ ids }) => ids.length === 1)).toBe(true);
  });

  test('finds by status and by the whole document', async () => {
    for (const status of ['ACTIVE', 'INACTIVE', 'CLOSED'] as const) {
      const wanted = first.accounts.filter((account) => account.status === status).map(({ id }) => id);
      expect(await idsOf({ status })).toEqual(expect.arrayContaining(wanted));
      const { body } = await first.call(ListAccounts, { query: { status } });
      expect(body.data.every((account) => account.status === status)).toBe(true);
    }
    const [account] = first.accounts;
    const number = account!.document.number;
    expect(await idsOf({ document: number })).toContain(account!.id);
    expect(await idsOf({ document: number.slice(0, -1) })).toEqual([]);
    expect(await idsOf({ document: number, status: 'CLOSED' })).not.toContain(account!.id);
  });

  test('finds by part of name and e-mail, whatever case and accents', async () => {
    const [account] = first.accounts;
    const { body } = await first.call(ListAccounts, { query: { document: account!.document.number } });
    const { fullName, email } = body.data.find(({ id }) => id === account!.id)!;
    const bare = fullName.normalize('NFD').replaceAll(/\p{Mn}/gu, '');
    for (const part of [bare.toUpperCase().slice(1, 12), fullName.toLowerCase().slice(2)])
      expect(await idsOf({ fullName: part })).toContain(account!.id);
    expect(await idsOf({ email: email.toUpperCase().slice(2) })).toContain(account!.id);
    expect(await idsOf({ email: email.slice(1), fullName: 'nobody of that name' })).toEqual([]);
  });

  test.each([
    [{ limit: '0' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '101' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: 'all' }, 'limit', 'INVALID_TYPE'],
    [{ sort: 'up' }, 'sort', 'INVALID_VALUE'],
    [{ status: 'OPEN' }, 'status', 'INVALID_VALUE'],
    [{ document: '529.982.247-25' }, 'document', 'INVALID_FORMAT'],
    [{ cursor: 'made-up' }, 'cursor', 'INVALID_VALUE'],
    [{ name: 'Maria' }, 'name', 'UNKNOWN_FIELD'],
  ])('is refused with %j', async (query, field, issue) => {
    refused(await first.refused(ListAccounts, { query: query }), 400, [`${field}:${issue}`]);
  });

  test('takes a cursor of its own company and filters alone', async () => {
    const { body } = await first.call(ListAccounts, { query: { limit: '1' } });
    const cursor = body.nextCursor!;
    const wrong = ['cursor:INVALID_VALUE'];
    refused(await first.refused(ListAccounts, { query: { limit: '1', status: 'ACTIVE', cursor } }), 400, wrong);
    refused(await first.refused(ListAccounts, { query: { limit: '1', sort: 'asc', cursor } }), 400, wrong);
    refused(await second.refused(ListAccounts, { query: { limit: '1', cursor } }), 400, wrong);
    // A page may have another length than the one before.
    await first.call(ListAccounts, { query: { limit: '2', cursor } });
  });
});
