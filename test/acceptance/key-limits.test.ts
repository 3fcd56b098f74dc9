import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ResendKeyCode } from '#functions/pix-keys/resend/contract.ts';
import { clockOf } from './clocks.ts';
import { activeAccount, second } from './partners.ts';
import { keyOfNobody } from './samples.ts';

const clock = clockOf(second);
beforeAll(clock.reset);
afterAll(clock.reset);

test('a code is sent again three times, and is good for half an hour', async () => {
  // A day on which no other test sent a code.
  await clock.to('2033-03-15', '10:00');
  const params = { accountId: activeAccount(second).id };
  const { body } = await second.call(CreateKey, { params, body: keyOfNobody() });
  const again = { params, body: { validationId: body.validationId } };
  for (let resend = 1; resend <= 3; resend += 1)
    expect((await second.answer(ResendKeyCode, { ...again, key: randomUUID() })).status).toBe(200);
  const tooOften = await second.refused(ResendKeyCode, again);
  expect([tooOften.status, tooOften.details.map(({ issue }) => issue)]).toEqual([409, ['LIMIT_EXCEEDED']]);

  await clock.advance(1801);
  const tooLate = await second.refused(ConfirmKey, { params, body: { ...again.body, code: '000000' } });
  expect([tooLate.status, tooLate.details.map(({ issue }) => issue)]).toEqual([409, ['EXPIRED']]);
});
