import type { Store } from '#shared/platform/table/store.ts';
import { simulatedCompanyIds } from '#shared/sandbox/clock-store.ts';
import type { Loop } from '@banking-order/cdk-local';
import { pauseUntil, startLoop } from '@banking-order/cdk-local';

/** A partner turns a clock and waits until what became due is done. */
const everyMs = 1000;

/**
 * Where a company has a bank of its own the call that turns its clock does nothing by it: the worker does, which runs
 * once a minute. Beside a bank on this machine it runs immediately, as long as a clock is turned.
 *
 * @param invoke The function `run-company-jobs`.
 */
export function followClocks(store: Store, invoke: () => Promise<unknown>): Loop {
  return startLoop(async (signal) => {
    while (!signal.aborted) {
      // A table that does not answer now is asked again.
      const companies = await simulatedCompanyIds(store).catch(() => undefined);
      if (companies !== undefined && companies.size > 0) await invoke();
      await pauseUntil(everyMs, signal);
    }
  });
}
