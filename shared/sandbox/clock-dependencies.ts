import type { CommandBank } from '../bank-wiring/bank-ports.ts';
import { commandBank } from '../bank-wiring/bank-ports.ts';
import type { RealTimeDependencies } from '../platform/dependencies.ts';
import { realTimeDependencies } from '../platform/dependencies.ts';

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
