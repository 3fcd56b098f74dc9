import type * as z from 'zod';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import type { Violation } from '../journal.ts';
import { listAll } from './resources.ts';

type Entry = Pick<z.infer<typeof LedgerEntryRecord>, 'id' | 'available' | 'reserved'> & { readonly orderId?: string };
/** As the API writes amounts: decimals with two places. */
type Balance = { readonly available: string; readonly reserved: string };

const looks = 10;

/** Centavos of a decimal of the API: integers, so that sums are exact. */
function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}

/** A statement, read from its beginning, is never below zero and ends with the balance. */
export function findStatementViolations(
  accountId: string,
  entries: readonly Entry[],
  balance: Balance,
): readonly Violation[] {
  const faults: Violation[] = [];
  const sum = { available: 0, reserved: 0 };
  for (const { id, orderId = '', available, reserved } of entries) {
    sum.available += centavosOf(available);
    sum.reserved += centavosOf(reserved);
    const text = `account ${accountId} at entry ${id}: ${JSON.stringify(sum)} centavos`;
    if (sum.available < 0 || sum.reserved < 0)
      faults.push({ invariant: 'no balance is below zero', text, ids: [orderId] });
  }
  const isEqual = sum.available === centavosOf(balance.available) && sum.reserved === centavosOf(balance.reserved);
  const text = `account ${accountId}: ${entries.length} entries add up to ${JSON.stringify(sum)} centavos, the balance is ${JSON.stringify(balance)}`;
  if (!isEqual) faults.push({ invariant: 'a balance is the sum of its entries', text, ids: [accountId] });
  return faults;
}

/** Statement and balance of an account, of one moment: a worker may move money between the two. */
export async function checkStatement(partner: Partner, accountId: string): Promise<readonly Violation[]> {
  const params = { accountId };
  const balanceOf = async (): Promise<Balance> => {
    const { body } = await partner.call(GetBalance, { params });
    return { available: body.available, reserved: body.reserved };
  };
  for (let turn = 1; ; turn += 1) {
    const before = await balanceOf();
    const entries = await listAll(partner, ListEntries, LedgerEntryRecord, { params, query: { sort: 'asc' } });
    const balance = await balanceOf();
    const isStill = JSON.stringify(before) === JSON.stringify(balance);
    if (isStill || turn === looks)
      return findStatementViolations(
        accountId,
        entries.map(({ orderId, ...entry }) => ({ ...entry, ...(orderId !== undefined && { orderId }) })),
        balance,
      );
  }
}
