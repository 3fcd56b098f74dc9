import { describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { activeAccount, eventually, first, prepareOnce, second } from './partners.ts';
import { brl, journey2, journey3, payIn, payout, scheduledPayment } from './samples.ts';
import { refused } from '../support/refusals.ts';

type Query = Readonly<Record<string, string>>;
type List = typeof ListPayIns | typeof ListPayouts | typeof ListSubscriptions;

const accountId = activeAccount(first).id;

async function walk(list: List, query: Query, partner: Partner = first) {
  const data: { readonly id: string; readonly createdAt: string }[] = [];
  let cursor: string | null = null;
  do {
    const page: Query = { ...query, ...(cursor !== null && { cursor }) };
    const { body } = await partner.call(list, { query: page });
    data.push(...body.data);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return data;
}

const idsOf = async (list: List, query: Query, partner = first) =>
  (await walk(list, query, partner)).map(({ id }) => id);
const force = (id: string, status: 'PAID' | 'ERROR') => first.call(ForceOrderStatus, { body: { id, status } });

describe.each([
  ['pay-ins', ListPayIns, () => first.call(CreatePayIn, { body: payIn(accountId) })],
  ['payouts', ListPayouts, () => first.call(CreatePayout, { body: payout(accountId) })],
  ['subscriptions', ListSubscriptions, () => first.call(CreateSubscription, { body: journey2(accountId) })],
] as const)('the list of %s', (_what, list, make) => {
  const createdIds: string[] = [];
  prepareOnce(async () => {
    for (let count = 0; count < 3; count += 1) createdIds.push((await make()).body.id);
  });

  test('contains created records, newest first, in pages of every length, and in ascending order', async () => {
    const all = await eventually(
      () => idsOf(list, { limit: '100' }),
      (ids) => createdIds.every((id) => ids.includes(id)),
    );
    expect(all.filter((id) => createdIds.includes(id))).toEqual(createdIds.toReversed());
    expect(new Set(all).size).toBe(all.length);
    const short = await walk(list, { limit: '7', sort: 'asc' });
    expect(short.map(({ id }) => id)).toEqual(all.toReversed());
    const { body } = await first.call(list, { query: { limit: '1' } });
    expect([body.data.length, body.hasNext]).toEqual([1, true]);
  });

  test('is filtered by account, and contains no record of another company', async () => {
    expect(await idsOf(list, { accountId })).toEqual(expect.arrayContaining(createdIds));
    expect(await idsOf(list, { accountId: activeAccount(second).id })).toEqual([]);
    const theirs = await idsOf(list, { limit: '100' }, second);
    expect(theirs.filter((id) => createdIds.includes(id))).toEqual([]);
    expect(await idsOf(list, { accountId }, second)).toEqual([]);
  });

  test('takes a cursor of its own company and filters alone', async () => {
    const { body } = await first.call(list, { query: { limit: '1' } });
    const cursor = body.nextCursor ?? '';
    const wrong = ['cursor:INVALID_VALUE'];
    refused(await second.refused(list, { query: { limit: '1', cursor } }), 400, wrong);
    refused(await first.refused(list, { query: { limit: '1', accountId, cursor } }), 400, wrong);
    refused(await first.refused(list, { query: { limit: '1', sort: 'asc', cursor } }), 400, wrong);
    refused(await first.refused(list, { query: { limit: '1', cursor: `${cursor}A` } }), 400, wrong);
  });
});

test('a payout is found by its status, its external id and the end-to-end id of any of its payments', async () => {
  const amount = brl('40000.00');
  const { body: batch } = await first.call(CreatePayout, { body: payout(accountId, { amount }) });
  const endToEndIds = batch.batch?.transactions.map(({ endToEndId = '' }) => endToEndId) ?? [];
  expect(new Set(endToEndIds).size).toBe(3);
  for (const endToEndId of [batch.endToEndId ?? '', ...endToEndIds])
    expect(await idsOf(ListPayouts, { endToEndId })).toEqual([batch.id]);
  expect(await idsOf(ListPayouts, { endToEndId: endToEndIds[0] ?? '' }, second)).toEqual([]);
  expect(await idsOf(ListPayouts, { endToEndId: (endToEndIds[0] ?? '').replace(/..$/u, '99') })).toEqual([]);
  expect(await idsOf(ListPayouts, { externalId: batch.externalId })).toEqual([batch.id]);
  expect(await idsOf(ListPayouts, { externalId: batch.externalId, status: 'PAID' })).toEqual([]);
  expect(await idsOf(ListPayouts, { status: 'PENDING', accountId })).toContain(batch.id);
  await force(batch.id, 'ERROR');
  const failed = () => idsOf(ListPayouts, { status: 'ERROR', limit: '100' });
  expect(await eventually(failed, (ids) => ids.includes(batch.id))).toContain(batch.id);
  expect(await idsOf(ListPayouts, { status: 'PENDING' })).not.toContain(batch.id);
  const { body } = await first.call(ListPayouts, { query: { externalId: batch.externalId } });
  expect(body.data).toEqual([(await first.call(GetPayout, { params: { id: batch.id } })).body]);
});

test('a pay-in is found by its status, its external id, its end-to-end id and its time', async () => {
  const { body: created } = await first.call(CreatePayIn, { body: payIn(accountId) });
  expect(await idsOf(ListPayIns, { status: 'PENDING', limit: '100' })).toContain(created.id);
  await force(created.id, 'PAID');
  const { body: paid } = await first.call(GetPayIn, { params: { id: created.id } });
  const endToEndId = paid.endToEndId ?? '';
  const found = await eventually(
    () => idsOf(ListPayIns, { endToEndId }),
    (ids) => ids.length > 0,
  );
  expect(found).toEqual([created.id]);
  expect(await idsOf(ListPayIns, { endToEndId }, second)).toEqual([]);
  expect(await idsOf(ListPayIns, { status: 'PAID', limit: '100' })).toContain(created.id);
  const times = {
    createdFrom: created.createdAt,
    createdTo: new Date(Date.parse(created.createdAt) + 1).toISOString(),
  };
  expect(await idsOf(ListPayIns, times)).toContain(created.id);
  expect(await idsOf(ListPayIns, { createdTo: created.createdAt, limit: '100' })).not.toContain(created.id);
  const { body } = await first.call(ListPayIns, { query: { externalId: created.externalId } });
  const { qrcodeImageBase64: _image, ...entry } = paid;
  expect(body.data).toEqual([entry]);
});

test('a settled scheduled payment is listed as a pay-in; its subscription is found by status and external id', async () => {
  const { body: created } = await first.call(CreateSubscription, { body: journey3(accountId) });
  await first.call(ForceSubscriptionStatus, { body: { id: created.id, status: 'ACCEPTED' } });
  const params = { id: created.id };
  const { body: charge } = await first.call(CreateScheduledPayment, { params, body: scheduledPayment() });
  for (const status of ['ACCEPTED', 'COMPLETED'] as const)
    await first.call(ForceScheduledPaymentStatus, { body: { id: charge.id, status } });
  const { body: paid } = await first.call(GetScheduledPayment, { params: { ...params, paymentId: charge.id } });
  const settled = await eventually(
    () => idsOf(ListPayIns, { endToEndId: paid.endToEndId ?? '' }),
    (ids) => ids.length > 0,
  );
  expect(settled).toHaveLength(1);
  const all = await idsOf(ListPayIns, { limit: '100' });
  expect(all).toEqual(expect.arrayContaining([...settled, created.initialCharge?.orderId]));
  const accepted = () => idsOf(ListSubscriptions, { status: 'ACCEPTED', limit: '100' });
  expect(await eventually(accepted, (ids) => ids.includes(created.id))).toContain(created.id);
  await first.call(CancelSubscription, { params, body: { reason: 'REQUESTED_BY_RECEIVER' } });
  const { body } = await first.call(ListSubscriptions, { query: { externalId: created.externalId } });
  const { body: record } = await first.call(GetSubscription, { params });
  const { imageBase64: _image, ...qrcodeDetail } = record.qrcodeDetail;
  expect(body.data).toEqual([{ ...record, qrcodeDetail }]);
  expect(body.data[0]?.cancellations).toHaveLength(1);
});

test.each([
  [ListPayIns, { status: 'PARTIALLY_PAID' }, 'status', 'INVALID_VALUE'],
  [ListPayouts, { status: 'EXPIRED' }, 'status', 'INVALID_VALUE'],
  [ListPayouts, { accountId: 'mine' }, 'accountId', 'INVALID_FORMAT'],
  [ListPayouts, { createdFrom: '2026-01-15' }, 'createdFrom', 'INVALID_FORMAT'],
  [ListSubscriptions, { endToEndId: 'E' }, 'endToEndId', 'UNKNOWN_FIELD'],
  [ListSubscriptions, { limit: '1000' }, 'limit', 'OUT_OF_RANGE'],
] as const)('%# is refused with %j', async (list, query, field, issue) => {
  refused(await first.refused(list, { query }), 400, [`${field}:${issue}`]);
});
