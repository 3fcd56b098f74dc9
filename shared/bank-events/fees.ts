import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { keys } from '../platform/table/keys.ts';
import type { BankEventContext } from './context.ts';

/** Fee of the bank for a received or sent payment. */
type Fee = {
  readonly direction: 'RECEIVED' | 'SENT';
  readonly endToEndId: string;
  readonly accountId: string;
  readonly amount: Centavos;
  readonly orderId?: string;
};

/** Books the bank's fee for a payment once, even if the account has less. @returns whether this call booked it */
export async function bookFee(
  { now, ...context }: Pick<BankEventContext, 'store' | 'ids' | 'now' | 'realNow' | 'companyId'>,
  { direction, endToEndId, accountId, amount, orderId }: Fee,
): Promise<boolean> {
  const { store, companyId, ids } = context;
  const key = keys.bankFee(companyId, endToEndId, direction);
  const read = async () => (await store.read([key]))[0];
  return commitTransition(context, read, (booked) => {
    if (booked !== undefined) return { unchanged: false };
    const at: Instant = now();
    const money = { available: subtractCentavos(centavos(0), amount), reserved: centavos(0) };
    const references = { ...(orderId !== undefined && { orderId }), endToEndId };
    const posting = { accountId, ...references, ...money, at, entryId: ids.uuid() };
    return {
      ledger: [{ ...posting, kind: 'BANK_FEE' }],
      writes: [{ put: { ...key, entity: 'BANK_FEE', of: direction, endToEndId, amount, at }, when: { is: 'absent' } }],
      result: true,
    };
  });
}
