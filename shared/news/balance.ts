import { report } from '../bank/report.ts';
import { readBalance } from '../platform/ledger/ledger.ts';
import type { NewsContext } from './context.ts';
import { listForeignReturns } from './foreign-returns.ts';
import type { ListReport } from './lists.ts';

/** A move between the two readings makes another comparison necessary. */
const tries = 3;

/** Sums of the company's accounts at the bank, centavos. */
type Sums = { readonly available: number; readonly reserved: number };

/** `difference`: what the bank has more, centavos; negative: less. */
type BalanceCheck = { readonly difference: number; readonly candidates: readonly string[] };

/**
 * Compares the bank's balance with the sum of the entries. Money that is reserved may have left the bank already; what
 * the bank sent back unasked has left it, and no entry says so. A difference is reported with what could explain it.
 * @returns undefined while money moves too fast for a comparison
 */
export async function checkBalance(
  context: NewsContext,
  { unknown }: Pick<ListReport, 'unknown'>,
): Promise<BalanceCheck | undefined> {
  const { store, companyId, reader } = context;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const before = await sumsOf(context);
    const bank = await reader.balance();
    const after = await sumsOf(context);
    if (before.available !== after.available || before.reserved !== after.reserved) continue;
    const returns = await listForeignReturns(store, companyId);
    const most = after.available + after.reserved - returns.reduce((total, { amount }) => total + amount, 0);
    const least = most - after.reserved;
    const difference = bank > most ? bank - most : bank < least ? bank - least : 0;
    const candidates = unknown
      .filter(({ what, amount }) => amount === Math.abs(difference) && (what === 'SENT') === difference < 0)
      .map(({ what, id }) => `${what} ${id}`);
    if (difference !== 0)
      report('BalanceDiffers', {
        companyId,
        ...{ bank: `${bank}`, entries: `${most}`, difference: `${difference}`, candidates: candidates.join(', ') },
      });
    return { difference, candidates };
  }
  return undefined;
}

async function sumsOf({ store, companyId, connection }: NewsContext): Promise<Sums> {
  const balances = await Promise.all(Object.keys(connection.accounts).map((id) => readBalance(store, companyId, id)));
  const sum = (part: 'available' | 'reserved') =>
    balances.reduce((total, balance) => total + (balance?.[part] ?? 0), 0);
  return { available: sum('available'), reserved: sum('reserved') };
}
