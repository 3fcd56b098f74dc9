import { placeAtBank } from '../bank/claims.ts';
import type { BankConnection } from '../bank/connection.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { parseLedgerEntry } from '../platform/ledger/ledger.ts';
import { ledgerEntriesSince, readBalance } from '../platform/ledger/shards.ts';
import type { BankEventContext } from './context.ts';
import { listUnsolicitedReturns } from './unsolicited-returns.ts';
import type { Time } from './lists.ts';
import { readPayments } from './lists.ts';
import { listUnplaced } from './unplaced-credits.ts';

/**
 * Largest number of readings of one comparison. While money moves, each reading narrows the range of the difference.
 */
const readingsAtMost = 10;
/**
 * Comparisons, one after another. In the later ones each reading also applies the bank's lists, which books what was
 * missing.
 */
const comparisons = [{ applies: false }, { applies: true }, { applies: true }] as const;
/**
 * Largest open amount with which balances count as equal, centavos: a hundredth of the balance, or `least` if that is
 * more.
 */
const openAtMost = { share: 0.01, least: 10_000 };
/** Seconds. Largest distance between the time of an entry and the reading that shows it. */
const entrySeconds = 120;
/** Seconds. Overlap with the last reading of the lists: lists lag behind writes. */
const lagSeconds = 120;

/** Range of the bank's balance minus the entries, centavos, both ends included. */
type Range = { readonly from: number; readonly upTo: number };

type Reading = Range & {
  /** `bank`: balance at the bank. `entries`: the largest balance that the entries allow. Centavos. */
  readonly bank: number;
  readonly entries: number;
  readonly reserved: number;
};

type ComparisonResult = { readonly is: 'EQUAL' | 'DIFFERS' | 'OPEN'; readonly range: Range; readonly last: Reading };

/** A connection whose payments were read up to a time. */
export type ReadBank = { readonly context: BankEventContext; readonly readAt: Instant };
/** Connections that are compared together. */
export type Group = readonly [ReadBank, ...ReadBank[]];

/**
 * Groups connections that have an account in common. An account that changed its connection may have left money at the
 * former bank, so both are compared together.
 */
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

/**
 * Returns the connections whose balances are added. Of several connections to the same account at a bank, only the one
 * with the most accounts is read.
 */
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
 * Compares the balances at banks with the sum of the entries, also while money moves. Each reading of the bank lies
 * between two readings of the entries: only entries booked between those two are uncertain, and several readings narrow
 * the range. Reserved money may have left the bank already. Two amounts are in no entry: unsolicited returns have left
 * the bank, and unplaced credits are at the bank. A difference is reported.
 * @returns the bank's balance minus the entries, centavos; undefined, after a report, when money moves too fast for a
 * comparison
 */
export async function checkBalance(
  group: Group,
  time: Time = { remainingMs: () => Infinity },
): Promise<number | undefined> {
  const { companyId } = group[0].context;
  const connections = group.map(({ context }) => context.connection.id).join(' ');
  const readAt = new Map(group.map((read) => [read.context, read.readAt]));
  // Each time only what the bank may have listed since the time before.
  const apply = async () => {
    for (const [context, before] of readAt) {
      const at = context.now();
      const { failed } = await readPayments(context, plusSeconds(before, -lagSeconds), time);
      if (failed === 0) readAt.set(context, at);
    }
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
  if (difference !== 0) {
    const sums = { bank: `${last.bank}`, entries: `${last.entries}`, difference: `${difference}` };
    report('BalanceDiffers', { companyId, connections, ...sums });
  }
  return difference;
}

async function compare(group: Group, apply: () => Promise<unknown>): Promise<ComparisonResult> {
  let range: Range = { from: -Infinity, upTo: Infinity };
  for (let count = 1; ; count += 1) {
    const last = await readBoth(group, apply);
    const narrowed = { from: Math.max(range.from, last.from), upTo: Math.min(range.upTo, last.upTo) };
    // No single difference explains both readings: an entry was booked late.
    if (narrowed.from > narrowed.upTo) return { is: 'DIFFERS', range: last, last };
    range = narrowed;
    if (nearestToZero(range) !== 0) return { is: 'DIFFERS', range, last };
    const open = range.upTo - range.from - last.reserved;
    if (open <= Math.max(openAtMost.least, openAtMost.share * last.entries)) return { is: 'EQUAL', range, last };
    if (count === readingsAtMost) return { is: 'OPEN', range, last };
  }
}

/**
 * Reads the balance at the bank between two readings of the entries. Entries booked between those two may be in the
 * balance or not.
 */
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
  /** Money at the bank that is in no entry, minus money that left the bank without an entry. */
  const unbooked = sumOf(unplaced) - sumOf(returns);
  const sum = (part: 'available' | 'reserved' | 'blocked') =>
    balances.reduce((total, balance) => total + (balance?.[part] ?? 0), 0);
  const [available, reserved] = [sum('available') + sum('blocked'), sum('reserved')];
  const incoming = moves.reduce((total, move) => total + Math.max(0, move.available + move.reserved), 0);
  const left = moves.reduce((total, move) => total + Math.min(0, move.available), 0);
  const entries = available + reserved + incoming + unbooked;
  return { bank, entries, reserved, from: bank - entries, upTo: bank - (available + left + unbooked) };
}

function sumOf(amounts: readonly { readonly amount: number }[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0);
}

/** A change of a balance. `available`: with what is blocked, which is at the bank too. */
type Move = { readonly available: number; readonly reserved: number };

/** Returns the entries of the accounts of these connections since a time, by their ids. */
async function entriesSince(group: Group, since: Instant): Promise<ReadonlyMap<string, Move>> {
  const { store, companyId } = group[0].context;
  const found = new Map<string, Move>();
  for (const accountId of accountsOf(group)) {
    for await (const item of ledgerEntriesSince(store, companyId, accountId, since)) {
      const { id, available, reserved, blocked } = parseLedgerEntry(item);
      found.set(id, { available: available + blocked, reserved });
    }
  }
  return found;
}

function nearestToZero({ from, upTo }: Range): number {
  return from > 0 ? from : Math.min(upTo, 0);
}
