import type { Store } from '#shared/platform/table/store.ts';
import { simulatedCompanyIds } from '#shared/sandbox/clock-store.ts';
import type { Loop } from '@banking-order/cdk-local';
import { pauseUntil, startLoop } from '@banking-order/cdk-local';

/** Short, because a partner who advances a clock waits for the due work. */
const everyMs = 1000;

/**
 * Invokes the worker of due work every second while any company has a set clock. For a company with a bank connection
 * the call that sets the clock leaves due work to this worker, whose schedule would run it only once a minute.
 *
 * @param invoke The function `run-company-jobs`.
 */
export function followClocks(store: Store, invoke: () => Promise<unknown>): Loop {
  return startLoop(async (signal) => {
    while (!signal.aborted) {
      // If the table does not respond, the next round reads it again.
      const companies = await simulatedCompanyIds(store).catch(() => undefined);
      if (companies !== undefined && companies.size > 0) await invoke();
      await pauseUntil(everyMs, signal);
    }
  });
}
