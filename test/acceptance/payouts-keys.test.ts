import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { activeAccount, first } from './partners.ts';
import { brl, payout } from './samples.ts';

const accountId = activeAccount(first).id;

test('twenty equal requests at once make one payout, reserve once and get twenty equal answers', async () => {
  const before = await balanceOf(first, accountId);
  const ask = { key: randomUUID(), body: payout(accountId) };
  const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(CreatePayout, ask)));
  expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
  expect(responses.filter(({ received }) => received.headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
  expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -725, reserved: 725 });
});

test.each([
  ['a single payout', '7.25'],
  ['a batch', '45000.01'],
])('%s gets its first response again, byte for byte, when it is repeated after it was paid', async (_what, value) => {
  const ask = { key: randomUUID(), body: payout(accountId, { amount: brl(value) }) };
  const once = await first.call(CreatePayout, ask);
  await first.call(ForceOrderStatus, { body: { id: once.body.id, status: 'PAID' } });
  const again = await first.call(CreatePayout, { ...ask, body: { ...ask.body, amount: brl(value) } });
  expect(again.received.text).toBe(once.received.text);
  expect(again.received.headers['idempotent-replayed']).toBe('true');
});

test('a key used for another payout is refused with 422, even if only the amount differs', async () => {
  const ask = { key: randomUUID(), body: payout(accountId) };
  await first.call(CreatePayout, ask);
  const before = await balanceOf(first, accountId);
  refused(await first.refused(CreatePayout, { ...ask, body: { ...ask.body, amount: brl('7.26') } }), 422, [
    'idempotency-key:IDEMPOTENCY_KEY_REUSED',
  ]);
  expect(await balanceOf(first, accountId)).toEqual(before);
});

test('a payout that the balance did not allow may succeed later under the same key', async () => {
  const key = randomUUID();
  const body = payout(accountId);
  const { available } = await balanceOf(first, accountId);
  // A TED is never split, so that the amount alone decides.
  const tooMuch = { ...body, amount: brl(((available + 1) / 100).toFixed(2)) };
  refused(await first.refused(CreatePayout, { key, body: tooMuch }), 409);
  const { received } = await first.call(CreatePayout, { key, body });
  expect(received.headers).not.toHaveProperty('idempotent-replayed');
});

test('payouts that race for the last money never overdraw the account', async (context) => {
  needs(context, 'simulated-bank', 'the second account, whose money others do not need, has no bank here');
  const poor = first.accounts.filter(({ status }) => status === 'ACTIVE')[1] ?? activeAccount(first);
  const { available } = await balanceOf(first, poor.id);
  const share = Math.floor(available / 3);
  const attempts = await Promise.all(
    Array.from({ length: 8 }, () =>
      first.answer(CreatePayout, { body: payout(poor.id, { amount: brl((share / 100).toFixed(2)) }) }),
    ),
  );
  const createdCount = attempts.filter(({ status }) => status === 201).length;
  expect(attempts.every(({ status }) => [201, 409, 503].includes(status))).toBe(true);
  const after = await balanceOf(first, poor.id);
  expect(after.available).toBe(available - createdCount * share);
  expect(after.available).toBeGreaterThanOrEqual(0);
  expect(createdCount).toBeGreaterThan(0);
  expect(createdCount).toBeLessThanOrEqual(3);
});
