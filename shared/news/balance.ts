import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { parseLedgerEntry, readBalance } from '../platform/ledger/ledger.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import { queryAll } from '../platform/table/store.ts';
import type { NewsContext } from './context.ts';
import { listForeignReturns } from './foreign-returns.ts';
import type { ListReport, Time } from './lists.ts';
import { readPayments } from './lists.ts';
import { listUnplaced } from './unplaced-credits.ts';

/** Readings of one comparison: each narrows what may differ while money moves. */
const readingsAtMost = 10;
/** Comparisons, the later ones with the bank's lists beside each reading: what was not booked yet is then. */
const comparisons = [{ hears: false }, { hears: true }, { hears: true }] as const;
/** What may stay open, centavos: a hundredth of the balance, or so much. */
const openAtMost = { share: 0.01, least: 10_000 };
/** Entries may be of a time so far from that of their reading. */
const entrySeconds = 120;
/** Lists are read again from before their last reading: they lag behind writes. */
const lagSeconds = 120;

/** `difference`: what the bank has more, centavos; negative: less. */
type BalanceCheck = { readonly difference: number; readonly candidates: readonly string[] };

/** What the bank may have more than the entries, centavos: of both ends and all between. */
type Range = { readonly from: number; readonly upTo: number };

type Reading = Range & {
  /** Balance of the bank, and the most that the entries allow, centavos. */
  readonly bank: number;
  readonly entries: number;
  readonly reserved: number;
};

type Verdict = { readonly is: 'EQUAL' | 'DIFFERS' | 'OPEN'; readonly range: Range; readonly last: Reading };

/**
 * Compares the bank's balance with the sum of the entries, also while money moves: each reading of the bank lies
 * between two of the entries, whose difference is all that may be open, and several readings narrow it. Money that is
 * reserved may have left the bank already. What the bank sent back unasked has left it, and what no account has yet is
 * there: no entry says so. A difference is reported with what could explain it.
 * @returns undefined, reported, when money moves too fast for a comparison
 */
export async function checkBalance(
  context: NewsContext,
  { unknown, readAt }: Pick<ListReport, 'unknown' | 'readAt'>,
  time: Time = { remainingMs: () => Infinity },
): Promise<BalanceCheck | undefined> {
  const { companyId } = context;
  const hear = () => readPayments(context, plusSeconds(readAt, -lagSeconds), time);
  let verdict: Verdict | undefined;
  for (const { hears } of comparisons) {
    verdict = await compare(context, hears ? hear : () => Promise.resolve());
    if (verdict.is !== 'DIFFERS') break;
  }
  if (verdict === undefined) return undefined;
  const { range, last } = verdict;
  if (verdict.is === 'OPEN') {
    report('BalanceNotCompared', { companyId, from: `${range.from}`, upTo: `${range.upTo}` });
    return undefined;
  }
  const difference = nearestToZero(range);
  const candidates = unknown
    .filter(({ what, amount }) => amount === Math.abs(difference) && (what === 'SENT') === difference < 0)
    .map(({ what, id }) => `${what} ${id}`);
  if (difference !== 0) {
    const sums = { bank: `${last.bank}`, entries: `${last.entries}`, difference: `${difference}` };
    report('BalanceDiffers', { companyId, ...sums, candidates: candidates.join(', ') });
  }
  return { difference, candidates };
}

async function compare(context: NewsContext, hear: () => Promise<unknown>): Promise<Verdict> {
  let range: Range = { from: -Infinity, upTo: Infinity };
  for (let count = 1; ; count += 1) {
    const last = await readBoth(context, hear);
    const narrowed = { from: Math.max(range.from, last.from), upTo: Math.min(range.upTo, last.upTo) };
    // Two readings that no one difference explains: something was booked late.
    if (narrowed.from > narrowed.upTo) return { is: 'DIFFERS', range: last, last };
    range = narrowed;
    if (nearestToZero(range) !== 0) return { is: 'DIFFERS', range, last };
    const open = range.upTo - range.from - last.reserved;
    if (open <= Math.max(openAtMost.least, openAtMost.share * last.entries)) return { is: 'EQUAL', range, last };
    if (count === readingsAtMost) return { is: 'OPEN', range, last };
  }
}

/** One reading of the bank, between two of the entries: what was booked between them may be in it or not. */
async function readBoth(context: NewsContext, hear: () => Promise<unknown>): Promise<Reading> {
  const { store, companyId, connection, reader, now } = context;
  const accounts = Object.keys(connection.accounts);
  const since = plusSeconds(now(), -entrySeconds);
  const before = await entriesSince(context, since);
  const balances = await Promise.all(accounts.map((id) => readBalance(store, companyId, id)));
  const bank = await reader.balance();
  await hear();
  const moves = [...(await entriesSince(context, since))].filter(([id]) => !before.has(id)).map(([, move]) => move);
  const returns = await listForeignReturns(store, companyId);
  const unplaced = (await listUnplaced(store, companyId)).map(({ amount, fee = 0 }) => ({ amount: amount - fee }));
  /** At the bank, and in no entry. */
  const unbooked = sumOf(unplaced) - sumOf(returns);
  const sum = (part: 'available' | 'reserved') =>
    balances.reduce((total, balance) => total + (balance?.[part] ?? 0), 0);
  const [available, reserved] = [sum('available'), sum('reserved')];
  const came = moves.reduce((total, move) => total + Math.max(0, move.available + move.reserved), 0);
  const left = moves.reduce((total, move) => total + Math.min(0, move.available), 0);
  const entries = available + reserved + came + unbooked;
  return { bank, entries, reserved, from: bank - entries, upTo: bank - (available + left + unbooked) };
}

function sumOf(amounts: readonly { readonly amount: number }[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0);
}

type Move = { readonly available: number; readonly reserved: number };

/** The entries of the company's accounts at this bank, by their ids. */
async function entriesSince(
  { store, companyId, connection }: NewsContext,
  since: Instant,
): Promise<ReadonlyMap<string, Move>> {
  const found = new Map<string, Move>();
  for (const accountId of Object.keys(connection.accounts)) {
    const { PK: partition, SK: from } = keys.ledgerEntry(companyId, accountId, since, '');
    for await (const item of queryAll(store, { partition, from, upTo: `${prefixes.ledgerEntry}~` })) {
      const { id, available, reserved } = parseLedgerEntry(item);
      found.set(id, { available, reserved });
    }
  }
  return found;
}

function nearestToZero({ from, upTo }: Range): number {
  return from > 0 ? from : Math.min(upTo, 0);
}
