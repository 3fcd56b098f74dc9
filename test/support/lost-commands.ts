import { instantAt } from '#shared/core/brasilia-time.ts';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { PaymentRecord } from './payment-world.ts';
import { paymentBody, paymentWorld } from './payment-world.ts';

export type Found = FoundCommand<RecurringChargeState>;
type Command = 'SCHEDULE' | 'CANCEL';

/** The settlement date of every payment here, and the day before. */
export const day = '2026-01-20';
export const eve = '2026-01-19';

/**
 * Scheduled payments whose command to the bank was decided in time and lost on its way, beside a bank that takes
 * whatever is handed to it from then on.
 */
export async function lostCommandsWorld(options: Parameters<typeof paymentWorld>[0] = {}) {
  const world = await paymentWorld(options, { allowChargeAfterDueDate: true });
  /** When each command was handed to the bank; `found`: what it says when it is asked. */
  const bank: { handed: { at: string; what: Command }[]; found: () => Found | Promise<Found> } = {
    handed: [],
    found: () => ({ outcome: 'NEVER_SEEN' }),
  };
  const { recurringCharges } = world.bank;
  recurringCharges.schedule.find = async () => bank.found();
  recurringCharges.withdraw.find = async () => bank.found();
  const bankTakes = (): void => {
    const take = (command: Command) => () => {
      bank.handed.push({ at: world.clock.now, what: command });
      return Promise.resolve({ outcome: 'DONE', state: { attempts: [] } } as const);
    };
    recurringCharges.schedule.submit = take('SCHEDULE');
    recurringCharges.withdraw.submit = take('CANCEL');
  };
  bankTakes();
  const at = (time: string, on = day): void => {
    world.clock.now = instantAt(on, time);
  };
  const lost = async <T>(run: () => Promise<T>): Promise<T> => {
    const lose = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);
    recurringCharges.schedule.submit = lose;
    recurringCharges.withdraw.submit = lose;
    const result = await run();
    bankTakes();
    bank.handed = [];
    return result;
  };
  return {
    ...world,
    bank,
    at,
    waiting: () => world.items('SCHEDULED_PAYMENT').filter((item) => 'GSI3PK' in item).length,
    lose: {
      charge: (): Promise<PaymentRecord> => lost(() => world.scheduled(paymentBody({ dueDate: day }))),
      resend: async (time = '20:59'): Promise<PaymentRecord> => {
        const first = await world.scheduled(paymentBody({ dueDate: day }));
        at(time);
        await world.forced(first.id, 'ACCEPTED', 'CANCELED_SETTLEMENT_ERROR');
        await lost(world.resend);
        const resend = (await world.all()).find((one) => one.originalScheduledPaymentId === first.id);
        if (resend === undefined) throw new Error('No resend was made.');
        return resend;
      },
      'new attempt': async (): Promise<PaymentRecord> => {
        const first = await world.scheduled(paymentBody({ dueDate: '2026-01-16' }));
        at('20:30', '2026-01-16');
        await world.forced(first.id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
        at('23:50', eve);
        const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: first.id, dueDate: day };
        return lost(() => world.scheduled(paymentBody({ ...again, amount: undefined })));
      },
      withdrawal: async (time = '21:59'): Promise<PaymentRecord> => {
        const payment = await world.scheduled(paymentBody({ dueDate: day }));
        await world.forced(payment.id, 'ACCEPTED');
        at(time, eve);
        await lost(() => world.withdraw(payment.id, 'k'));
        return payment;
      },
    },
  };
}
