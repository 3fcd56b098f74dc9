import type { Centavos } from '#shared/core/money.ts';
import { subtractCentavos } from '#shared/core/money.ts';
import type { Answered } from '../operations.ts';
import { signedCentavos } from './format.ts';

type Entry = Answered<'listEntries'>['data'][number];
type Balance = Pick<Answered<'getBalance'>, 'available' | 'reserved'>;
type Balanced = Entry & { readonly balance: { readonly available: Centavos; readonly reserved: Centavos } };

/** Entries, newest first, each with the balance after it: counted back from what there is now. */
export function withBalances(entries: readonly Entry[], { available, reserved }: Balance): readonly Balanced[] {
  let balance = { available: signedCentavos(available), reserved: signedCentavos(reserved) };
  return entries.map((entry) => {
    const after = balance;
    balance = {
      available: subtractCentavos(after.available, signedCentavos(entry.available)),
      reserved: subtractCentavos(after.reserved, signedCentavos(entry.reserved)),
    };
    return { ...entry, balance: after };
  });
}
