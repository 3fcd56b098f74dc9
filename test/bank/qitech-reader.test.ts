import { describe, expect, test } from 'vitest';
import { qitechReader } from '#shared/bank/dialects/qitech/reader.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { centavos } from '#shared/core/money.ts';
import type { Reply } from './qitech-bank.ts';
import { accountKey, clientId, problem, reply, useQitechBank } from './qitech-bank.ts';
import { accountId } from './scripted-bank.ts';

const used = useQitechBank();
const reader = () => qitechReader(used.connected);

const [from, to] = ['2026-01-15T01:00:00.000Z', '2026-01-15T04:00:00.000Z'];
const createdAt = '2026-01-15T02:00:00.000Z';
const key = 'b6804f32-101e-4702-8fbc-c2dbc4c2ca00';
const other = '6e290347-330d-4b3a-8ebb-2ac217ad6eb3';
const reference = key.replaceAll('-', '');
const endToEndId = 'E3240250220211022203051750897529';
const pix = {
  ...{ request_control_key: key, account_key: accountKey, created_at: createdAt, end_to_end_id: endToEndId },
  ...{ pix_transfer_status: 'sent', transfer_amount: 126.97, fee_amount: 1.5, reversals: [] },
};
const ted = {
  ...{ request_control_key: other, account_key: accountKey, created_at: createdAt, fee_amount: 0 },
  ...{ ted_status: 'rejected', transaction_amount: 8.86, refusal_reason: {} },
};
const received = {
  ...{ pix_transfer_key: other, end_to_end_id: endToEndId, account_key: accountKey, created_at: createdAt },
  ...{ pix_transfer_status: 'received', transfer_amount: 126.97, fee_amount: 0, reversals: [] },
};
const listOf = (data: readonly unknown[]): Reply => reply(200, { data });
/** Answers by the end of the path, and by the direction of a Pix. */
const lists = (given: Readonly<Partial<Record<'incoming' | 'outgoing' | 'teds', readonly unknown[]>>>): void => {
  used.answers(({ path }) => {
    const name = path.includes('/teds?') ? 'teds' : path.includes('incoming') ? 'incoming' : 'outgoing';
    return listOf(given[name] ?? []);
  });
};

describe('the list of sent payments', () => {
  test('has every Pix and TED of the account, by our key', async () => {
    lists({ outgoing: [pix], teds: [ted] });
    expect(await reader().listSent(from, to, 0)).toEqual({
      items: [
        {
          ...{ reference, amount: 12_697, endToEndId, fee: 150 },
          state: { status: 'PAID', at: createdAt, endToEndId, returns: [] },
        },
        {
          ...{ reference: other.replaceAll('-', ''), amount: 886 },
          state: { status: 'ERROR', reason: 'The bank rejected the payment.', cameBack: true, returns: [] },
        },
      ],
      ...{ pages: 1, unreadable: 0 },
    });
    const window = 'date_from=2026-01-14&date_to=2026-01-16&page=1&page_size=30';
    // A read whose connection was lost is repeated.
    expect([...new Set(used.asked.map(({ path }) => path))].toSorted()).toEqual([
      `/account/${accountKey}/pix_transfers?pix_transfer_direction=outgoing&${window}&order_by=desc`,
      `/account/${accountKey}/teds?ted_direction=outgoing&${window}`,
    ]);
  });

  test('goes on while a page is full, and ends with the first page that is older than the window', async () => {
    const full = (at: string) => Array.from({ length: 30 }, () => ({ ...pix, created_at: at }));
    lists({ outgoing: full(createdAt) });
    expect(await reader().listSent(from, to, 4)).toMatchObject({ pages: 6 });
    lists({ outgoing: full('2026-01-15T00:00:00.000Z') });
    expect(await reader().listSent(from, to, 4)).toMatchObject({ pages: 5 });
    lists({ teds: Array.from({ length: 30 }, () => ({ ...ted, created_at: '2026-01-14T00:00:00.000Z' })) });
    expect(await reader().listSent(from, to, 4), 'TEDs have no order').toMatchObject({ pages: 6 });
  });

  test('leaves out what is malformed, of another account or of an unknown status, and counts it', async () => {
    const odd = [
      {},
      { ...pix, account_key: other },
      { ...pix, pix_transfer_status: 'lost' },
      { ...pix, transfer_amount: null },
    ];
    lists({ outgoing: [...odd, pix] });
    const { items, unreadable } = await reader().listSent(from, to, 0);
    expect({ items: items.length, unreadable }).toEqual({ items: 1, unreadable: 4 });
    expect(used.misled).toEqual(['account_key']);
    expect(used.unknown).toEqual(['pix_transfer_status lost']);
  });

  test.each<[string, Reply]>([
    ['no list', reply(200, {})],
    ['no JSON', { status: 200, text: '<html>' }],
    ['an account that the bank does not know', problem(404, 'TED000009', 'Account not found')],
  ])('fails on %s', async (_what, answer) => {
    used.answers(() => answer);
    await expect(reader().listSent(from, to, 0)).rejects.toThrow(BankUnavailable);
  });
});

test('the list of received payments names the account, and no payer whose document is masked', async () => {
  lists({ incoming: [received] });
  const item = { endToEndId, amount: 12_697, at: createdAt, accountId, returns: [], fee: 0 };
  for (const list of ['listReceived', 'listReceivedToKeys'] as const)
    expect(await reader()[list](from, to, 0)).toEqual({ items: [item], pages: 1, unreadable: 0 });
});

describe('a refund of a received payment', () => {
  const returnId = 'D32402502202405081755SxyT2DDcVwc';
  const refundedAt = '2026-01-15T03:00:00.000Z';
  const refund = {
    ...{ end_to_end_id: returnId, transfer_amount: 26.97, reversal_reason: 'client_request', created_at: refundedAt },
    ...{ pix_transfer_status: 'sent', pix_transfer_key: other, request_control_key: key },
  };
  const returned = { id: reference, returnId, amount: 2697, at: refundedAt };
  const { id: _ours, ...unnamed } = returned;
  const returnsOf = async (reversals: unknown) => {
    lists({ incoming: [{ ...received, reversals }] });
    const { items, unreadable } = await reader().listReceived(from, to, 0);
    expect(
      await reader()
        .readReceivedPix(endToEndId)
        .catch(() => undefined),
    ).toEqual(items[0]);
    return unreadable === 0 ? items[0]?.returns : 'UNREADABLE';
  };

  test('is listed with our id, its number, amount and time once it is sent', async () => {
    expect(await returnsOf([refund])).toEqual([returned]);
    expect(await returnsOf([{ ...refund, request_control_key: key.toUpperCase() }])).toEqual([returned]);
    expect(await returnsOf([{ ...refund, created_at: null }])).toEqual([{ ...returned, at: createdAt }]);
    expect(await returnsOf([refund, { ...refund, request_control_key: other }])).toMatchObject([
      { id: reference },
      { id: other.replaceAll('-', '') },
    ]);
    expect(used.unknown).toEqual([]);
  });

  test('is listed without an id where the bank shows no key', async () => {
    expect(await returnsOf([{ ...refund, request_control_key: null }])).toEqual([unnamed]);
    expect(await returnsOf([{ ...refund, request_control_key: undefined }])).toEqual([unnamed]);
  });

  test.each(['pending', 'pending_2fa_approval', 'rejected'])('is not listed while it is %s', async (status) => {
    expect(await returnsOf([{ ...refund, pix_transfer_status: status }, refund])).toEqual([returned]);
    expect(used.unknown).toEqual([]);
  });

  test('is not listed with a status that the bank’s pages do not have, which is told', async () => {
    expect(await returnsOf([{ ...refund, pix_transfer_status: 'lost' }, refund])).toEqual([returned]);
    expect(new Set(used.unknown)).toEqual(new Set(['reversal_status lost']));
  });

  test('is none where the payment shows none, and half a refund makes the payment unreadable', async () => {
    for (const none of [[], null, undefined]) expect(await returnsOf(none)).toEqual([]);
    for (const odd of [{ end_to_end_id: endToEndId }, { transfer_amount: 26.971 }, { request_control_key: 'x' }])
      expect(await returnsOf([refund, { ...refund, ...odd }])).toBe('UNREADABLE');
  });

  test('is read by our id once it is sent, and is undefined while its payment shows none that is', async () => {
    const known = { id: reference, amount: centavos(2697) };
    lists({ incoming: [{ ...received, reversals: [refund] }] });
    expect(await reader().readRefund(endToEndId, known)).toEqual({ status: 'SETTLED', returnId, at: refundedAt });
    expect(new Set(used.asked.map(({ path }) => path))).toEqual(
      new Set([`/account/${accountKey}/pix_transfers?pix_transfer_direction=incoming&end_to_end_id=${endToEndId}`]),
    );
    lists({ incoming: [{ ...received, reversals: [{ ...refund, pix_transfer_status: 'pending' }] }] });
    expect(await reader().readRefund(endToEndId, known)).toBeUndefined();
    lists({ incoming: [received] });
    expect(await reader().readRefund(endToEndId, known)).toBeUndefined();
  });

  test('is not believed with another amount, or of another payment or account', async () => {
    const known = { id: reference, amount: centavos(2697) };
    for (const incoming of [
      [{ ...received, reversals: [{ ...refund, transfer_amount: 26.98 }] }],
      [{ ...received, reversals: [refund], end_to_end_id: `${endToEndId.slice(0, -1)}0` }],
      [{ ...received, reversals: [refund], account_key: other }],
    ]) {
      lists({ incoming });
      await expect(reader().readRefund(endToEndId, known)).rejects.toThrow(BankUnavailable);
    }
    expect(used.misled).toEqual(['transfer_amount', 'end_to_end_id', 'account_key']);
  });
});

describe('one payment', () => {
  test('is found by our key, or a received one by its end-to-end id', async () => {
    lists({ outgoing: [pix], incoming: [received] });
    expect(await reader().readPayout(reference)).toMatchObject({ reference });
    expect(await reader().readReceivedPix(endToEndId)).toMatchObject({ endToEndId, accountId });
    lists({});
    expect(await reader().readPayout(reference)).toBeUndefined();
  });

  test('is not believed when the bank names another, or several', async () => {
    lists({ outgoing: [pix] });
    await expect(reader().readPayout(other.replaceAll('-', ''))).rejects.toThrow(BankUnavailable);
    lists({ outgoing: [pix, pix] });
    await expect(reader().readPayout(reference)).rejects.toThrow(BankUnavailable);
  });
});

describe('the balance', () => {
  const body = { account_key: accountKey, balance: 264.76, blocked_balance: 0 };

  test.each([
    [264.76, 26_476],
    [0, 0],
    [-1.5, -150],
  ])('%d is %i centavos', async (balance, count) => {
    used.answers(() => reply(200, { ...body, balance }));
    expect(await reader().balance()).toBe(count);
  });

  test.each([
    ['while money is blocked', { ...body, blocked_balance: 0.01 }],
    ['of another account', { ...body, account_key: other }],
    ['with a third decimal', { ...body, balance: 1.005 }],
  ])('%s is not known', async (_what, answer) => {
    used.answers(() => reply(200, answer));
    await expect(reader().balance()).rejects.toThrow(BankUnavailable);
  });
});

test('charges, recurrences and claims are none: the service opens them at no bank of this dialect', async () => {
  const all = reader();
  for (const read of [all.readCharge, all.readRecurrence, all.readRecurringCharge])
    expect(await read(key)).toBeUndefined();
  for (const list of [all.listClaims, all.listRecurrences, all.listRecurringCharges])
    expect(await list(from, to, 0)).toEqual({ items: [], pages: 0 });
  expect(used.asked).toEqual([]);
});

test('the access is tested by a signed call of the bank’s own test', async () => {
  used.answers(() => reply(200, {}));
  expect(await used.connected.client.authorize()).toEqual({ scope: '' });
  expect(used.asked).toMatchObject([{ method: 'GET', path: `/test/${clientId}` }]);
  used.answers(() => problem(404, 'GDF000018'));
  await expect(used.connected.client.authorize()).rejects.toThrow('The bank refused our client key: GDF000018.');
  expect(await used.connected.client.certificateExpiry()).toBeUndefined();
});
