import type * as z from 'zod';
import { GetCapabilities } from '#functions/accounts/capabilities/contract.ts';
import { GetBankProfile } from '#functions/order-tools/get-bank-profile/contract.ts';
import { SetBankProfile } from '#functions/order-tools/set-bank-profile/contract.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import type { Partner } from './client.ts';

export type Capabilities = z.output<(typeof GetCapabilities)['responses'][200]>;
type BankProfile = z.input<(typeof SetBankProfile)['body']>;

/** Reads what the bank of an account can do. */
export async function readCapabilities(partner: Partner, accountId: string): Promise<Capabilities> {
  return (await partner.call(GetCapabilities, { params: { accountId } })).body;
}

/** Runs `work` while the simulated bank of the company is as narrow as another one, and restores its profile. */
export async function asNarrowAs<T>(
  partner: Partner,
  profile: NonNullable<BankProfile['profile']>,
  work: () => Promise<T>,
): Promise<T> {
  const { profile: before } = (await partner.call(GetBankProfile)).body;
  await partner.call(SetBankProfile, { body: { profile } });
  try {
    return await work();
  } finally {
    await partner.call(SetBankProfile, { body: { profile: before } });
  }
}

/** Payouts and keys that are looked at: the latest ones. */
const looked = '100';

/**
 * Compares what an account has used lately with what its bank can do. Returns a sentence for each thing that the bank
 * refuses.
 */
export async function refusedUses(partner: Partner, accountId: string): Promise<readonly string[]> {
  const { paymentMethods, accountTypes, keyTypes } = await readCapabilities(partner, accountId);
  const payouts = (await partner.call(ListPayouts, { query: { accountId, limit: looked } })).body.data;
  const keys = (await partner.call(ListKeys, { params: { accountId }, query: { limit: looked } })).body.data;
  const isPix = payouts.filter(({ paymentMethod }) => paymentMethod === 'PIX');
  const toAccounts = isPix.flatMap(({ paymentData: { bankAccount } }) => bankAccount?.accountType ?? []);
  return [
    ...refusedOf(
      payouts.map(({ paymentMethod }) => paymentMethod),
      paymentMethods,
      'payouts by',
    ),
    ...refusedOf(toAccounts, accountTypes, 'payouts by PIX to a'),
    ...refusedOf(
      keys.filter(({ status }) => status === 'PENDING' || status === 'CONFIRMED').map(({ type }) => type),
      keyTypes,
      'PIX keys of type',
    ),
  ];
}

/** Counts what was used and is not possible, by its name. */
function refusedOf(used: readonly string[], possible: readonly string[], what: string): readonly string[] {
  const refused = used.filter((name) => !possible.includes(name));
  return [...new Set(refused)].map((name) => {
    const count = refused.filter((other) => other === name).length;
    return `${count} ${what} ${name}: the bank of the account refuses them.`;
  });
}
