import { findAccountAt, findAccountByKey, readAccount } from '../accounts/store.ts';
import { readPayIn } from '../pay-ins/store.ts';
import type { Store } from '../platform/table/store.ts';
import type { Bank } from '../bank/bank.ts';
import { checkedCharges } from '../bank/ports/charges.ts';
import { checkedDirectory } from '../bank/ports/directory.ts';
import { checkedPayouts } from '../bank/ports/payouts.ts';
import { checkedRecurrences } from '../bank/ports/recurrences.ts';
import type { ChargeBank } from '../bank/ports/recurring-charges.ts';
import { checkedRecurringCharges } from '../bank/ports/recurring-charges.ts';
import { checkedRefunds } from '../bank/ports/refunds.ts';
import {
  simulatedTimeouts,
  simulatedCharges,
  simulatedRecurrences,
  simulatedRecurringCharges,
  simulatedRefunds,
} from '../bank/simulated/receiving.ts';
import { simulatedDirectory } from '../bank/simulated/directory.ts';
import { simulatedPayouts } from '../bank/simulated/payouts.ts';
import type { Settings } from '../platform/dependencies.ts';

/*
 * THE file that says which bank is behind the service: the simulated one, everywhere. Each function takes the ports
 * that it uses, so that the bundler leaves out the others.
 */

/** The ports by which money goes out; the directory knows the environment's own accounts and charges. */
export function payingBankOf(store: Store, pixHost: string): Pick<Bank, 'directory' | 'payouts'> {
  const directory = simulatedDirectory({
    pixHost,
    account: (companyId, accountId) => readAccount(store, companyId, accountId),
    accountOfKey: (companyId, key) => findAccountByKey(store, companyId, key),
    accountAt: (companyId, bank) => findAccountAt(store, companyId, bank),
    charge: (companyId, orderId) => readPayIn(store, companyId, orderId),
  });
  return { directory: checkedDirectory(directory), payouts: payoutsPort() };
}

export function payoutsPort(): Bank['payouts'] {
  return checkedPayouts(simulatedPayouts());
}

/** The ports by which money comes in and is refunded; the simulated bank remembers what it did not answer. */
export function receivingBankOf(
  store: Store,
  { pixHost, ispb }: Pick<Settings, 'pixHost' | 'ispb'>,
): Pick<Bank, 'charges' | 'recurrences' | 'refunds'> {
  const isTimeout = simulatedTimeouts(store);
  return {
    charges: checkedCharges(simulatedCharges({ pixHost, isTimeout })),
    recurrences: checkedRecurrences(simulatedRecurrences({ pixHost, ispb, isTimeout })),
    refunds: checkedRefunds(simulatedRefunds({ isTimeout })),
  };
}

/** The port by which recurrences are charged. */
export function chargeBank(): ChargeBank {
  return { recurringCharges: checkedRecurringCharges(simulatedRecurringCharges()) };
}
