import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, subtractCentavos, centavos } from '../core/money.ts';
import { proofsOf } from '../accounts/chain/proofs.ts';
import type { LedgerEntryRecord } from '../accounts/contract.ts';
import { ledgerEntryView } from '../accounts/view.ts';
import type { LedgerEntry, LedgerKind } from '../platform/ledger/balance.ts';
import { parseLedgerEntry } from '../platform/ledger/ledger.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store } from '../platform/table/store.ts';
import { CorruptItem, queryAll } from '../platform/table/store.ts';

/** Money that was paid, and when the service booked it. An entry has that time or a little later. */
type Booked = { readonly at: Instant; readonly amount: Centavos };

/** A paid order, and where its entries are. `refundId`: of a refund, whose `orderId` is that of its pay-in. */
type Paid = {
  readonly companyId: string;
  readonly accountId: string;
  readonly shard?: number;
  readonly orderId: string;
  readonly refundId?: string;
  readonly booked: readonly Booked[];
};

const kinds: ReadonlySet<LedgerKind> = new Set(['PAYOUT_PAID', 'PAYOUT_MOVED', 'REFUND_SETTLED', 'REFUND']);

/** Seconds by which an entry can be later than the time of its transition: more than any function runs. */
const bookedWithinSeconds = 900;

/**
 * Reads the entries that took the money of a payment out of its account, with their proofs, in the order of time.
 * @throws CorruptItem when they are not what was paid
 */
export async function debitsOf(store: Store, paid: Paid): Promise<readonly z.output<typeof LedgerEntryRecord>[]> {
  const { companyId, accountId } = paid;
  const found = new Map<string, LedgerEntry>();
  const total = (parts: readonly Centavos[]): Centavos => addCentavos(...parts);
  const debited = (): Centavos => {
    const moved = [...found.values()].flatMap(({ available, reserved, blocked }) => [available, reserved, blocked]);
    return subtractCentavos(centavos(0), total(moved));
  };
  const booked = paid.booked.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  for (const [index, { at }] of booked.entries()) {
    const until = total(booked.slice(0, index + 1).map(({ amount }) => amount));
    if (debited() >= until) continue;
    for await (const entry of entriesFrom(store, paid, at)) {
      found.set(entry.id, entry);
      if (debited() >= until) break;
    }
  }
  if (debited() !== total(booked.map(({ amount }) => amount)))
    throw new CorruptItem('The entries of a payment are not what was paid.');
  const entries = [...found.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(ledgerEntryView);
  const proofs = await proofsOf(store, { companyId, accountId }, entries);
  return entries.map((entry) => {
    const proof = proofs.get(entry.id);
    return { ...entry, ...(proof && { proof }) };
  });
}

/** Yields the debits of a payment from a time on. */
async function* entriesFrom(
  store: Store,
  { companyId, accountId, shard, orderId, refundId }: Paid,
  at: Instant,
): AsyncGenerator<LedgerEntry, void, void> {
  const { PK: partition, SK: from } = keys.ledgerEntry(companyId, accountId, at, '', shard);
  const { SK: upTo } = keys.ledgerEntry(companyId, accountId, plusSeconds(at, bookedWithinSeconds), '~', shard);
  for await (const item of queryAll(store, { partition, from, upTo, limit: 50 })) {
    const entry = parseLedgerEntry(item);
    if (entry.orderId === orderId && entry.refundId === refundId && kinds.has(entry.kind)) yield entry;
  }
}
