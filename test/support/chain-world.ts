import { closeMinutes } from '#shared/accounts/chain/close-minutes.ts';
import { noteEntries } from '#shared/accounts/chain/note-entries.ts';
import type { Signing } from '#shared/accounts/roots/sign-minute.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochMs, epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { ledgerEntryPut } from '#shared/platform/ledger/ledger.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { chainErrors, chainOf } from './chain-check.ts';
import type { Fault } from './faulty-store.ts';
import { faultyStore } from './faulty-store.ts';
import { memoryStore } from './memory-store.ts';
import { rootErrors } from './root-check.ts';
import { localSigning } from './signing-key.ts';
import { testIds } from './test-ids.ts';

export const begin: Instant = '2026-01-15T15:00:00.000Z';
const companyId = '0d1c2b3a-0000-4000-8000-000000000001';
const closesAfterSeconds = 180;

/** Accounts whose entries are committed, noted, chained and signed at times that a test chooses. */
export function chainWorld(
  shardCounts: readonly number[] = [1],
  signing: Signing & { kept: ReadonlyMap<string, string> } = localSigning(),
) {
  const memory = memoryStore();
  const ids = testIds('chain');
  const errors: string[] = [];
  let store: Store = memory;
  let now = begin;
  const accounts = shardCounts.map((shards) => ({ id: ids.uuid(), shards }));
  const open = accounts.map(async ({ id, shards }) => {
    const balance = { accountId: id, accountStatus: 'ACTIVE', available: 0, reserved: 0, updatedAt: begin, shards };
    await memory.write([{ put: { ...keys.balance(companyId, id), ...balance } }], ids.uuid());
  });
  const partition = (account = 0): string => keys.balance(companyId, accounts[account]?.id ?? '').PK;
  return {
    companyId,
    accounts,
    ready: Promise.all(open),
    errors,
    /** Commits an entry that is dated `at`. Returns its record in the stream. */
    commit: async (at: Instant, { account = 0, shard = 0, committed = at } = {}): Promise<object> => {
      const accountId = accounts[account]?.id ?? '';
      const posting = {
        accountId,
        at,
        entryId: ids.uuid(),
        kind: 'PAY_IN',
        available: centavos(100),
        ...{ shard },
      } as const;
      const write = ledgerEntryPut(companyId, { ...posting, reserved: centavos(0) });
      await memory.write([write], ids.uuid());
      const { PK, SK } = write.put;
      const ApproximateCreationDateTime = Math.floor(epochMs(committed) / 1000);
      return { eventName: 'INSERT', dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } }, ApproximateCreationDateTime } };
    },
    note: (records: readonly object[], at = now) => noteEntries(store, records, at),
    /** Closes what may be closed `at`. */
    close: async (at: Instant) => {
      now = at;
      return closeMinutes({
        ...{ store, now: () => at, remainingMs: () => Infinity, closesAfterSeconds, signing },
        failed: (_where, error) => errors.push(String(error)),
      });
    },
    /** Removes what has expired by then, as the table does. */
    expire: async (by: Instant): Promise<void> => {
      for (const { PK, SK, expiresAt } of memory.all())
        if (typeof expiresAt === 'number' && expiresAt <= epochSeconds(by))
          await memory.write([{ delete: { PK, SK } }], ids.uuid());
    },
    through: (faults: () => Fault) => (store = faultyStore(memory, { nextFault: faults })),
    reliably: () => (store = memory),
    /** The root of each minute that was signed. */
    roots: () =>
      memory.all().flatMap(({ entity, minute, root }) => (entity === 'STATEMENT_ROOT' ? [[minute, root]] : [])),
    store: memory,
    problems: () => [...chainErrors(memory.all()), ...rootErrors(memory.all(), signing.kept)],
    chain: (account = 0) => chainOf(memory.all(), partition(account)),
  };
}

export const at = (seconds: number): Instant => plusSeconds(begin, seconds);
