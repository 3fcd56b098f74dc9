import { instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from '../support/api.ts';
import { companyOne } from '../support/bank-world.ts';
import type { PaymentRecord } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import type { Measured } from './measured-operations.ts';

const accountId = 'aaaaaaaa-aaaa-4aaa-8aaa-bbbbbbbbbbbb';
const today = '2026-01-15';
const later = (week: number): string => plusDays(today, 7 * week);

/** What scheduled payments cost, on a weekly subscription that has thirty of them; in this order. */
export async function measuredPayments(store: Store): Promise<readonly Measured[]> {
  const more = { frequencyType: 'WEEKLY', allowChargeAfterDueDate: true };
  const world = await paymentWorld({ wrap: () => store, seed: 'measured-payments', accountId }, more);
  const body = (dueDate: string) => paymentBody({ dueDate, description: 'Entrega semanal' });
  for (let week = 10; week < 40; week += 1) await world.scheduled(body(later(week)));
  const unpaid = await world.scheduled(body(later(3)));
  await world.forced(unpaid.id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
  const collected = await world.scheduled(body(later(5)));
  await world.forced(collected.id, 'ACCEPTED');
  const withdrawn = await world.scheduled(body(later(4)));

  const first = body(today);
  let payment: PaymentRecord | undefined;
  const id = (): string => payment?.id ?? 'none';
  const ok = async (response: Promise<Answer>): Promise<void> => {
    const { status, text } = await response;
    if (status > 201) throw new Error(`${status} ${text}`);
  };
  const newAttempt = paymentBody({
    dueDate: plusDays(later(3), 2),
    purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
    originalScheduledPaymentId: unpaid.id,
  });
  const resentOnce = async (): Promise<void> => {
    const { resent, missed } = await world.resend();
    if (resent !== 1 || missed !== 0) throw new Error(`${resent} resent, ${missed} missed`);
  };
  const byTool = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'tool', run });
  const change = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'change', run });
  const read = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'read', run });
  const other = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'other', run });
  return [
    change('Schedule a payment', async () => {
      payment = await world.scheduled(first);
    }),
    other('Schedule it again', () => ok(world.schedule(first))),
    other('Schedule a new attempt after the due date', () => ok(world.schedule(newAttempt))),
    read('Get scheduled payment', () =>
      ok(world.readPayment({ companyId: companyOne, params: { id: world.subscriptionId, paymentId: id() } })),
    ),
    other('List 20 scheduled payments of 33', () => ok(world.list({ limit: '20' }))),
    change('Request cancellation of a scheduled payment', () => ok(world.withdraw(withdrawn.id, 'k'))),
    byTool('Force scheduled payment to ACCEPTED', () => world.forced(id(), 'ACCEPTED')),
    byTool('Force it to CANCELED_SETTLEMENT_ERROR on its day', () => world.forced(id(), 'CANCELED_SETTLEMENT_ERROR')),
    other('Run of the resends, one owed', resentOnce),
    other('Run of the resends, none owed', () => world.resend()),
    byTool('Force scheduled payment to COMPLETED', () => world.forced(collected.id, 'COMPLETED')),
    other('Run that confirms 32 commands with the bank', async () => {
      world.clock.now = instantAt(today, '20:00');
      await world.advance();
    }),
    other('Cancel the subscription with 32 open payments, one due today', () =>
      ok(world.forceSubscription(world.subscriptionId, 'CANCELED')),
    ),
  ];
}
