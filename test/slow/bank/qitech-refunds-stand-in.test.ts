import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { capabilities } from '#shared/bank/dialects/qitech/capabilities.ts';
import { qitechReader } from '#shared/bank/dialects/qitech/reader.ts';
import { withHyphens } from '#shared/core/identifiers.ts';
import { qitechRefunds } from '#shared/bank/dialects/qitech/refunds.ts';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { RefundOrder, RefundState } from '#shared/bank/ports/refunds.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { context } from '#test/bank/bank-orders.ts';
import { useStandIn } from './qitech-stand-in.ts';

/*
 * Refunds of the dialect at the stand-in of the bank. What the pages leave open is a setting of the stand-in, and no
 * value of it may lose or double a refund.
 */

const used = useStandIn();
const { control } = used;
const refunds = () => checkedRefunds(qitechRefunds(used.connected));
const reader = () => qitechReader(used.connected);

/** Receives a Pix of 147 reais, and orders a part of it back. */
async function orderOf(amount = 4790): Promise<RefundOrder> {
  const [pix] = (await control('pay', { amount: 14_700 })) as readonly { readonly end_to_end_id: string }[];
  return part(pix?.end_to_end_id ?? '', amount);
}
const part = (endToEndId: string, amount: number): RefundOrder => ({
  ...{ reference: randomUUID().replaceAll('-', ''), endToEndId, amount: centavos(amount), description: 'Troca' },
});
const controlKey = ({ reference }: RefundOrder): string => withHyphens(reference);

/** The first try, for a caller who waits. */
const submitFirst = (order: RefundOrder) => submitOnce(refunds(), order, context, { again: false, whenUnknown: 'ASK' });
/** A later try of the worker. */
const submitAgain = (order: RefundOrder, isAllowed = false) => {
  const again = { repetition: capabilities.repetition.refund, mayRepeat: () => Promise.resolve(isAllowed) };
  return submitOnce(refunds(), order, context, { again, whenUnknown: 'ASK' });
};
/** Submits, and again while the outcome is not known, at most five times. */
async function submitUntilKnown(order: RefundOrder): Promise<FoundCommand<RefundState>> {
  let outcome = await submitFirst(order);
  for (let tries = 0; tries < 5 && outcome.outcome === 'UNKNOWN'; tries += 1) outcome = await submitAgain(order);
  return outcome;
}

type Booked = {
  readonly request_control_key: string;
  readonly amount: number;
  readonly reversal_status: string;
  readonly end_to_end_id: string;
};
/** The refunds of an order by the books of the bank. */
async function booked(order: RefundOrder): Promise<readonly Booked[]> {
  const { reversals } = (await control('state')) as { readonly reversals: readonly Booked[] };
  return reversals.filter((reversal) => reversal.request_control_key === controlKey(order));
}
const settle = (order: RefundOrder, status: 'sent' | 'rejected') =>
  control('settle-reversal', { request_control_key: controlKey(order), status });
const statusOf = (found: FoundCommand<RefundState>) => (found.outcome === 'DONE' ? found.state.status : found.outcome);
/** The list of received Pix, as the worker reads it. */
async function listed({ endToEndId }: RefundOrder) {
  const day = 86_400_000;
  const [from = '', to = ''] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
  const { items, pages } = await reader().listReceived(from, to, 0);
  const rest = Array.from({ length: pages - 1 }, (_, page) => reader().listReceived(from, to, page + 1));
  const all = [...items, ...(await Promise.all(rest)).flatMap((page) => page.items)];
  return all.find((pix) => pix.endToEndId === endToEndId);
}

const settings = (['SENT', 'PENDING'] as const).flatMap((reversalAnswer) =>
  (['transaction_amount', 'transfer_amount'] as const).flatMap((reversalAmount) =>
    (['OWN', 'PAYMENT'] as const).flatMap((reversalEndToEndId) =>
      (['REFUSED', 'FIRST_ANSWER', 'PAID_AGAIN'] as const).map((repeatedKey) => ({
        ...{ reversalAnswer, reversalAmount, reversalEndToEndId, repeatedKey },
      })),
    ),
  ),
);
const faults = ['LOSE_ANSWER', 'ERROR_AFTER', 'GARBLE', 'OTHER_THING', 'NEW_VALUE'] as const;

describe.each(settings)('at a bank that answers %j', (setting) => {
  beforeEach(() => control('settings', setting));
  const end = async (order: RefundOrder): Promise<void> => {
    if (setting.reversalAnswer === 'PENDING') await settle(order, 'sent');
  };

  test('a refund is carried out once, ends when the bank decides, and is named by the list of received Pix', async () => {
    const order = await orderOf();
    const status = statusOf(await submitFirst(order));
    const isKnown = setting.reversalAnswer === 'SENT' && setting.reversalEndToEndId === 'OWN';
    expect(status).toBe(isKnown ? 'SETTLED' : 'PENDING');
    await end(order);
    const [own, ...others] = await booked(order);
    expect([own?.amount, others]).toEqual([order.amount, []]);
    const found = await refunds().find(order, context);
    expect(found).toMatchObject({ outcome: 'DONE', state: { status: 'SETTLED', returnId: own?.end_to_end_id } });
    expect(await submitAgain(order, true)).toEqual(found);
    expect(await booked(order)).toHaveLength(1);
    const { reference: id, amount, endToEndId } = order;
    expect(await listed(order)).toMatchObject({ returns: [{ id, amount, returnId: own?.end_to_end_id }] });
    expect(await reader().readRefund(endToEndId, { id, amount })).toMatchObject({ status: 'SETTLED' });
    expect([used.misled, used.unknown]).toEqual([[], []]);
  });

  test.each(faults)('a refund is carried out once when its answer is lost by %s', async (fault) => {
    const order = await orderOf();
    const id = fault === 'NEW_VALUE' ? { id: controlKey(order) } : {};
    await control('fault', { fault, method: 'POST', times: 1, ...id });
    const outcome = await submitUntilKnown(order);
    const status = setting.reversalAnswer === 'SENT' ? 'SETTLED' : 'PENDING';
    const [own] = await booked(order);
    expect(outcome).toMatchObject({ outcome: 'DONE', state: { status, returnId: own?.end_to_end_id } });
    await end(order);
    expect(statusOf(await submitAgain(order, true))).toBe('SETTLED');
    expect(await booked(order)).toHaveLength(1);
  });

  test('a refund that the bank never got waits for a person, and is then sent once', async () => {
    const order = await orderOf();
    await control('fault', { fault: 'LOSE_REQUEST', method: 'POST', times: 1 });
    expect(statusOf(await submitUntilKnown(order))).toBe('UNKNOWN');
    expect(await booked(order)).toEqual([]);
    expect(['PENDING', 'SETTLED']).toContain(statusOf(await submitAgain(order, true)));
    expect(await booked(order)).toHaveLength(1);
  });

  test('a refund whose answer and look-ups are lost is not sent again', async () => {
    const order = await orderOf();
    await control('fault', { fault: 'LOSE_ANSWER', method: 'POST', times: 1 });
    await submitOnce(refunds(), order, context, { again: false, whenUnknown: 'LEAVE' });
    await control('fault', { fault: 'GARBLE', method: 'GET' });
    for (let tries = 0; tries < 3; tries += 1) expect(statusOf(await submitAgain(order, true))).toBe('UNKNOWN');
    await control('clear-faults');
    expect(await booked(order)).toHaveLength(1);
    await end(order);
    expect(statusOf(await submitAgain(order, true))).toBe('SETTLED');
    expect(await booked(order)).toHaveLength(1);
  });
});

test('a refund that is rejected is never taken for settled, and its money is back at the bank', async () => {
  const order = await orderOf();
  const before = await reader().balance();
  expect(statusOf(await submitFirst(order))).toBe('PENDING');
  expect(await reader().balance()).toBe(before - order.amount);
  await settle(order, 'rejected');
  // The bank does not show it any more: a look-up cannot tell it from one that never came.
  expect(statusOf(await refunds().find(order, context))).toBe('NEVER_SEEN');
  expect(await reader().balance()).toBe(before);
  expect(await listed(order)).toMatchObject({ returns: [] });
});

test('a rejected refund is not sent again without a person, whatever a used key is answered', async () => {
  for (const repeatedKey of ['REFUSED', 'FIRST_ANSWER', 'PAID_AGAIN']) {
    await control('settings', { repeatedKey });
    const order = await orderOf();
    await submitFirst(order);
    await settle(order, 'rejected');
    for (let tries = 0; tries < 3; tries += 1) expect(statusOf(await submitAgain(order))).toBe('UNKNOWN');
    expect(await booked(order)).toMatchObject([{ reversal_status: 'rejected' }]);
  }
});

test('parts of a Pix are found each by its key, and a part above what is left is refused', async () => {
  const whole = await orderOf(10_000);
  const [same, rest] = [part(whole.endToEndId, 2350), part(whole.endToEndId, 2350)];
  for (const order of [whole, same, rest]) {
    expect(statusOf(await submitUntilKnown(order))).toBe('PENDING');
    await settle(order, 'sent');
  }
  const above = part(whole.endToEndId, 1);
  expect(statusOf(await submitUntilKnown(above))).toBe('REFUSED');
  expect(await booked(above)).toEqual([]);
  const returns = [whole, same, rest].map(({ reference: id, amount }) => ({ id, amount }));
  expect(await listed(whole)).toMatchObject({ returns });
  for (const order of [whole, same, rest]) {
    const [own] = await booked(order);
    const state = { status: 'SETTLED', returnId: own?.end_to_end_id };
    expect(await refunds().find(order, context)).toMatchObject({ outcome: 'DONE', state });
  }
});

test('a refund of a Pix that the bank does not have, or does not show now, is NOT_NOW, and is not carried out', async () => {
  const unknown = part('E00000000202601011200abcdefghijk', 100);
  expect(statusOf(await submitUntilKnown(unknown))).toBe('NOT_NOW');
  const order = await orderOf();
  await control('fault', { fault: 'OTHER_THING', method: 'GET' });
  expect(statusOf(await submitFirst(order))).toBe('NOT_NOW');
  expect(used.misled).not.toEqual([]);
  await control('clear-faults');
  expect([...(await booked(unknown)), ...(await booked(order))]).toEqual([]);
  expect(statusOf(await submitFirst(order))).toBe('PENDING');
});

test('a refund that is shown late is carried out once, while no person repeats it', async () => {
  const order = await orderOf();
  // The Pix is older than what the bank shows, the refund is not.
  await new Promise((resolve) => setTimeout(resolve, 5100));
  await control('fault', { fault: 'LOSE_ANSWER', method: 'POST', times: 1 });
  await control('fault', { fault: 'LAG', method: 'GET', ms: 5000 });
  expect(statusOf(await submitFirst(order))).toBe('UNKNOWN');
  await control('clear-faults');
  expect(statusOf(await submitAgain(order))).toBe('PENDING');
  expect(await booked(order)).toHaveLength(1);
});
