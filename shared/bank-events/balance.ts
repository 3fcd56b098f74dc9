import { placeAtBank } from '../bank/claims.ts';
import type { BankConnection } from '../bank/connection.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { parseLedgerEntry, readBalance } from '../platform/ledger/ledger.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import { queryAll } from '../platform/table/store.ts';
import type { BankEventContext } from './context.ts';
import { listUnsolicitedReturns } from './unsolicited-returns.ts';
import type { ListReport, Time } from './lists.ts';
import { readPayments } from './lists.ts';
import { listUnplaced } from './unplaced-credits.ts';

/** Readings of one comparison: each narrows what may differ while money moves. */
const readingsAtMost = 10;
/** Comparisons, the later ones with the bank's lists beside each reading: what was not booked yet is then. */
const comparisons = [{ applies: false }, { applies: true }, { applies: true }] as const;
/** Limit of the open amount, centavos: a hundredth of the balance, or `least` if that is more. */
const openAtMost = { share: 0.01, least: 10_000 };
/** Largest distance between the time of an entry and that of its reading. */
const entrySeconds = 120;
/** Overlap with the last reading of lists: they lag behind writes. */
const lagSeconds = 120;

/** `difference`: the bank's balance minus the entries, centavos. */
type BalanceCheck = { readonly difference: number; readonly candidates: readonly string[] };

/** Range of the bank's balance minus the entries, centavos, both ends included. */
type Range = { readonly from: number; readonly upTo: number };

type Reading = Range & {
  /** Balance of the bank, and the most that the entries allow, centavos. */
  readonly bank: number;
  readonly entries: number;
  readonly reserved: number;
};

type ComparisonResult = { readonly is: 'EQUAL' | 'DIFFERS' | 'OPEN'; readonly range: Range; readonly last: Reading };

/** A connection whose lists were read. */
export type ReadBank = { readonly context: BankEventContext; readonly lists: Pick<ListReport, 'unknown' | 'readAt'> };
/** Connections that are compared together. */
export type Group = readonly [ReadBank, ...ReadBank[]];

/** An account that moved from one connection to another left money at the former bank: both are one comparison. */
export function comparedTogether(connections: readonly BankConnection[]): readonly (readonly BankConnection[])[] {
  const groups: (readonly BankConnection[])[] = [];
  for (const connection of connections) {
    const shares = ({ accounts }: BankConnection): boolean =>
      Object.keys(accounts).some((id) => connection.accounts[id] !== undefined);
    const same = groups.filter((group) => group.some(shares));
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push([connection, ...same.flat()]);
  }
  return groups;
}

/** The clients whose balances are added: of several of one account at a bank one, that of the most accounts. */
function askedOf(group: Group): readonly BankEventContext[] {
  const seen = new Set<string>();
  const sizeOf = ({ context }: ReadBank): number => Object.keys(context.connection.accounts).length;
  return group
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .flatMap(({ context }) => {
      const accountKeys = Object.values(context.connection.accounts).map((account) =>
        placeAtBank(context.connection, account),
      );
      const isKnown = accountKeys.some((accountKey) => seen.has(accountKey));
      for (const accountKey of accountKeys) seen.add(accountKey);
      return isKnown ? [] : [context];
    });
}

function accountsOf(group: Group): readonly string[] {
  return [...new Set(group.flatMap(({ context }) => Object.keys(context.connection.accounts)))];
}

/**
 * Compares the balances of banks with the sum of the entries, also while money moves: each reading of the bank lies
 * between two of the entries, whose difference is all that may be open, and several readings narrow it. Money that is
 * reserved may have left the bank already. What the bank sent back unasked has left it, and what no account has yet is
 * there: no entry says so. A difference is reported with what could explain it.
 * @returns undefined, reported, when money moves too fast for a comparison
 */
export async function checkBalance(
  group: Group,
  time: Time = { remainingMs: () => Infinity },
): Promise<BalanceCheck | undefined> {
  const { companyId } = group[0].context;
  const connections = group.map(({ context }) => context.connection.id).join(' ');
  const unknown = group.flatMap(({ lists }) => lists.unknown);
  const apply = async () => {
    for (const { context, lists } of group) await readPayments(context, plusSeconds(lists.readAt, -lagSeconds), time);
  };
  let result: ComparisonResult | undefined;
  for (const { applies } of comparisons) {
    result = await compare(group, applies ? apply : () => Promise.resolve());
    if (result.is !== 'DIFFERS') break;
  }
  if (result === undefined) return undefined;
  const { range, last } = result;
  if (result.is === 'OPEN') {
    report('BalanceNotCompared', { companyId, connections, from: `${range.from}`, upTo: `${range.upTo}` });
    return undefined;
  }
  const difference = nearestToZero(range);
  const candidates = unknown
    .filter(({ direction, amount }) => amount === Math.abs(difference) && (direction === 'SENT') === difference < 0)
    .map(({ direction, id }) => `${direction} ${id}`);
  if (difference !== 0) {
    const sums = { bank: `${last.bank}`, entries: `${last.entries}`, difference: `${difference}` };
    report('BalanceDiffers', { companyId, connections, ...sums, candidates: candidates.join(', ') });
  }
  return { difference, candidates };
}

async function compare(group: Group, apply: () => Promise<unknown>): Promise<ComparisonResult> {
  let range: Range = { from: -Infinity, upTo: Infinity };
  for (let count = 1; ; count += 1) {
    const last = await readBoth(group, apply);
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
async function readBoth(group: Group, apply: () => Promise<unknown>): Promise<Reading> {
  const { store, companyId, now } = group[0].context;
  const accounts = accountsOf(group);
  const since = plusSeconds(now(), -entrySeconds);
  const before = await entriesSince(group, since);
  const balances = await Promise.all(accounts.map((id) => readBalance(store, companyId, id)));
  const atBanks = await Promise.all(askedOf(group).map(({ reader }) => reader.balance()));
  const bank = atBanks.reduce((total, amount) => total + amount, 0);
  await apply();
  const moves = [...(await entriesSince(group, since))].filter(([id]) => !before.has(id)).map(([, move]) => move);
  const isHere = ({ connection }: { readonly connection?: string }): boolean =>
    connection === undefined || group.some(({ context }) => context.connection.id === connection);
  const returns = (await listUnsolicitedReturns(store, companyId)).filter(isHere);
  const unplaced = (await listUnplaced(store, companyId))
    .filter(isHere)
    .map(({ amount, fee = 0 }) => ({ amount: amount - fee }));
  /** At the bank, and in no entry. */
  const unbooked = sumOf(unplaced) - sumOf(returns);
  const sum = (part: 'available' | 'reserved') =>
    balances.reduce((total, balance) => total + (balance?.[part] ?? 0), 0);
  const [available, reserved] = [sum('available'), sum('reserved')];
  const incoming = moves.reduce((total, move) => total + Math.max(0, move.available + move.reserved), 0);
  const left = moves.reduce((total, move) => total + Math.min(0, move.available), 0);
  const entries = available + reserved + incoming + unbooked;
  return { bank, entries, reserved, from: bank - entries, upTo: bank - (available + left + unbooked) };
}

function sumOf(amounts: readonly { readonly amount: number }[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0);
}

type Move = { readonly available: number; readonly reserved: number };

/** The entries of the accounts of these connections, by their ids. */
async function entriesSince(group: Group, since: Instant): Promise<ReadonlyMap<string, Move>> {
  const { store, companyId } = group[0].context;
  const found = new Map<string, Move>();
  for (const accountId of accountsOf(group)) {
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
