import type { Bank } from '../bank/bank.ts';
import { payingBankOf } from './bank-ports.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { dependencies } from '../platform/dependencies.ts';

/** For the functions that pay; those that receive carry other ports, so that each stays small. */
export type PayingDependencies = Dependencies & {
  readonly bank: Pick<Bank, 'directory' | 'payouts'>;
  /** Milliseconds of a clock that only goes forward, for deadlines. */
  readonly elapsedMs: () => number;
};

export function payingDependencies(): PayingDependencies {
  const base = dependencies();
  return { ...base, bank: payingBankOf(base.store, base.settings.pixHost), elapsedMs: () => performance.now() };
}
