import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Partner } from '@banking-order/partner-tools';
import { turnClock } from '@banking-order/partner-tools';

/** The clock of a company, turned until everything is done that became due. */
export function clockOf(partner: Partner) {
  return {
    /** To a time of Brasilia's clock. */
    to: (date: LocalDate, time: string) => turnClock(partner, { now: instantAt(date, time) }),
    advance: (advanceSeconds: number) => turnClock(partner, { advanceSeconds }),
    reset: async (): Promise<void> => {
      await partner.call(ResetClock);
    },
  };
}
