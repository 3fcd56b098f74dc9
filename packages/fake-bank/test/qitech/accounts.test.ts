import { expect, test } from 'vitest';
import { openTestBank } from './open-bank.ts';

type Entry = Readonly<Record<string, unknown>>;

test("an account is shown as in the bank's example; that of another client is not found", async () => {
  const { api, control, account } = openTestBank({ balance: 26_476 });
  const { status, body } = await api('GET', `/account/${account}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    account_branch: '0001',
    account_digit: expect.stringMatching(/^\d$/u),
    account_documents: [],
    account_key: account,
    account_number: expect.stringMatching(/^\d{7}$/u),
    account_status: 'opened',
    account_type: 'checking',
    balance: 264.76,
    blocked_balance: 0,
    owner_document_number: '11222333000181',
    owner_name: 'Empresa Local Ltda',
    owner_person_key: expect.any(String),
    created_at: '2026-03-02T15:00:00',
  });
  await control('balance', { blocked: 476 });
  const shown = async (): Promise<unknown> => {
    const { balance, blocked_balance: blocked } = (await api('GET', `/account/${account}`)).body;
    return [balance, blocked];
  };
  expect(await shown()).toEqual([264.76, 4.76]);
  await control('settings', { balanceHoldsBlocked: false });
  expect(await shown()).toEqual([260, 4.76]);
  const other = openTestBank();
  expect(await other.api('GET', `/account/${account}`)).toMatchObject({ status: 404, body: { title: 'Not Found' } });
});

test('the statement has each movement with the balance after it, newest first; sign and zone by the settings', async () => {
  const { api, control, account, advance } = openTestBank({ balance: 0 });
  advance(11 * 3_600_000);
  await control('pay', { amount: 1000 });
  const [received] = await control('pay', { amount: 500 });
  const path = `/account/${account}/pix_transfer/${received.pix_transfer_key}/reversal`;
  const refund = { reversal_amount: 2, reversal_reason: 'reconciliation' };
  await api('POST', path, { request_control_key: '303393bf-8f2e-4ff0-b326-ee7ad612e8ca', ...refund });
  const statement = async (query = '') =>
    (await api('GET', `/account/${account}/transaction?${query}`)).body as { data: Entry[]; pagination: unknown };
  const { data, pagination } = await statement();
  expect(data.map((entry) => [entry['transaction_amount'], entry['account_balance']])).toEqual([
    [-2, 13],
    [5, 15],
    [10, 10],
  ]);
  expect(data[1]).toMatchObject({
    agent_person_key: null,
    created_at: '2026-03-03 02:00:00',
    transacted_at: '2026-03-03 02:00:00',
    origin_key: received.pix_transfer_key,
    transaction_key: received.transaction_key,
    source_subtype: { enumerator: 'pix_transfer', translation_ptbr: 'Transferência de PIX' },
    transaction_details: {
      payer_name: 'Maria Souza',
      payer_ispb: '60746948',
      receiver_name: 'Empresa Local Ltda',
      receiver_ispb: '32402502',
      receiver_conciliation_id: null,
    },
  });
  const pages = { next_page: null, rows_per_page: 4000, total_pages: 'unavailable', total_rows: null };
  expect(pagination).toEqual({ current_page: 1, ...pages });
  expect((await statement('page_size=2')).pagination).toEqual({
    ...pages,
    current_page: 1,
    next_page: 2,
    rows_per_page: 2,
  });
  expect((await statement('date_from=2026-03-03')).data).toHaveLength(3);
  await control('settings', { debits: 'POSITIVE', zone: 'BRASILIA' });
  expect((await statement('date_from=2026-03-03')).data).toEqual([]);
  expect((await statement('order_by=desc')).data[0]).toMatchObject({
    transaction_amount: 2,
    transacted_at: '2026-03-02 23:00:00',
  });
});
