import type { ChargeBank } from '../bank/ports/recurring-charges.ts';
import { chargeBank } from './bank-ports.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { dependencies } from '../platform/dependencies.ts';

/** For the functions that charge recurrences. */
export type ChargeDependencies = Dependencies & {
  readonly bank: ChargeBank;
  /** Milliseconds of a clock that only goes forward, for deadlines. */
  readonly elapsedMs: () => number;
};

export function chargeDependencies(): ChargeDependencies {
  return { ...dependencies(), bank: chargeBank(), elapsedMs: () => performance.now() };
}
