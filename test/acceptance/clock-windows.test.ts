import { afterAll, beforeAll, expect, test } from 'vitest';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { refused } from '../support/refusals.ts';
import { clockOf } from './clocks.ts';
import { environment, turned, useReceiver } from './partners.ts';
import { scheduledPayment } from './samples.ts';
import { force, listCharges, schedule, subscription } from './turned-charges.ts';

const inbox = useReceiver();
const clock = clockOf(turned);
beforeAll(async () => {
  await clock.reset();
  await clock.to('2032-02-11', '12:00');
});
afterAll(clock.reset);

test('a charge for the day itself is taken at 20:59, from 21:00 on it is too late', async () => {
  const day = '2032-02-12';
  const [id, otherId] = [await subscription(day, inbox()), await subscription(day, inbox())];
  await clock.to(day, '20:59');
  expect(await schedule(id, { dueDate: day })).toMatchObject({ status: 'PENDING', settlementDate: day });
  await clock.to(day, '21:00');
  const ask = { params: { id: otherId }, body: scheduledPayment({ dueDate: day }) };
  const late = await turned.refused(CreateScheduledPayment, ask);
  refused(late, 409, ['dueDate:OUTSIDE_WINDOW']);
});

test('a cancellation at 21:59 of the eve is taken, one at 22:01 is too late', async () => {
  const [eve, day] = ['2032-03-09', '2032-03-10'];
  const [id, otherId] = [await subscription(day, inbox()), await subscription(day, inbox())];
  const [one, other] = [await schedule(id, { dueDate: day }), await schedule(otherId, { dueDate: day })];
  const ask = (subscriptionId: string, paymentId: string) => ({ params: { id: subscriptionId, paymentId }, body: {} });
  await clock.to(eve, '21:59');
  const { status, body } = await turned.call(CancelScheduledPayment, ask(id, one.id));
  expect([status, body.status]).toEqual([201, 'PENDING']);
  await clock.to(eve, '22:01');
  const late = await turned.refused(CancelScheduledPayment, ask(otherId, other.id));
  refused(late, 409, ['paymentId:OUTSIDE_WINDOW']);
  // API Pix cancels immediately.
  if (environment.turned === undefined) await force(one.id, 'CANCELED');
  expect(await listCharges(id)).toMatchObject([{ status: 'CANCELED', cancellation: { status: 'ACCEPTED' } }]);
});
