import { expect, test } from 'vitest';
import type { Contract } from '#shared/contract/contract.ts';
import type { Partner } from '#partner-tools/api/client.ts';
import { triggers, variants, wordFor } from '#partner-tools/trigger/triggers.ts';
import { chargeCancellationEvents, scheduledPaymentEvents } from '#shared/scheduled-payments/states.ts';
import { subscriptionEvents } from '#shared/subscriptions/states.ts';
import { notifiedPayInStatuses } from '#shared/pay-ins/model.ts';
import { notifiedPayoutStatuses } from '#shared/payouts/model.ts';
import { CreditNotification, CreditReturnNotification, DisputeNotification } from '#shared/webhooks/notification.ts';
import { account, bankWorld, companyOne } from '#test/support/bank-world.ts';

/** No tool causes it: the service says it by itself, at a creation. */
const notCaused = ['SUBSCRIPTION.ERROR'];

test('every event that the simulation tools can cause has a word', () => {
  const events = [
    ...notifiedPayInStatuses.map((status) => `ORDER-PAYIN.${status}`),
    ...[
      'ORDER-PAYIN.REFUNDED',
      'ORDER-PAYIN.REFUND_FAILED',
      ...notifiedPayoutStatuses.map((status) => `ORDER-PAYOUT.${status}`),
    ],
    ...[...CreditNotification.shape.event.options, ...CreditReturnNotification.shape.event.options],
    ...DisputeNotification.shape.event.options,
    ...[...subscriptionEvents, ...scheduledPaymentEvents, ...chargeCancellationEvents],
  ];
  expect(Object.keys(triggers).toSorted()).toEqual(events.filter((one) => !notCaused.includes(one)).toSorted());
  expect(wordFor('ORDER-PAYIN.PAID')).toBe('payin.paid');
  expect(wordFor('SUBSCRIPTION.CANCELLATION.REJECTED')).toBe('subscription.cancellation.rejected');
});

/** Orders of a world of their own, as a trigger makes and moves them. */
async function making(amount: string) {
  const world = bankWorld();
  await world.openAccount(100_000_00);
  const operations: Readonly<Record<string, (call: never) => Promise<{ readonly body: unknown }>>> = {
    ...{ createPayIn: world.createPayIn, refundPayIn: world.refundPayIn, createPayout: world.createPayout },
    ...{ receiveCredit: world.receiveCredit, returnCredit: world.returnCredit },
    ...{ forceDisputeStatus: world.forceDispute, defendDispute: world.defendDispute, getDispute: world.getDispute },
    forceOrderStatus: ({ body: { id, status } }: { body: { id: string; status: string } }) => world.force(id, status),
  };
  const call = async ({ operationId }: Contract, parts: object) =>
    operations[operationId]?.({ companyId: companyOne, key: world.ids.uuid(), ...parts } as never);
  const partner = { call } as unknown as Partner;
  const to = 'supplier.11144477735@example.com';
  return { world, with: { partner, accountId: account, amount, to, webhookUrl: () => Promise.resolve('') } };
}

test('a refund that the bank refuses is caused by its word, and the pay-in stays paid', async () => {
  const { world, with: means } = await making('29.90');
  const id = await triggers['ORDER-PAYIN.REFUND_FAILED']?.(means);
  const [notification] = world.notifications().filter(({ event }) => event === 'ORDER-PAYIN.REFUND_FAILED');
  expect(notification).toMatchObject({ id, status: 'FAILED' });
  expect((await world.getPayIn({ companyId: companyOne, params: { id: id! } })).body).toMatchObject({ status: 'PAID' });
});

test('money comes that no pay-in expects, and goes back whole or not at all, by the words of these events', async () => {
  const { world, with: means } = await making('29.90');
  const received = await triggers['CREDIT.RECEIVED']?.(means);
  const returned = await triggers['CREDIT.RETURNED']?.(means);
  const kept = await triggers['CREDIT.RETURN_FAILED']?.(means);
  const amount = { currency: 'BRL', value: '29.90' };
  expect(world.notifications()).toMatchObject([
    { event: 'CREDIT.RECEIVED', data: { id: received, amount, reason: 'NO_CHARGE', status: 'OPEN' } },
    { event: 'CREDIT.RECEIVED', data: { id: returned } },
    { event: 'CREDIT.RETURNED', data: { credit: { id: returned, status: 'RETURNED' }, return: { amount } } },
    { event: 'CREDIT.RECEIVED', data: { id: kept } },
    { event: 'CREDIT.RETURN_FAILED', data: { credit: { id: kept, status: 'OPEN' }, return: { amount } } },
  ]);
});

test('a payer claims a payment back, and the claim is defended, accepted, rejected or withdrawn, by the words of these events', async () => {
  const { world, with: means } = await making('29.90');
  const ended = ['DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'] as const;
  const ids = [await triggers['DISPUTE.OPENED']?.(means)];
  for (const status of ended) ids.push(await triggers[`DISPUTE.${status}`]?.(means));
  const told = world
    .notifications()
    .flatMap(({ event, data }) => (String(event).startsWith('DISPUTE.') ? [[event, (data as { id: string }).id]] : []));
  expect(told).toEqual([
    ['DISPUTE.OPENED', ids[0]],
    ...ended.flatMap((status, place) => [
      ['DISPUTE.OPENED', ids[place + 1]],
      [`DISPUTE.${status}`, ids[place + 1]],
    ]),
  ]);
});

test('the trigger payout.partially_paid pays a batch in part, at its default amount when none is given', async () => {
  const { event, trigger, amount } = variants['payout.partially_paid']!;
  const { world, with: means } = await making(amount);
  const id = await trigger(means);
  expect(world.notifications()).toMatchObject([
    { event, id, status: 'ERROR', batch: { paidAmount: '15000.00', paidCount: 1, failedCount: 1 } },
  ]);
});

test('a batch that is paid in part needs an amount that is split: what was made of another one is canceled', async () => {
  const { world, with: means } = await making('29.90');
  await expect(variants['payout.partially_paid']!.trigger(means)).rejects.toThrow('is one payment');
  expect(world.notifications()).toMatchObject([{ event: 'ORDER-PAYOUT.CANCELED' }]);
});
