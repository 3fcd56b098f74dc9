import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { pixTarget } from './examples.ts';
import { openTestBank } from './open-bank.ts';

type Shown = Readonly<Record<string, unknown>>;

const manual = () => ({
  request_control_key: randomUUID(),
  pix_transfer_type: 'manual',
  target_account: pixTarget,
  transaction_amount: 500.65,
  pix_message: 'Ola Mundo',
});

const open = () => {
  const bank = openTestBank();
  const path = `/account/${bank.account}/pix_transfer`;
  const balance = async () => Number((await bank.api('GET', `/account/${bank.account}`)).body.balance);
  const listed = async (query: string) => (await bank.api('GET', `${path}s?${query}`)).body.data as Shown[];
  const ask = async (key: string) =>
    String((await bank.api('GET', `/pix_key/${encodeURIComponent(key)}`)).body.end_to_end_id);
  const byKey = (key: string, endToEndId: string) => ({
    request_control_key: randomUUID(),
    pix_transfer_type: 'key',
    target_pix_key: key,
    transaction_amount: 500.65,
    end_to_end_id: endToEndId,
  });
  return { ...bank, path, balance, listed, ask, byKey, send: (body: object) => bank.api('POST', path, body) };
};

test("the example's manual transfer is pending, then sent: found by its key, its end-to-end id and its own key", async () => {
  const { send, listed, control, api, path, account, balance } = open();
  const request = manual();
  const taken = await send(request);
  expect(taken).toEqual({
    status: 202,
    body: {
      request_control_key: request.request_control_key,
      pix_transfer_key: expect.any(String),
      end_to_end_id: expect.stringMatching(/^E32402502202603021500\w{11}$/u),
      pix_transfer_status: 'pending',
      created_at: '2026-03-02T15:00:00.000Z',
    },
  });
  expect(await balance()).toBe(10_000 - 500.65);
  await control('settle-pix', { request_control_key: request.request_control_key });
  const [found] = await listed(`request_control_key=${request.request_control_key}`);
  expect(found).toEqual({
    request_control_key: request.request_control_key,
    pix_message: 'Ola Mundo',
    pix_transfer_type: 'manual',
    account_key: account,
    updated_at: '2026-03-02T15:00:00.000Z',
    created_at: '2026-03-02T15:00:00.000Z',
    target_account: {
      account_branch: '0001',
      account_digit: '3',
      account_number: '12345678',
      owner_document_number: '***02502000***',
      owner_person_type: 'legal',
      owner_name: 'Qi Tech',
      account_type: 'checking_account',
      ispb: '32402502',
      financial_institution_name: 'QI SCD',
      pix_key: null,
    },
    receiver_conciliation_id: null,
    pix_transfer_key: taken.body.pix_transfer_key,
    transaction_key: expect.any(String),
    end_to_end_id: taken.body.end_to_end_id,
    pix_transfer_status: 'sent',
    transfer_amount: 500.65,
    fee_amount: 0,
    rejection_reason: null,
    reversals: [],
  });
  expect(await listed(`end_to_end_id=${String(found!['end_to_end_id'])}`)).toEqual([found]);
  expect(await listed(`transaction_key=${String(found!['transaction_key'])}`)).toEqual([found]);
  expect(await listed(`request_control_key=${randomUUID()}`)).toEqual([]);
  expect((await api('GET', `${path}/${String(found!['pix_transfer_key'])}/outgoing`)).body).toEqual(found);
  expect((await api('GET', `${path}/${String(found!['pix_transfer_key'])}/incoming`)).status).toBe(404);
});

test('a transfer by key uses the end-to-end id of a question about that key, once, whether it succeeds or not', async () => {
  const { send, ask, byKey, control, balance } = open();
  const key = 'target_pix_key@email.com';
  const id = await ask(key);
  expect((await send(byKey('other@email.com', id))).status).toBe(422);
  expect((await send(byKey(key, 'E73856642202309201429bZKfklNlbwu'))).status).toBe(422);
  const request = byKey(key, id);
  expect((await send(request)).body.end_to_end_id).toBe(id);
  const rejection = { status: 'rejected', error_code: 'PXT000132' };
  await control('settle-pix', { request_control_key: request.request_control_key, ...rejection });
  expect((await send(byKey(key, id))).status).toBe(422);
  expect(await balance()).toBe(10_000);
});

test.each([
  ['REFUSED', 422, 1],
  ['FIRST_ANSWER', 202, 1],
  ['PAID_AGAIN', 202, 2],
] as const)('a used key is %s by the setting: answer %s, %s payments', async (repeatedKey, status, payments) => {
  const { send, ask, byKey, listed, control, balance } = open();
  await control('settings', { repeatedKey });
  const request = byKey('loja@exemplo.com.br', await ask('loja@exemplo.com.br'));
  const first = await send(request);
  const again = await send(request);
  expect(again.status).toBe(status);
  if (repeatedKey === 'FIRST_ANSWER') expect(again).toEqual(first);
  expect(await listed(`request_control_key=${request.request_control_key}`)).toHaveLength(payments);
  expect(await balance()).toBe((1_000_000 - payments * 50_065) / 100);
});

test('a transfer that is rejected at once is shown in the error, moves no money, and is in lists by the setting', async () => {
  const { send, listed, control, balance } = open();
  await control('settings', { pixAnswer: 'REJECTED' });
  const request = manual();
  const { status, body } = await send(request);
  expect([status, body.code]).toEqual([422, 'PXT000132']);
  const { pix_transfer_data: shown } = body.extra_fields;
  expect(shown).toMatchObject({
    request_control_key: request.request_control_key,
    pix_transfer_status: 'rejected',
  });
  expect(await balance()).toBe(10_000);
  const query = `request_control_key=${request.request_control_key}`;
  expect(await listed(query)).toMatchObject([
    { pix_transfer_status: 'rejected', rejection_reason: { error_code: 'PXT000132' } },
  ]);
  await control('settings', { rejectionReason: 'TEXT' });
  expect(await listed(query)).toMatchObject([{ rejection_reason: 'Target account number is invalid.' }]);
  await control('settings', { rejectedIsListed: false });
  expect(await listed(query)).toEqual([]);
});

test('a transfer above the free balance is refused, or kept as rejected by the setting', async () => {
  const { send, listed, control } = open();
  await control('balance', { balance: 60_000, blocked: 10_000 });
  expect((await send(manual())).status).toBe(422);
  expect(await listed('')).toEqual([]);
  await control('settings', { lowBalance: 'REJECTED' });
  expect((await send(manual())).body.extra_fields.pix_transfer_data.pix_transfer_status).toBe('rejected');
  expect(await listed('')).toHaveLength(1);
  expect((await send({ ...manual(), transaction_amount: 500 })).status).toBe(202);
});

test('a sent transfer is answered with 201, and has a webhook only by the setting', async () => {
  const { send, control, webhooks, bank } = open();
  await control('settings', { pixAnswer: 'SENT' });
  const { status, body } = await send(manual());
  expect([status, body.pix_transfer_status, typeof body.transaction_key]).toEqual([201, 'sent', 'string']);
  await control('settings', { pixAnswer: 'SENT', webhookOfSent: true });
  await send(manual());
  await expect.poll(() => webhooks.length).toBe(1);
  expect(bank.callbacks.waiting()).toBe(0);
});

test('a transfer comes back in parts, never in more than it was, and arrives at another account of the bank', async () => {
  const { send, ask, byKey, listed, control, balance, pixKey, api, account } = open();
  const request = byKey(pixKey, await ask(pixKey));
  await send(request);
  const which = { request_control_key: request.request_control_key };
  await expect(control('return-pix', which)).rejects.toThrow(/pending/u);
  await control('settle-pix', which);
  expect(await balance()).toBe(10_000);
  const came = (await api('GET', `/account/${account}/pix_transfers?pix_transfer_direction=incoming`)).body.data;
  expect(came).toMatchObject([{ transfer_amount: 500.65, pix_transfer_status: 'received', pix_transfer_type: 'key' }]);
  await control('return-pix', { ...which, amount: 65 });
  await expect(control('return-pix', { ...which, amount: 50_001 })).rejects.toThrow(/exceed/u);
  const back = await control('return-pix', which);
  expect(back).toMatchObject({ amount: 50_000, pix_transfer_type: 'reversal' });
  expect(await listed(`request_control_key=${request.request_control_key}`)).toMatchObject([
    { reversals: [{ transfer_amount: 0.65, pix_transfer_status: 'received' }, { transfer_amount: 500 }] },
  ]);
  await expect(control('return-pix', which)).rejects.toThrow(/exceed/u);
});

test.each([
  ['an amount of three decimals', { transaction_amount: 0.001 }],
  ['no amount', { transaction_amount: 0 }],
  ['a text as amount', { transaction_amount: '500.65' }],
  ['a key that is no UUID', { request_control_key: 'order-1' }],
  ['a long message', { pix_message: 'a'.repeat(141) }],
  ['an unknown type', { pix_transfer_type: 'code' }],
])('a transfer with %s is refused with 400', async (_what, more) => {
  const { send, listed } = open();
  const { status, body } = await send({ ...manual(), ...more });
  expect([status, body.code]).toEqual([400, 'QIT000001']);
  expect(await listed('')).toEqual([]);
});

test('lists have pages of 30, days of the set zone, and the status of the page', async () => {
  const { send, api, path, control, advance } = open();
  // 2026-03-03T01:30Z: still the second of March in Brasilia.
  advance(10.5 * 3_600_000);
  const keys: string[] = [];
  for (let number = 0; number < 31; number += 1)
    keys.push(String((await send({ ...manual(), transaction_amount: 1 })).body.pix_transfer_key));
  const page = async (query: string) => {
    const { status, body } = await api('GET', `${path}s?${query}`);
    return {
      status,
      pagination: body.pagination,
      keys: (body.data as Shown[] | undefined)?.map((item) => item['pix_transfer_key']),
    };
  };
  expect(await page('')).toEqual({
    status: 201,
    pagination: { current_page: 1, rows_per_page: 30 },
    keys: keys.slice(0, 30),
  });
  expect((await page('page=2')).keys).toEqual(keys.slice(30));
  expect((await page('page_size=2&order_by=desc')).keys).toEqual(keys.slice(-2).toReversed());
  expect((await page('date_to=2026-03-02')).keys).toEqual([]);
  await control('settings', { zone: 'BRASILIA', listStatus: 200 });
  expect(await page('date_to=2026-03-02&page_size=1')).toMatchObject({ status: 200, keys: keys.slice(0, 1) });
  for (const query of ['page=0', 'date_from=02/03/2026', 'order_by=new', 'pix_transfer_direction=both'])
    expect((await page(query)).status, query).toBe(400);
});
