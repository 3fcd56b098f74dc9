import { GetBalance } from '#functions/accounts/balance/contract.ts';
import type { Partner } from '@banking-order/partner-tools';

/** A balance in centavos: integers, so that sums are exact. */
type Balance = { readonly available: number; readonly reserved: number };

export async function balanceOf(partner: Partner, accountId: string): Promise<Balance> {
  const { body } = await partner.call(GetBalance, { params: { accountId } });
  return { available: centavosOf(body.available), reserved: centavosOf(body.reserved) };
}

function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}

/** What happened to an account between two looks. */
export function difference(before: Balance, after: Balance): Balance {
  return { available: after.available - before.available, reserved: after.reserved - before.reserved };
}
