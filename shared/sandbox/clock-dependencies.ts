import type { Store } from '../platform/table/store.ts';
import type { Bank } from '../bank/bank.ts';
import type { ChargeBank } from '../bank/ports/recurring-charges.ts';
import { chargeBank, payoutsPort, receivingBankOf } from '../bank-wiring/bank-ports.ts';
import type { RealTimeDependencies, Settings } from '../platform/dependencies.ts';
import { realTimeDependencies } from '../platform/dependencies.ts';

/** The ports of the bank that due work uses. */
export type CommandBank = Pick<Bank, 'payouts' | 'refunds' | 'recurrences'> & ChargeBank;

/** For the function that turns a company's clock: it has no time but the machine's. */
export type ClockDependencies = RealTimeDependencies & {
  readonly bank: CommandBank;
  /** Milliseconds of a clock that only goes forward, for deadlines. */
  readonly elapsedMs: () => number;
};

export function clockDependencies(): ClockDependencies {
  const base = realTimeDependencies();
  return { ...base, bank: commandBank(base.store, base.settings), elapsedMs: () => performance.now() };
}

/** Every port that due work uses. */
export function commandBank(store: Store, settings: Pick<Settings, 'pixHost' | 'ispb'>): CommandBank {
  return { ...receivingBankOf(store, settings), ...chargeBank(), payouts: payoutsPort() };
}
