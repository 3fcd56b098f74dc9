import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import { ResendKeyCode } from '#functions/pix-keys/resend/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { readResponse } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { activeAccount, eventually, first, second } from './partners.ts';
import { brl, keyOfNobody, payout } from './samples.ts';

const { id: accountId } = activeAccount(first);
const params = { accountId };
const phoneOfNobody = () => ({ type: 'PHONE', key: `+55119${randomInt(10_000_000, 99_999_999)}` }) as const;
/** Accounts of this file's own limits: each test that needs many codes takes another one. */
const [, another = activeAccount(first)] = first.accounts.filter(({ status }) => status === 'ACTIVE');

/** The code of a validation, once it was sent. */
async function codeOf(partner: Partner, validationId: string, accountParams = params): Promise<string> {
  const ask = { params: { ...accountParams, validationId } };
  const received = await eventually(
    () => partner.answer(GetKeyCode, ask),
    ({ status }) => status === 200,
  );
  return readResponse(GetKeyCode, received, 'CLOSED').body.code;
}
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('a key', () => {
  test.for([
    ['e-mail', keyOfNobody()],
    ['phone', phoneOfNobody()],
  ] as const)(
    'is created with type %s, sent a code, confirmed and listed, and payouts to it reach its account',
    async ([, key], context) => {
      needs(context, 'simulated-bank', 'Efí looks up no keys, those of the company neither');
      const accountParams = { accountId: another.id };
      const { body: created, received } = await first.call(CreateKey, { params: accountParams, body: key });
      expect(received.status).toBe(201);
      const code = await codeOf(first, created.validationId, accountParams);
      const { body: confirmed } = await first.call(ConfirmKey, {
        params: accountParams,
        body: { validationId: created.validationId, code },
      });
      expect(confirmed).toEqual({ validationId: created.validationId, status: 'CONFIRMED', key });
      const { body: list } = await first.call(ListKeys, { params: accountParams, query: { limit: '100' } });
      const [listed] = list.data.filter(({ validationId }) => validationId === created.validationId);
      expect(listed).toMatchObject({ ...key, status: 'CONFIRMED', expiresAt: created.expiresAt });

      const before = await balanceOf(first, another.id);
      const { body: paid } = await first.call(CreatePayout, {
        body: payout(accountId, { paymentData: { pixKey: key.key }, amount: brl('1.00') }),
      });
      await first.call(ForceOrderStatus, { body: { id: paid.id, status: 'PAID' } });
      expect(difference(before, await balanceOf(first, another.id))).toEqual({ available: 100, reserved: 0 });

      const taken = await first.refused(CreateKey, { params: accountParams, body: key });
      refused(taken, 409, ['key:ALREADY_EXISTS']);
    },
  );

  test('is refused at its confirmation when another company has confirmed it', async () => {
    const key = keyOfNobody();
    const theirs = { accountId: activeAccount(second).id };
    const { body: otherCompanyValidation } = await second.call(CreateKey, { params: theirs, body: key });
    const { body: ownValidation } = await first.call(CreateKey, { params, body: key });
    const code = await codeOf(second, otherCompanyValidation.validationId, theirs);
    await second.call(ConfirmKey, {
      params: theirs,
      body: { validationId: otherCompanyValidation.validationId, code },
    });
    const response = await first.refused(ConfirmKey, {
      params,
      body: { validationId: ownValidation.validationId, code: await codeOf(first, ownValidation.validationId) },
    });
    refused(response, 409, ['key:ALREADY_EXISTS']);
    expect(response.received.text).not.toContain(theirs.accountId);
  });
});

describe('a code', () => {
  test('is sent once for twenty equal creations, and once for twenty equal resends, which invalidate the earlier one', async () => {
    const create = { params, key: randomUUID(), body: keyOfNobody() };
    const creations = await Promise.all(Array.from({ length: 20 }, () => first.call(CreateKey, create)));
    expect(new Set(creations.map(({ received }) => received.text)).size).toBe(1);
    expect(creations.filter(({ received }) => received.headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
    const validationId = creations[0]!.body.validationId;
    const old = await codeOf(first, validationId);

    const resend = { params, key: randomUUID(), body: { validationId } };
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(ResendKeyCode, resend)));
    expect(new Set(responses.map(({ received }) => `${received.status} ${received.text}`)).size).toBe(1);
    expect(responses.filter(({ received }) => received.headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
    const code = await codeOf(first, validationId);
    expect(code).not.toBe(old);
    await first.call(ResendKeyCode, resend);
    expect(await codeOf(first, validationId)).toBe(code);
    refused(await first.refused(ConfirmKey, { params, body: { validationId, code: old } }), 409, ['code:WRONG_CODE']);
    const confirm = { params, key: randomUUID(), body: { validationId, code } };
    const confirmed = await Promise.all(Array.from({ length: 20 }, () => first.call(ConfirmKey, confirm)));
    expect(new Set(confirmed.map(({ received }) => received.text)).size).toBe(1);
  });

  test('blocks the validation when it is wrong five times, and equal requests count once', async () => {
    const { body: created } = await first.call(CreateKey, { params, body: phoneOfNobody() });
    const { validationId } = created;
    const code = await codeOf(first, validationId);
    const ask = (key: string) => ({ params, key, body: { validationId, code: wrong(code) } });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const key = randomUUID();
      const once = await first.refused(ConfirmKey, ask(key));
      const again = await first.refused(ConfirmKey, ask(key));
      refused(once, 409, ['code:WRONG_CODE']);
      expect(again.received.text).toBe(once.received.text);
      expect(again.received.headers['idempotent-replayed']).toBe('true');
    }
    const blocked = ['status:TRANSITION_NOT_ALLOWED'];
    refused(await first.refused(ConfirmKey, { params, body: { validationId, code } }), 409, blocked);
    refused(await first.refused(ResendKeyCode, { params, body: { validationId } }), 409, blocked);
    const { body: list } = await first.call(ListKeys, { params, query: { limit: '100' } });
    expect(list.data.find((one) => one.validationId === validationId)?.status).toBe('BLOCKED');
  });
});

test('a resend needs a UUID as its idempotency key, the other calls any key', async () => {
  const body = { validationId: randomUUID() };
  refused(await first.refused(ResendKeyCode, { params, body, key: 'not-a-uuid' }), 400, [
    'idempotency-key:INVALID_FORMAT',
  ]);
  for (const [contract, missing] of [
    [CreateKey, keyOfNobody()],
    [ResendKeyCode, body],
    [ConfirmKey, { ...body, code: '123456' }],
  ] as const)
    refused(await first.refused(contract, { params, body: missing, key: null }), 400, ['idempotency-key:REQUIRED']);
});
