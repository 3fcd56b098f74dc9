import { findAccountAt, findAccountByKey, readAccount } from '#shared/accounts/store.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { ReaderOf } from '#shared/bank/api-pix/reading.ts';
import type { Bank, ChargeBank } from '#shared/bank/bank.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import {
  simulatedCharges,
  simulatedRecurrences,
  simulatedRecurringCharges,
  simulatedRefunds,
  simulatedTimeouts,
} from '#shared/bank/simulated/receiving.ts';
import { simulatedDirectory } from '#shared/bank/simulated/directory.ts';
import { simulatedPayouts } from '#shared/bank/simulated/payouts.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Dependencies, RealTimeDependencies, Settings } from '#shared/platform/dependencies.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { NewsDependencies } from '#shared/news/context.ts';
import { dependencies, realTimeDependencies } from '#shared/platform/dependencies.ts';

/*
 * THE file that says which bank is behind the service: the simulated one, everywhere. Each function takes the ports
 * that it uses. The bundler leaves out the others, and with them what only they may read.
 */

type Can = Pick<Bank, 'capabilities'>;
type Receiving = Can & Pick<Bank, 'charges' | 'recurrences' | 'refunds'>;
type Paying = Can & Pick<Bank, 'directory' | 'payouts'>;
export type CommandBank = Receiving & ChargeBank & Pick<Bank, 'payouts'>;
type BankSettings = Pick<Settings, 'pixHost' | 'ispb'>;

const simulated: Can = { capabilities: () => Promise.resolve(allCapabilities) };

/** Milliseconds of a clock that only goes forward, for deadlines. */
type Elapsed = { readonly elapsedMs: () => number };
const elapsed: Elapsed = { elapsedMs: () => performance.now() };

/** The ports by which money goes out; the directory knows the environment's own accounts and charges. */
export function payingBankOf(store: Store, { pixHost, ispb }: BankSettings, ids: Ids): Paying {
  const directory = simulatedDirectory({
    pixHost,
    account: (companyId, accountId) => readAccount(store, companyId, accountId),
    accountOfKey: (companyId, key) => findAccountByKey(store, companyId, key),
    accountAt: (companyId, bank) => findAccountAt(store, companyId, bank),
    charge: (companyId, orderId) => readPayIn(store, companyId, orderId),
  });
  return { directory: checkedDirectory(directory), ...payoutBank({ ispb }, ids) };
}

export function payoutBank({ ispb }: Pick<BankSettings, 'ispb'>, ids: Ids): Can & Pick<Bank, 'payouts'> {
  return { ...simulated, payouts: checkedPayouts(simulatedPayouts({ ispb, ids })) };
}

/** The ports by which money comes in and is refunded; the simulated bank remembers what it did not answer. */
function receivingBankOf(store: Store, { pixHost, ispb }: BankSettings): Receiving {
  const isTimeout = simulatedTimeouts(store);
  return {
    ...simulated,
    charges: checkedCharges(simulatedCharges({ pixHost, isTimeout })),
    recurrences: checkedRecurrences(simulatedRecurrences({ pixHost, ispb, isTimeout })),
    refunds: checkedRefunds(simulatedRefunds({ isTimeout })),
  };
}

function chargeBank({ ispb }: Pick<BankSettings, 'ispb'>, ids: Ids): ChargeBank {
  return { ...simulated, recurringCharges: checkedRecurringCharges(simulatedRecurringCharges({ ispb, ids })) };
}

/** Every port by which commands are given, for the workers. */
export function commandBank(store: Store, settings: BankSettings, ids: Ids): CommandBank {
  return { ...receivingBankOf(store, settings), ...chargeBank(settings, ids), ...payoutBank(settings, ids) };
}

export type PayingDependencies = Dependencies & Elapsed & { readonly bank: Paying };

export function payingDependencies(): PayingDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: payingBankOf(base.store, base.settings, base.ids) };
}

export type ReceivingDependencies = Dependencies & Elapsed & { readonly bank: Receiving };

export function receivingDependencies(): ReceivingDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: receivingBankOf(base.store, base.settings) };
}

export type ChargeDependencies = Dependencies & Elapsed & { readonly bank: ChargeBank };

export function chargeDependencies(): ChargeDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: chargeBank(base.settings, base.ids) };
}

/** For the endpoint that advances a company's clock: it has no time but the machine's. */
export type ClockDependencies = RealTimeDependencies & Elapsed & { readonly bank: CommandBank };

export function clockDependencies(): ClockDependencies {
  const base = realTimeDependencies();
  return { ...base, ...elapsed, bank: commandBank(base.store, base.settings, base.ids) };
}

/** No dialect is spoken yet: nothing can be read at a bank. */
const readerOf: ReaderOf = () => Promise.reject(new BankUnavailable('No bank of this dialect can be read.'));

/** For the workers that hear of companies' banks. */
export function newsDependencies(): NewsDependencies {
  const base = dependencies();
  return { ...base, bank: commandBank(base.store, base.settings, base.ids), readerOf };
}
