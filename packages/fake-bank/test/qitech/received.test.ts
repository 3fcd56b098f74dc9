import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { pixTarget } from './examples.ts';
import { openTestBank } from './open-bank.ts';

const day = 86_400_000;

const open = async () => {
  const bank = openTestBank({ balance: 0 });
  const balance = async () => Number((await bank.api('GET', `/account/${bank.account}`)).body.balance);
  const [received] = await bank.control('pay', {
    pix_key: bank.pixKey,
    amount: 14_700,
    pix_message: 'pix message received',
  });
  const key: string = received.pix_transfer_key;
  const path = `/account/${bank.account}/pix_transfer/${key}`;
  const refund = (body: object = {}) =>
    bank.api('POST', `${path}/reversal`, {
      request_control_key: randomUUID(),
      reversal_amount: 47,
      reversal_reason: 'client_request',
      reversal_message: 'Mensagem Pix da Devolução',
      ...body,
    });
  const shown = async () => (await bank.api('GET', `${path}/incoming`)).body as { reversals: unknown };
  return { ...bank, balance, received, key, refund, shown };
};

test("a Pix that comes has the bank's webhook, and is in the list and at its key", async () => {
  const { webhooks, shown, key, account, pixKey, balance, api, received } = await open();
  await expect.poll(() => webhooks.length).toBe(1);
  const { webhook_type, webhook_datetime, data } = webhooks[0]!.body;
  expect([webhook_type, webhook_datetime]).toEqual(['baas.pix_transfer.incoming_pix', '2026-03-02T15:00:00.000Z']);
  expect(data).toEqual({
    pix_transfer_key: key,
    end_to_end_id: expect.stringMatching(/^E60746948202603021500\w{11}$/u),
    pix_transfer_status: 'received',
    account_key: account,
    receiver_conciliation_id: null,
    target_pix_key: pixKey,
    transaction_key: received.transaction_key,
    transfer_amount: 147,
    fee_amount: 0,
    source_account: {
      account_branch: '452',
      account_digit: '1',
      account_number: '370158',
      owner_document_number: '***98224***',
      owner_person_type: 'natural',
      owner_name: 'Maria Souza',
      account_type: 'checking_account',
      ispb: '60746948',
      financial_institution_name: 'BCO BRADESCO S.A.',
    },
    pix_transfer_type: 'key',
    pix_message: 'pix message received',
    created_at: '2026-03-02T15:00:00.000Z',
    reversals: [],
  });
  expect(await shown()).toEqual(data);
  const list = `/account/${account}/pix_transfers?pix_transfer_direction=incoming&end_to_end_id=${data.end_to_end_id}`;
  expect((await api('GET', list)).body.data).toEqual([data]);
  expect(await balance()).toBe(147);
});

test('a refund is pending, then sent with a webhook, and shown with its Pix; a rejected one gives its money back', async () => {
  const { refund, control, shown, balance, webhooks } = await open();
  const [one, other] = [randomUUID(), randomUUID()];
  expect(await refund({ request_control_key: one })).toEqual({
    status: 202,
    body: {
      reversal_status: 'pending',
      transaction_amount: 47,
      pix_transfer_key: expect.any(String),
      end_to_end_id: expect.stringMatching(/^D32402502202603021500\w{11}$/u),
      request_control_key: one,
      created_at: '2026-03-02T15:00:00.000Z',
    },
  });
  await refund({ request_control_key: other });
  expect(await balance()).toBe(53);
  await control('settle-reversal', { request_control_key: one });
  await control('settle-reversal', { request_control_key: other, status: 'rejected' });
  await expect(control('settle-reversal', { request_control_key: one })).rejects.toThrow(/sent/u);
  expect(await balance()).toBe(100);
  expect((await shown()).reversals).toMatchObject([
    { request_control_key: one, transfer_amount: 47, pix_transfer_status: 'sent', reversal_reason: 'client_request' },
  ]);
  await expect
    .poll((): unknown =>
      webhooks.slice(1).map(({ body }): unknown => [body.data.request_control_key, body.data.pix_transfer_status]),
    )
    .toEqual([
      [one, 'sent'],
      [other, 'rejected'],
    ]);
});

test('refunds never exceed their Pix or the balance, and end 90 days after it', async () => {
  const { refund, control, account, advance } = await open();
  expect((await refund({ reversal_amount: 147.01 })).status).toBe(422);
  expect((await refund({ reversal_amount: 100 })).status).toBe(202);
  expect((await refund({ reversal_amount: 47.01 })).status).toBe(422);
  await control('balance', { account_key: account, balance: 4699 });
  expect((await refund()).status).toBe(422);
  await control('balance', { account_key: account, balance: 4700 });
  advance(90 * day);
  expect((await refund({ reversal_amount: 46 })).status).toBe(202);
  advance(day);
  expect((await refund({ reversal_amount: 1 })).status).toBe(422);
  expect((await refund({ reversal_reason: 'fraud' })).status).toBe(400);
});

test.each([
  ['REFUSED', 422, 1],
  ['FIRST_ANSWER', 202, 1],
  ['PAID_AGAIN', 202, 2],
] as const)('a used key of a refund is %s by the setting', async (repeatedKey, status, refunds) => {
  const { refund, control, shown } = await open();
  await control('settings', { repeatedKey });
  const used = { request_control_key: randomUUID() };
  const first = await refund(used);
  const again = await refund(used);
  expect(again.status).toBe(status);
  if (repeatedKey === 'FIRST_ANSWER') expect(again).toEqual(first);
  expect((await shown()).reversals).toHaveLength(refunds);
});

test('the answer to a refund has the status, the member and the id that the settings choose', async () => {
  const { refund, control, received, webhooks } = await open();
  const settings = { reversalAmount: 'transfer_amount', reversalEndToEndId: 'PAYMENT', reversalWebhook: false };
  await control('settings', { ...settings, reversalAnswer: 'SENT' });
  expect(await refund()).toMatchObject({
    status: 201,
    body: { reversal_status: 'sent', transfer_amount: 47, end_to_end_id: received.end_to_end_id },
  });
  await control('settings', settings);
  const which = { request_control_key: randomUUID() };
  await refund(which);
  await control('settle-reversal', which);
  await expect.poll(() => webhooks.length).toBe(1);
});

test('a part that came back of a sent Pix is no payment, and is not refunded', async () => {
  const { api, control, account, balance, webhooks } = await open();
  const which = { request_control_key: randomUUID() };
  const target = { ...pixTarget, account_type: 'salary_account', ispb: '60701190' };
  const request = { ...which, pix_transfer_type: 'manual', target_account: target, transaction_amount: 10 };
  const sent = await api('POST', `/account/${account}/pix_transfer`, request);
  await control('settle-pix', which);
  const back = await control('return-pix', { ...which, amount: 400 });
  expect(await balance()).toBe(141);
  const body = { request_control_key: randomUUID(), reversal_amount: 1, reversal_reason: 'client_request' };
  const path = `/account/${account}/pix_transfer/${back.pix_transfer_key}/reversal`;
  expect((await api('POST', path, body)).status).toBe(422);
  await expect.poll(() => webhooks.length).toBe(3);
  expect(webhooks.find(({ body: { data } }) => data.pix_transfer_type === 'reversal')!.body).toMatchObject({
    webhook_type: 'baas.pix_transfer.incoming_pix',
    data: {
      original_outgoing_pix_transfer: sent.body.pix_transfer_key,
      end_to_end_id: expect.stringMatching(/^D60701190/u),
      transfer_amount: 4,
    },
  });
});
