import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ResendKeyCode } from '#functions/pix-keys/resend/contract.ts';
import { clockOf } from './clocks.ts';
import { activeAccount, first, second } from './partners.ts';
import { keyOfNobody } from './samples.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';

const clock = clockOf(second);
beforeAll(clock.reset);
afterAll(clock.reset);

test('a code is sent again three times, and is good for half an hour', async () => {
  const params = { accountId: activeAccount(second).id };
  const { body } = await second.call(CreateKey, { params, body: keyOfNobody() });
  const again = { params, body: { validationId: body.validationId } };
  for (let resend = 1; resend <= 3; resend += 1)
    expect((await second.answer(ResendKeyCode, { ...again, key: randomUUID() })).status).toBe(200);
  const tooOften = await second.refused(ResendKeyCode, again);
  refused(tooOften, 409, ['validationId:LIMIT_EXCEEDED']);

  await clock.advance(1801);
  const tooLate = await second.refused(ConfirmKey, { params, body: { ...again.body, code: '000000' } });
  refused(tooLate, 409, ['validationId:EXPIRED']);
});

test('an address gets so many codes a real day, whichever companies ask and however one turns its clock', async () => {
  const body = keyOfNobody();
  const ask = async (partner: typeof first) => {
    const { id: accountId } = activeAccount(partner);
    const { status, text } = await partner.answer(CreateKey, { params: { accountId }, body, key: randomUUID() });
    return { status, text };
  };
  // Both in one round: the day may end between two of them.
  let last = [await ask(first), await ask(second)];
  for (let round = 2; round <= 60 && last.some(({ status }) => status === 201); round += 1) {
    await clock.advance(86_400);
    last = [await ask(first), await ask(second)];
  }
  for (const response of each(last)) {
    refused(response, 409, ['accountId:LIMIT_EXCEEDED']);
    expect(response.text).not.toContain(body.key);
  }
  // Other addresses are as free as before.
  const { id: accountId } = activeAccount(second);
  expect(
    (await second.answer(CreateKey, { params: { accountId }, body: keyOfNobody(), key: randomUUID() })).status,
  ).toBe(201);
});

test.each(['+19005550100', '+881612345678', '+123', '+5501987654321'])(
  'no code is sent to the phone %s',
  async (key) => {
    const params = { accountId: activeAccount(second).id };
    refused(await second.refused(CreateKey, { params, body: { type: 'PHONE', key } }), 400, ['key:INVALID_FORMAT']);
  },
);
