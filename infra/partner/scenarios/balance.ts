import { GetBalance } from '#functions/accounts/balance/contract.ts';
import type { Partner } from '../api/client.ts';

/** Integers of centavos. */
export type Balance = { readonly available: number; readonly reserved: number };

export async function readBalance(partner: Partner, accountId: string): Promise<Balance> {
  const { available, reserved } = (await partner.call(GetBalance, { params: { accountId } })).body;
  return { available: centavosOf(available), reserved: centavosOf(reserved) };
}

/** Of a decimal with two places and perhaps a sign. */
export function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}
