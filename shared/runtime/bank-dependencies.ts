import { readAccount } from '../persistence/accounts.ts';
import { readOrder } from '../persistence/orders.ts';
import type { Store } from '../persistence/store.ts';
import type { Bank } from '../provider/bank.ts';
import { checkedBank } from '../provider/checked-bank.ts';
import { simulatedBank } from '../provider/simulated-bank.ts';
import type { Dependencies } from './dependencies.ts';
import { dependencies } from './dependencies.ts';

/** For the few functions that talk to the bank; the others stay smaller without it. */
export type BankDependencies = Dependencies & { readonly bank: Bank };

export function bankDependencies(): BankDependencies {
  const base = dependencies();
  return { ...base, bank: bankOf(base.store, base.settings.pixHost) };
}

/** The bank behind this environment: the simulated one, with the environment's own accounts and charges. */
export function bankOf(store: Store, pixHost: string): Bank {
  return checkedBank(
    simulatedBank({
      pixHost,
      account: (companyId, accountId) => readAccount(store, companyId, accountId),
      charge: async (companyId, orderId) => {
        const order = await readOrder(store, companyId, orderId);
        return order?.kind === 'PAY_IN' && order.payIn.id === orderId ? order.payIn : undefined;
      },
    }),
  );
}
