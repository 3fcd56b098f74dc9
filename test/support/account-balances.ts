import type { LedgerEntry } from '#shared/platform/ledger/balance.ts';
import { parseLedgerEntry, parseShard } from '#shared/platform/ledger/ledger.ts';
import type { Item } from '#shared/platform/table/store.ts';

/** Returns the partition of an account, from that of any shard of its balance. */
export function accountPartition(PK: string): string {
  return PK.replace(/#SHARD#\d+$/u, '');
}

type AccountBalance = {
  readonly accountId: string;
  readonly available: number;
  readonly reserved: number;
  readonly blocked: number;
  readonly entries: readonly LedgerEntry[];
};

/** Returns the sums of all shards of each account among the items, with its entries. */
export function accountBalances(items: readonly Item[]): readonly AccountBalance[] {
  const shards = items.filter(({ SK }) => SK === 'BALANCE');
  const entries = items.filter((item) => item['entity'] === 'LEDGER_ENTRY');
  return [...new Set(shards.map(({ PK }) => accountPartition(PK)))].map((account) => {
    const isOwn = ({ PK }: Item): boolean => accountPartition(PK) === account;
    const own = shards.filter(isOwn).map(parseShard);
    const sum = (part: 'available' | 'reserved' | 'blocked') => own.reduce((total, shard) => total + shard[part], 0);
    return {
      accountId: own[0]?.accountId ?? account,
      available: sum('available'),
      reserved: sum('reserved'),
      blocked: sum('blocked'),
      entries: entries.filter(isOwn).map(parseLedgerEntry),
    };
  });
}
