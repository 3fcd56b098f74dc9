import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { readResponse, readError } from '@banking-order/partner-tools';
import { balanceOf, difference } from './money.ts';
import { activeAccount, first } from './partners.ts';
import { brl, payout } from './samples.ts';
import { refused } from '../support/refusals.ts';

const { id: accountId } = activeAccount(first);
const simulate = (value: string) => ({ headers: { 'x-simulate': value } });

/** A payout of R$ 7.31, not made yet. */
function newPayout() {
  return { key: randomUUID(), body: payout(accountId, { amount: brl('7.31') }) };
}

test('a payout whose response is lost is created once: the same key then gets the first response', async () => {
  const ask = newPayout();
  const before = await balanceOf(first, accountId);
  const lost = readError(await first.answer(CreatePayout, { ...ask, ...simulate('lost-reply') }));
  refused(lost, 504);
  expect(lost.received.headers['retry-after']).toBe('1');
  const again = await first.call(CreatePayout, ask);
  expect(again.received.headers['idempotent-replayed']).toBe('true');
  await first.call(CreatePayout, ask);
  expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -731, reserved: 731 });
});

test('x-simulate unavailable and too-many-requests refuse a payout before it has any effect', async () => {
  const ask = newPayout();
  const before = await balanceOf(first, accountId);
  const unavailable = readError(await first.answer(CreatePayout, { ...ask, ...simulate('unavailable') }));
  refused(unavailable, 503);
  expect(unavailable.received.headers['retry-after']).toBe('1');
  const fast = readError(await first.answer(CreatePayout, { ...ask, ...simulate('too-many-requests') }));
  refused(fast, 429);
  expect(fast.received.headers['retry-after']).toBe('1');
  expect(await balanceOf(first, accountId)).toEqual(before);
  const created = await first.call(CreatePayout, ask);
  expect(created.received.headers['idempotent-replayed']).toBeUndefined();
});

test('x-simulate slow=N delays the response, and tools and reads accept the header too', async () => {
  const { body } = await first.call(CreatePayout, newPayout());
  const started = performance.now();
  const slow = await first.answer(GetPayout, { params: { id: body.id }, ...simulate('slow=300') });
  expect(readResponse(GetPayout, slow, 'CLOSED').body.id).toBe(body.id);
  expect(performance.now() - started).toBeGreaterThan(295);
  const force = { body: { id: body.id, status: 'PAID' } };
  const lost = await first.answer(ForceOrderStatus, { ...force, ...simulate('lost-reply') });
  expect([lost.status, JSON.parse(lost.text)]).toEqual([504, [expect.stringContaining('read the resource')]]);
  expect((await first.call(GetPayout, { params: { id: body.id } })).body.status).toBe('PAID');
});

test('a payout is refused with 400 on the header when x-simulate has an unknown value', async () => {
  refused(await first.refused(CreatePayout, { ...newPayout(), ...simulate('explode') }), 400, [
    'x-simulate:INVALID_VALUE',
  ]);
});

test('x-simulate comes before the check of the request: an invalid payout loses its response or gets 503, too', async () => {
  const ask = { ...newPayout(), body: payout(accountId, { amount: brl('0.00') }) };
  refused(readError(await first.answer(CreatePayout, { ...ask, ...simulate('lost-reply') })), 504);
  refused(readError(await first.answer(CreatePayout, { ...ask, ...simulate('unavailable') })), 503);
  refused(await first.refused(CreatePayout, ask), 400, ['amount.value:INVALID_FORMAT']);
});
