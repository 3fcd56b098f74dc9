import { setTimeout as sleep } from 'node:timers/promises';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Partner } from '@banking-order/partner-tools';

/** The clock of a company, turned until everything is done that became due. */
export function clockOf(partner: Partner) {
  const turn = async (body: { now: Instant } | { advanceSeconds: number }): Promise<void> => {
    let { remaining } = (await partner.call(SetClock, { body })).body;
    while (remaining > 0) {
      await sleep(50);
      ({ remaining } = (await partner.call(SetClock, { body: { advanceSeconds: 0 } })).body);
    }
  };
  return {
    /** To a time of Brasilia's clock. */
    to: (date: LocalDate, time: string): Promise<void> => turn({ now: instantAt(date, time) }),
    advance: (advanceSeconds: number): Promise<void> => turn({ advanceSeconds }),
    reset: async (): Promise<void> => {
      await partner.call(ResetClock);
    },
  };
}
