import { expect, test } from 'vitest';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { applyChargeAttempts } from '#shared/scheduled-payments/apply-state.ts';
import { attempt, attemptDay, attemptNumber } from '#test/support/bank-attempts.ts';
import { companyOne } from '#test/support/bank-world.ts';
import type { Fault } from '#test/support/faulty-store.ts';
import { faultyStore } from '#test/support/faulty-store.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { compositeBody } from '#test/support/subscription-world.ts';

const at = '2026-01-20T11:00:00.000Z';
const payer = { document: { type: 'CPF', number: '52998224725' } } as const;
const fail = { code: 'FAIL' };
const resend = { kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR', endToEndId: attemptNumber.replace(/.$/u, '2') } as const;
const attempts = [attempt(['REQUESTED', 'SCHEDULED', 'CANCELED'], fail), attempt(['REQUESTED', 'PAID'], resend)];
const history = (['CREATED', 'APPROVED', 'CANCELED'] as const).map((status) => ({ status, at }));

/**
 * What is left when the process dies at this call to the table, and a later process gets the same event again, about
 * each payment that there is.
 */
async function endAfter(dies: number, fault: Fault) {
  const world = await paymentWorld();
  world.bank.recurringCharges.prepare = () => Promise.resolve({});
  world.bank.capabilities = () => Promise.resolve({ ...allCapabilities, retryOwner: 'bank', settlementDriver: 'bank' });
  const { id } = await world.scheduled(paymentBody({ dueDate: attemptDay }));
  const subscription = await world.created(compositeBody());
  world.clock.now = '2026-01-20T12:00:00.000Z';
  let calls = 0;
  const nextFault = (): Fault => ((calls += 1) === dies ? fault : 'none');
  const context = { ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' };
  const hear = async (store = world.store): Promise<void> => {
    for (const one of [{ id }, ...(await world.all())])
      await applyChargeAttempts({ ...context, store }, one.id, { attempts });
    await applyRecurrenceState({ ...context, store }, subscription.id, { history, payer, endedBy: 'PAYER' });
  };
  await hear(faultyStore(world.store, { nextFault })).catch(() => undefined);
  await hear();
  const payments = await world.all();
  return {
    calls,
    statuses: payments.map(({ statusHistory }) => statusHistory.map(({ status }) => status)).toSorted(),
    subscription: (
      (await world.get(subscription.id)).body as { statusHistory: { status: string }[] }
    ).statusHistory.map(({ status }) => status),
    told: world
      .notified()
      .map(({ event }) => event)
      .toSorted(),
    entries: world.items('LEDGER_ENTRY').map(({ kind, available }) => [kind, available]),
    received: world.items('RECEIVED_PIX').map(({ endToEndId }) => endToEndId),
  };
}

test('bank events give the same statuses, notifications and credits when the process dies at any call to the table', async () => {
  const { calls, ...whole } = await endAfter(0, 'none');
  expect(whole).toMatchObject({
    statuses: [
      ['INITIAL', 'PENDING', 'ACCEPTED', 'CANCELED'],
      ['INITIAL', 'PENDING', 'ACCEPTED', 'COMPLETED'],
    ],
    subscription: ['INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED', 'CANCELED'],
    received: [resend.endToEndId],
  });
  for (let dies = 1; dies <= calls; dies += 1)
    for (const fault of ['before', 'after'] as const) {
      const { calls: _more, ...end } = await endAfter(dies, fault);
      expect(end, `${fault} call ${dies}`).toEqual(whole);
    }
});
