import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { tedTarget } from './examples.ts';
import { openTestBank } from './open-bank.ts';

const ted = () => ({
  request_control_key: randomUUID(),
  target_account: tedTarget,
  transaction_amount: 8.86,
});

const open = () => {
  const bank = openTestBank({ balance: 10_000 });
  const path = `/account/${bank.account}/ted`;
  const balance = async () => Number((await bank.api('GET', `/account/${bank.account}`)).body.balance);
  const find = async (key: string): Promise<unknown> =>
    (await bank.api('GET', `${path}s?request_control_key=${key}`)).body.data;
  return { ...bank, path, balance, find, send: (body: object) => bank.api('POST', path, body) };
};

test("the example's TED is pending, sent, and comes back after that; its money goes and returns with it", async () => {
  const { send, find, control, balance, api, path, account, webhooks } = open();
  const request = ted();
  const key = request.request_control_key;
  const taken = await send(request);
  expect(taken).toEqual({
    status: 201,
    body: {
      request_control_key: key,
      ted_key: expect.any(String),
      created_at: '2026-03-02T15:00:00.000Z',
      ted_status: 'pending',
      transaction_amount: 8.86,
      fee_amount: 0,
    },
  });
  expect(await balance()).toBe(91.14);
  await control('settle-ted', { request_control_key: key });
  await expect(control('settle-ted', { request_control_key: key })).rejects.toThrow(/sent/u);
  const { account_type: _, ...target } = tedTarget;
  const sent = { ...taken.body, account_key: account, ted_status: 'sent', target_account: target, refusal_reason: {} };
  expect(await find(key)).toEqual([sent]);
  expect(await balance()).toBe(91.14);
  await control('settle-ted', { request_control_key: key, status: 'rejected' });
  const reason = {
    refusal_code: 1,
    enumerator: 'conta_destinatario_encerrada',
    description: 'Conta Destinatária do Crédito Encerrada',
  };
  const back = { ...sent, ted_status: 'rejected', refusal_reason: reason };
  expect(await find(key)).toEqual([back]);
  expect((await api('GET', `${path}/${sent.ted_key}/outgoing`)).body).toEqual(back);
  expect(await balance()).toBe(100);
  await expect(control('settle-ted', { request_control_key: key, status: 'rejected' })).rejects.toThrow(/rejected/u);
  await expect.poll((): unknown => webhooks.map(({ body }): unknown => body.data)).toEqual([sent, back]);
  expect(webhooks.map(({ body }): unknown => body.webhook_type)).toEqual(Array(2).fill('baas.ted.outgoing_ted'));
});

test.each(['returned', 'sent'] as const)(
  'the webhook of a TED that came back says %s by the setting, and look-ups say rejected',
  async (tedCameBackAs) => {
    const { send, find, control, webhooks } = open();
    await control('settings', { tedAnswer: 'SENT', tedCameBackAs });
    const request = ted();
    expect((await send(request)).body.ted_status).toBe('sent');
    await control('settle-ted', { request_control_key: request.request_control_key, status: 'rejected' });
    await expect
      .poll((): unknown => webhooks.map(({ body }): unknown => body.data.ted_status))
      .toEqual([tedCameBackAs]);
    expect(webhooks[0]!.body.data.refusal_reason.refusal_code).toBe(1);
    expect(await find(request.request_control_key)).toMatchObject([{ ted_status: 'rejected' }]);
  },
);

test('a TED that is rejected in its answer moves no money', async () => {
  const { send, find, control, balance } = open();
  await control('settings', { tedAnswer: 'REJECTED' });
  const request = ted();
  expect(await send(request)).toMatchObject({ status: 201, body: { ted_status: 'rejected' } });
  expect(await find(request.request_control_key)).toMatchObject([{ refusal_reason: { refusal_code: 1 } }]);
  expect(await balance()).toBe(100);
});

test.each([
  ['REFUSED', 422, 1],
  ['FIRST_ANSWER', 201, 1],
  ['PAID_AGAIN', 201, 2],
] as const)('a used key of a TED is %s by the setting', async (repeatedKey, status, payments) => {
  const { send, find, control, balance } = open();
  await control('settings', { repeatedKey });
  const request = ted();
  const first = await send(request);
  const again = await send({ ...request, transaction_amount: 1 });
  expect(again.status).toBe(status);
  if (repeatedKey === 'FIRST_ANSWER') expect(again).toEqual(first);
  expect(await find(request.request_control_key)).toHaveLength(payments);
  expect(await balance()).toBe(payments === 1 ? 91.14 : 90.14);
});

test('a TED is refused outside its hours when the setting has them', async () => {
  const { send, control } = open();
  await control('settings', { tedHours: true });
  const at = async (now: string): Promise<unknown> => {
    await control('clock', { now });
    const { status, body } = await send({ ...ted(), transaction_amount: 0.01 });
    return status === 201 ? status : body.code;
  };
  expect(await at('2026-03-02T10:00:00Z')).toBe(201);
  expect(await at('2026-03-02T09:59:59Z')).toBe('TED000011');
  expect(await at('2026-03-02T19:59:59Z')).toBe(201);
  expect(await at('2026-03-02T20:00:00Z')).toBe('TED000011');
  expect(await at('2026-03-07T15:00:00Z')).toBe('TED000011');
});

test('a TED above the balance, to a wage account, or with a long name is refused, and none is kept', async () => {
  const { send, api, path } = open();
  expect((await send({ ...ted(), transaction_amount: 100.01 })).status).toBe(422);
  expect((await send({ ...ted(), target_account: { ...tedTarget, account_type: 'salary_account' } })).status).toBe(400);
  expect((await send({ ...ted(), target_account: { ...tedTarget, owner_name: 'a'.repeat(51) } })).status).toBe(400);
  expect((await api('GET', `${path}s`)).body).toEqual({ data: [], pagination: { current_page: 1, rows_per_page: 30 } });
  expect((await api('GET', `${path}s?ted_direction=incoming`)).body.data).toEqual([]);
  expect((await api('GET', `${path}s?ted_direction=both`)).status).toBe(400);
  expect((await api('GET', `${path}/${randomUUID()}/outgoing`)).status).toBe(404);
});
