import { expect, it } from 'vitest';
import { closeMinutes } from '#shared/accounts/chain/close-minutes.ts';
import { noteEntries } from '#shared/accounts/chain/note-entries.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { account, bankWorld, companyOne, noon } from '#test/support/bank-world.ts';
import { secondHash } from '#test/support/chain-check.ts';
import { localSigning } from '#test/support/signing-key.ts';

type Entry = { readonly id: string; readonly createdAt: string; readonly proof?: Record<string, unknown> };

/** An account with deposits, each a few seconds after the one before, and what the stream says of them. */
function statementWorld(count: number) {
  const world = bankWorld();
  const signing = localSigning();
  const closeAt = (at: string) =>
    closeMinutes({
      ...{ store: world.store, now: () => at, remainingMs: () => Infinity, closesAfterSeconds: 60, signing },
      failed: (_where, error) => {
        throw error;
      },
    });
  return {
    ...world,
    closeAt,
    fill: async () => {
      await world.openAccount(0);
      const company = { companyId: companyOne, organizationId: 'o', name: 'Empresa', createdAt: noon };
      await world.store.write([{ put: companyItem({ ...company, cursorKey: newCursorKey() }) }], 'company');
      for (let place = 0; place < count; place += 1) {
        world.clock.now = plusSeconds(noon, place * 7);
        const amount = { currency: 'BRL', value: '1.00' };
        const response = await world.receiveCredit({ companyId: companyOne, body: { accountId: account, amount } });
        if (response.status !== 201) throw new Error(response.text);
      }
    },
    note: () => {
      const inserts = world.items('LEDGER_ENTRY').map(({ PK, SK }) => ({
        eventName: 'INSERT',
        dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } } },
      }));
      return noteEntries(world.store, inserts, world.clock.now);
    },
    page: async (query: Record<string, string>) => {
      const params = { accountId: account };
      return world.listEntries({ companyId: companyOne, params, query });
    },
  };
}

const entriesOf = ({ body }: { readonly body: unknown }): readonly Entry[] => (body as { data: readonly Entry[] }).data;

it('pages have the proof of each entry, whichever entry they begin with, and as by the second reading of the format', async () => {
  const world = statementWorld(30);
  await world.closeAt(noon);
  await world.fill();
  await world.note();
  await world.closeAt(plusSeconds(noon, 600));
  const [first, ...rest] = await Promise.all(
    ['1', '7', '100'].map(async (limit) => {
      const all: Entry[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await world.page({ proof: 'true', sort: 'asc', limit, ...(cursor && { cursor }) });
        all.push(...entriesOf(page));
        ({ nextCursor: cursor } = page.body as { nextCursor: string | null });
      }
      return all;
    }),
  );
  for (const other of rest) expect(other).toEqual(first);
  expect(first?.length).toBeGreaterThanOrEqual(30);
  let previous = '0'.repeat(64);
  for (const [place, { proof, ...entry }] of (first ?? []).entries()) {
    const hash = secondHash(previous, entry);
    expect(proof).toMatchObject({ version: 1, position: place + 1, previous, hash });
    previous = hash;
  }
  const newest = entriesOf(await world.page({ proof: 'true', limit: '3' }));
  expect(newest).toEqual(first?.slice(-3).toReversed());
  const filtered = entriesOf(await world.page({ proof: 'true', type: 'UNMATCHED_CREDIT', limit: '100' }));
  expect(filtered).toEqual(first?.filter((entry) => filtered.some(({ id }) => id === entry.id)).toReversed());
});

it('an entry that is changed in the table no longer fits its proof, and no other entry does so', async () => {
  const world = statementWorld(8);
  await world.closeAt(noon);
  await world.fill();
  await world.note();
  await world.closeAt(plusSeconds(noon, 600));
  const entries = world.store.query({ partition: keys.balance(companyOne, account).PK, prefix: 'ENTRY#' });
  const [, , item] = (await entries).items;
  if (item === undefined) throw new Error('The account has no third entry.');
  await world.store.write([{ put: { ...item, available: 101 } }], 'forged');
  const shown = entriesOf(await world.page({ proof: 'true', limit: '100' }));
  const broken = shown.filter(
    ({ proof, ...entry }) => secondHash(String(proof?.['previous']), entry) !== proof?.['hash'],
  );
  expect(broken.map(({ id }) => id)).toEqual([item['id']]);
});

it('pages have no proof without being asked, nor of an entry whose minute is open, and no file has any', async () => {
  const world = statementWorld(2);
  await world.closeAt(noon);
  await world.fill();
  expect(entriesOf(await world.page({ proof: 'true' })).some(({ proof }) => proof !== undefined)).toBe(false);
  await world.note();
  await world.closeAt(plusSeconds(noon, 600));
  expect(entriesOf(await world.page({})).some(({ proof }) => proof !== undefined)).toBe(false);
  expect(entriesOf(await world.page({ proof: 'true' })).every(({ proof }) => proof !== undefined)).toBe(true);
  for (const format of ['csv', 'ofx'])
    expect((await world.page({ proof: 'true', format })).text).toBe((await world.page({ format })).text);
});
