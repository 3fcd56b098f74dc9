import * as z from 'zod';
import { accountAt } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import type { Connecting } from '../manifest.ts';

/** `account_key`: the bank's name of an account, in the paths of all its calls. */
const QitechAccount = z.object({ accountKey: z.guid('must be a UUID').toLowerCase() });

/** Returns the bank's name of the company's account. @throws NotConnected */
export function accountKeyOf(connected: Connected, owner: { readonly id: string }): string {
  return QitechAccount.parse(accountAt(connected, owner)).accountKey;
}

/** Returns the accounts of a connection: our id of each, and the bank's name. */
export function accountKeys({ accounts }: BankConnection): readonly { readonly id: string; readonly key: string }[] {
  return Object.entries(accounts).map(([id, account]) => ({ id, key: QitechAccount.parse(account).accountKey }));
}

export const connecting: Connecting = {
  connection: z.object({}),
  account: QitechAccount,
  files: z.object({ key: z.string(), authorities: z.string().exactOptional() }),
  placeOf: (account) => QitechAccount.parse(account).accountKey,
};
