import { describe, expect, test } from 'vitest';
import { GetPayIn, example } from '#functions/pay-ins/get/contract.ts';
import { GetPayout, example as payoutExample } from '#functions/payouts/get/contract.ts';
import { ListEntries, example as entriesExample } from '#functions/accounts/list-entries/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { readBody } from '#partner-tools/api/growth.ts';
import { readError, readResponse } from '#partner-tools/api/responses.ts';
import { PayInNotification } from '#shared/webhooks/notification.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';

const headers = {
  'x-request-id': '0d9c8b7a-6f5e-4d3c-8b2a-190817263544',
  ...{ 'content-type': 'application/json', 'cache-control': 'no-store' },
};
const received = (body: object, status = 200) => ({ status, headers, text: JSON.stringify(body) });

/** Adds a field to every object of a value. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== 'object' || value === null) return value;
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, part]) => [name, grown(part)])),
    addedLater: { of: 1 },
  };
}

const answers: readonly (readonly [string, Contract, object])[] = [
  ['a pay-in', GetPayIn, example().response.body],
  ['a payout with its payment data', GetPayout, payoutExample().response.body],
  ['a list', ListEntries, entriesExample().response.body],
];

describe('an answer of a later release', () => {
  test.each(answers)('(%s) is read with the fields that it has beyond the contract', (_name, contract, body) => {
    const later = received(grown(body) as object);
    expect(readResponse(contract, later, 'OPEN').body).toEqual(grown(body));
    expect(() => readResponse(contract, later, 'CLOSED')).toThrow('does not match its contract');
  });

  test('is read with a value of an open enumeration, and not with another status or constant', () => {
    const [entry, ...rest] = entriesExample().response.body.data;
    const list = (more: object) =>
      received({ ...entriesExample().response.body, data: [{ ...entry, ...more }, ...rest] });
    expect(readResponse(ListEntries, list({ type: 'ADDED_LATER' }), 'OPEN').body).toMatchObject({
      data: [{ type: 'ADDED_LATER' }],
    });
    expect(() => readResponse(ListEntries, list({ type: 'ADDED_LATER' }), 'CLOSED')).toThrow('does not match');
    expect(() => readResponse(ListEntries, list({ type: 7 }), 'OPEN')).toThrow('does not match');
    const payIn = example().response.body;
    expect(() => readResponse(GetPayIn, received({ ...payIn, status: 'ADDED_LATER' }), 'OPEN')).toThrow(
      'does not match',
    );
    const dollars = { ...payIn, amount: { ...payIn.amount, currency: 'USD' } };
    expect(() => readResponse(GetPayIn, received(dollars), 'OPEN')).toThrow('does not match');
    const { id: _id, ...without } = payIn;
    expect(() => readResponse(GetPayIn, received({ ...without, addedLater: 1 }), 'OPEN')).toThrow('does not match');
  });

  test('is read when it is an error with another issue or code', () => {
    const detail = { field: 'amount', issue: 'ADDED_LATER', description: 'x', addedLater: 1 };
    const error = { error: 'INVALID_REQUEST', message: 'x', details: [detail] };
    expect(readError(received(error, 400), 'OPEN')).toMatchObject({ status: 400, details: [detail] });
    expect(readError(received({ ...error, error: 'ADDED_LATER' }, 400), 'OPEN')).toMatchObject({
      error: 'ADDED_LATER',
    });
    expect(() => readError(received(error, 500), 'OPEN')).toThrow('does not match the error');
    expect(() => readError(received(error, 400))).toThrow('is not an error body');
  });
});

test('a notification of a later release is read with its fields and its event', () => {
  const later = { ...(grown(payInNotification) as object), event: 'ORDER-PAYIN.ADDED_LATER' };
  expect(readBody(PayInNotification, later, 'OPEN')).toEqual({ success: true, data: later });
  expect(readBody(PayInNotification, later, 'CLOSED').success).toBe(false);
  expect(readBody(PayInNotification, { ...later, status: 'ADDED_LATER' }, 'OPEN').success).toBe(false);
});
