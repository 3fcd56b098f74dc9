import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { DefendDispute } from '#functions/disputes/defend/contract.ts';
import { GetDispute } from '#functions/disputes/get/contract.ts';
import { ListDisputes } from '#functions/disputes/list/contract.ts';
import { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import type { Inbox, Notification } from '@banking-order/partner-tools';
import { claimBack, decideClaim, poll } from '@banking-order/partner-tools';
import { refused } from '../support/refusals.ts';
import { DisputeNotification, verified } from './notifications.ts';
import { activeAccount, first, second, useReceiver } from './partners.ts';
import { brl, payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const accountId = activeAccount(first).id;
let events: Inbox;
beforeAll(async () => {
  events = inbox('disputes');
  await sendEverythingTo(first, events);
});

const read = async (id: string) => (await first.call(GetDispute, { params: { id } })).body;
const paid = async (value: string): Promise<string> => {
  const { id } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl(value) }) })).body;
  await first.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
  return id;
};
const opened = async (orderId: string): Promise<string> => (await claimBack(first, { orderId })).id;
const blocked = async () => (await first.call(GetBalance, { params: { accountId } })).body.blocked;
const ofDispute =
  (id: string, event: string) =>
  ({ body }: Notification): boolean => {
    const said = body as { event: string; data?: { id?: string } };
    return said.event === event && said.data?.id === id;
  };

describe('a disputed payment', () => {
  test('is blocked, defended and lost in part, each step with its notification', async () => {
    const before = await blocked();
    const orderId = await paid('50.00');
    const id = await opened(orderId);
    expect(Number(await blocked()) - Number(before)).toBe(50);
    const record = await read(id);
    expect(record).toMatchObject({ orderId, status: 'OPEN', kind: 'FRAUD', blockedAmount: brl('50.00') });
    const [told] = await events.until(ofDispute(id, 'DISPUTE.OPENED'));
    expect(verified(told!, DisputeNotification, first.webhookSecret).data).toEqual(record);
    const { defences: _defences, ...entry } = record;
    for (const query of [
      { orderId, limit: '5' },
      { status: 'OPEN', dueBefore: '2999-01-01T00:00:00.000Z', accountId, limit: '100' },
    ] as const)
      expect((await first.call(ListDisputes, { query })).body.data).toContainEqual(entry);
    refused(await first.refused(RefundPayIn, { params: { id: orderId }, body: {} }), 409, [
      'id:TRANSITION_NOT_ALLOWED',
    ]);

    const key = randomUUID();
    const ask = {
      params: { id },
      key,
      body: { text: 'It was delivered.', documents: ['https://a.example.com/1.pdf'] },
    };
    const defences = await Promise.all(Array.from({ length: 5 }, () => first.call(DefendDispute, ask)));
    expect(new Set(defences.map(({ received: { text } }) => text)).size).toBe(1);
    const { status: _atConnectedBanks, ...defence } = defences[0]!.body;
    await events.until(ofDispute(id, 'DISPUTE.DEFENDED'));
    expect(await read(id)).toMatchObject({ status: 'DEFENDED', defences: [defence] });
    refused(await first.refused(DefendDispute, { params: { id }, body: { text: 'Again.' } }), 409, [
      'id:TRANSITION_NOT_ALLOWED',
    ]);

    await decideClaim(first, { id, status: 'ACCEPTED', amount: brl('20.00') });
    expect(await read(id)).toMatchObject({ status: 'ACCEPTED', returnedAmount: brl('20.00') });
    expect((await first.call(GetPayIn, { params: { id: orderId } })).body).toMatchObject({
      ...{ status: 'PAID', refundedAmount: brl('20.00') },
    });
    expect(await blocked()).toBe(before);
    const [accepted] = await events.until(ofDispute(id, 'DISPUTE.ACCEPTED'));
    expect(verified(accepted!, DisputeNotification, first.webhookSecret).data).toEqual(await read(id));
    const { data } = (await first.call(ListEntries, { params: { accountId }, query: { orderId } })).body;
    expect(data.map(({ type, available, blocked: part }) => [type, available, part])).toEqual([
      ['MED_RETURNED', '30.00', '-50.00'],
      ['MED_BLOCKED', '-50.00', '50.00'],
      ['PAY_IN', '50.00', '0.00'],
    ]);
  });

  test('is opened once when its payer claims it five times concurrently', async () => {
    const orderId = await paid('5.00');
    const asked = Array.from({ length: 5 }, () =>
      first.answer(ForceDisputeStatus, { body: { orderId, status: 'OPEN' } }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409]);
    const open = async () => (await first.call(ListDisputes, { query: { orderId } })).body.data.length;
    expect(await poll(open, (count) => count > 0, 150_000, 1000)).toBe(1);
    const [dispute] = (await first.call(ListDisputes, { query: { orderId } })).body.data;
    await decideClaim(first, { id: dispute!.id, status: 'REJECTED' });
    refused(await first.refused(ForceDisputeStatus, { body: { orderId, status: 'REJECTED' } }), 409, [
      'status:TRANSITION_NOT_ALLOWED',
    ]);
  });
});

test('a dispute that is unknown, or another company’s, is 404', async () => {
  const id = await opened(await paid('2.00'));
  for (const [partner, named] of [
    [first, randomUUID()],
    [second, id],
  ] as const) {
    refused(await partner.refused(GetDispute, { params: { id: named } }), 404, []);
    refused(await partner.refused(DefendDispute, { params: { id: named }, body: { text: 'x' } }), 404, []);
    refused(await partner.refused(ForceDisputeStatus, { body: { id: named, status: 'CANCELED' } }), 404, []);
  }
  await decideClaim(first, { id, status: 'CANCELED' });
});

test('a request about disputes is refused with each invalid field named', async () => {
  const params = { id: randomUUID() };
  refused(await first.refused(GetDispute, { params: { id: 'x' } }), 400, ['id:INVALID_FORMAT']);
  refused(await first.refused(ListDisputes, { query: { status: 'LOST', dueBefore: 'soon' } }), 400, [
    ...['status:INVALID_VALUE', 'dueBefore:INVALID_FORMAT'],
  ]);
  const body = { text: '', documents: ['http://a.example.com'] };
  refused(await first.refused(DefendDispute, { params, body }), 400, [
    ...['text:TOO_SHORT', 'documents.0:INVALID_FORMAT'],
  ]);
  const both = { orderId: params.id, creditId: params.id, status: 'OPEN' } as const;
  refused(await first.refused(ForceDisputeStatus, { body: both }), 400, [
    ...['orderId:MUTUALLY_EXCLUSIVE', 'creditId:MUTUALLY_EXCLUSIVE'],
  ]);
  const named = { id: params.id, status: 'CANCELED', amount: brl('1.00') } as const;
  refused(await first.refused(ForceDisputeStatus, { body: named }), 400, ['amount:INVALID_VALUE']);
});
