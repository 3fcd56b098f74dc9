import { returnUnmatched } from '#infra/operator/bank.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import { centavos } from '#shared/core/money.ts';
import type { JobKind } from '#shared/jobs/jobs.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { companyOne, noon, payInBody, payoutBody } from '../support/bank-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { runCounted } from '../support/run-jobs.ts';
import { compositeBody } from '../support/subscription-world.ts';

/** Every command that can be lost on its way to the bank, with the kind of command that it is for a bank. */
export const commands = [
  ['payout', 'a payout'],
  ['refund', 'a refund'],
  ['refund', 'a return of unmatched money'],
  ['recurringCharge', 'a recurring charge'],
  ['recurringCharge', 'a cancellation of a recurring charge'],
  ['recurrenceCancellation', 'a cancellation of a recurrence'],
  ['recurrenceCancellation', 'a withdrawal of a recurrence'],
] as const satisfies readonly (readonly [keyof Capabilities['repetition'], string])[];
type Name = (typeof commands)[number][1];

const endToEndId = 'E60701190202601151500abcdefghijk';
const companyId = companyOne;

/** Requests every command at a bank that responds to none of them, and has none when it is asked. */
export async function everyCommand(capabilities: Partial<Capabilities>) {
  const world = await paymentWorld();
  const { bank, clock, store, ids, deps } = world;
  const payIn = async (key: string): Promise<string> => {
    const { body } = await world.createPayIn({ companyId, key, body: payInBody({ externalId: key }) });
    const { id } = body as { readonly id: string };
    await world.forceOrder(id, 'PAID');
    return id;
  };
  const [refunded, paidTwice] = [await payIn('refunded'), await payIn('paid-twice')];
  const context = { ...deps, at: clock.now, companyId, requestId: 'r', alsoEnds: endWaitingSubscription };
  const payment = { endToEndId, amount: centavos(2500), at: noon, returns: [] };
  await applyChargeState(context, paidTwice, { status: 'PAID', payments: [payment] });
  const canceledPayment = await world.scheduled(paymentBody());
  await world.forced(canceledPayment.id, 'ACCEPTED');
  const canceled = await world.accepted({ externalId: 'canceled' });
  const withdrawn = await world.created(compositeBody({ externalId: 'withdrawn' }));

  world.setCapabilities(capabilities);
  /** Called at each call of the bank; `responds`: whether the bank responds. */
  const at = { call: (_name: Name, _call: 'submit' | 'find'): void => undefined, responds: false };
  const command = <Order, State>(nameOf: (order: Order) => Name, state: State) => ({
    submit: (order: Order) => {
      at.call(nameOf(order), 'submit');
      return Promise.resolve(at.responds ? ({ outcome: 'DONE', state } as const) : ({ outcome: 'UNKNOWN' } as const));
    },
    find: (order: Order) => {
      at.call(nameOf(order), 'find');
      return Promise.resolve(
        at.responds ? ({ outcome: 'DONE', state } as const) : ({ outcome: 'NEVER_SEEN' } as const),
      );
    },
  });
  const refundOf = (order: { readonly endToEndId: string }): Name =>
    order.endToEndId === endToEndId ? 'a return of unmatched money' : 'a refund';
  const endOf = ({ recurrenceId }: { readonly recurrenceId: string }): Name =>
    recurrenceId === withdrawn.providerId ? 'a withdrawal of a recurrence' : 'a cancellation of a recurrence';
  bank.payouts.send = command(() => 'a payout', { status: 'ACCEPTED', returns: [] } as const);
  Object.assign(bank.refunds, command(refundOf, { status: 'PENDING' } as const));
  bank.recurringCharges.schedule = command(() => 'a recurring charge', { attempts: [] });
  bank.recurringCharges.withdraw = command(() => 'a cancellation of a recurring charge', { attempts: [] });
  bank.recurrences.cancel = command(endOf, { history: [] });

  await world.createPayout({ companyId, key: 'payout', body: payoutBody() });
  await world.refundPayIn({ companyId, key: 'refund', params: { id: refunded }, body: {} });
  await returnUnmatched(context, { companyId, endToEndId });
  await world.scheduled(paymentBody({ dueDate: '2026-02-20' }));
  await world.withdraw(canceledPayment.id, 'cancel');
  for (const id of [canceled, withdrawn.id])
    await world.cancel({ companyId, key: id, params: { id }, body: { reason: 'REQUESTED_BY_RECEIVER' } });
  return {
    ...world,
    at,
    run: (...kinds: readonly JobKind[]) =>
      runCounted({ ...deps, ...world.dueRun, bank, now: () => clock.now, ids, store }, [kinds]),
  };
}
