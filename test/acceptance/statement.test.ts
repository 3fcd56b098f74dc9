import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { ListStatementRoots } from '#functions/accounts/list-roots/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { activeAccount, eventually, first, prepareOnce, second } from './partners.ts';
import { brl, payIn, payout } from './samples.ts';
import { refused } from '../support/refusals.ts';

const accountId = activeAccount(first).id;
const params = { accountId };
const centavosOf = (decimal: string): number => Number(decimal.replace('.', ''));

async function walk(query: Readonly<Record<string, string>>) {
  const entries = [];
  let cursor: string | null = null;
  do {
    const page: Readonly<Record<string, string>> = { ...query, ...(cursor !== null && { cursor }) };
    const { body } = await first.call(ListEntries, { params, query: page });
    entries.push(...body.data);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return entries;
}

const force = (id: string, status: 'PAID' | 'ERROR') => first.call(ForceOrderStatus, { body: { id, status } });

describe('the statement of an account', () => {
  let paidIn: string;
  let paidOut: string;
  prepareOnce(async () => {
    paidIn = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('10.50') }) })).body.id;
    await force(paidIn, 'PAID');
    await first.call(RefundPayIn, { params: { id: paidIn }, body: {} });
    paidOut = (await first.call(CreatePayout, { body: payout(accountId, { amount: brl('7.25') }) })).body.id;
    await force(paidOut, 'ERROR');
  });

  test('explains the balance: all entries add up to it', async () => {
    const look = async () => {
      const before = await first.call(GetBalance, { params });
      const entries = await walk({ limit: '100' });
      const after = await first.call(GetBalance, { params });
      const sum = (part: 'available' | 'reserved') =>
        entries.reduce((total, entry) => total + centavosOf(entry[part]), 0);
      const { available, reserved } = after.body;
      const isQuiet = before.received.text === after.received.text;
      return { isQuiet, sum: [sum('available'), sum('reserved')], is: [centavosOf(available), centavosOf(reserved)] };
    };
    const { isQuiet, sum, is } = await eventually(look, (seen) => seen.isQuiet);
    expect(isQuiet).toBe(true);
    expect(sum).toEqual(is);
  });

  test('names the order of each entry, newest first, its parts signed', async () => {
    const entries = await walk({ limit: '100' });
    const entriesOf = (orderId: string) =>
      entries
        .filter((entry) => entry.orderId === orderId)
        .map(({ type, available, reserved }) => [type, available, reserved]);
    expect(entriesOf(paidIn)).toEqual([
      ['REFUND_RESERVED', '-10.50', '10.50'],
      ['PAY_IN', '10.50', '0.00'],
    ]);
    expect(entriesOf(paidOut)).toEqual([
      ['PAYOUT_RETURNED', '7.25', '-7.25'],
      ['PAYOUT_RESERVED', '-7.25', '7.25'],
    ]);
    const withoutOrder = ['OPENING', 'DEPOSIT', 'PAYOUT_RECEIVED', 'REFUND_RECEIVED'];
    for (const { type, orderId } of entries.filter(({ creditId }) => creditId === undefined))
      expect(orderId === undefined, type).toBe(withoutOrder.includes(type));
  });

  test('each entry names its counterparty, and the ids by which the banks know it', async () => {
    const entries = await walk({ limit: '100' });
    const of = (orderId: string, name: string) =>
      entries.find((entry) => entry.orderId === orderId && entry.type === name);
    const payer = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } };
    expect(of(paidIn, 'PAY_IN')).toMatchObject({ endToEndId: expect.stringMatching(/^E/u) as string });
    expect(of(paidIn, 'PAY_IN')?.counterparty).toMatchObject(payer);
    expect(of(paidIn, 'REFUND_RESERVED')).toMatchObject({
      refundId: expect.stringMatching(/^[0-9a-f]{32}$/u) as string,
    });
    const { receiver, endToEndId } = (await first.call(GetPayout, { params: { id: paidOut } })).body;
    expect(of(paidOut, 'PAYOUT_RESERVED')).toMatchObject({ counterparty: receiver });
    // A bank that is asked over a network gives the number after the reservation.
    expect(of(paidOut, 'PAYOUT_RETURNED')).toMatchObject({ endToEndId, counterparty: receiver });
  });

  test('is searched by type and by order', async () => {
    const all = await walk({ limit: '100' });
    const found = await walk({ orderId: paidIn.toUpperCase(), limit: '1' });
    expect(found).toEqual(all.filter(({ orderId }) => orderId === paidIn));
    expect(found).toHaveLength(2);
    expect(await walk({ type: 'PAYOUT_RETURNED', orderId: paidOut })).toHaveLength(1);
    expect(await walk({ orderId: randomUUID() })).toEqual([]);
    const unknown = first.refused(ListEntries, { params, query: { type: 'PAYMENT' } });
    refused(await unknown, 400, ['type:INVALID_VALUE']);
  });

  test('is walked in pages of one as in a single page, in either order, and cut to a time', async () => {
    const from = { createdFrom: new Date(Date.now() - 600_000).toISOString() };
    const to = { createdTo: (await walk({ ...from, limit: '100' }))[0]!.createdAt };
    const all = await walk({ ...from, ...to, limit: '100' });
    expect(all.length).toBeGreaterThan(2);
    expect(await walk({ ...from, ...to, limit: '1' })).toEqual(all);
    expect(await walk({ ...from, ...to, limit: '3', sort: 'asc' })).toEqual(all.toReversed());
    expect(all.every(({ createdAt }) => createdAt >= from.createdFrom && createdAt < to.createdTo)).toBe(true);
    const oldest = all.at(-1)!;
    expect(await walk({ createdFrom: oldest.createdAt, ...to, limit: '100' })).toEqual(all);
    expect(await walk({ createdFrom: to.createdTo, createdTo: oldest.createdAt })).toEqual([]);
  });

  test('is read as files, page by page, whose entries are those of the pages in JSON', async () => {
    const from = { createdFrom: new Date(Date.now() - 600_000).toISOString() };
    // On a deployment other tests move the account meanwhile: what they write is newer.
    const to = { createdTo: (await walk({ ...from, limit: '100' }))[0]!.createdAt };
    const query = { ...from, ...to, sort: 'asc' };
    const entries = await walk({ ...query, limit: '100' });
    const filePages = async (format: 'csv' | 'ofx') => {
      const pages = [];
      let next: string | undefined = `?${new URLSearchParams({ ...query, limit: '2', format }).toString()}`;
      while (next !== undefined) {
        const path = `/order/v1/banking/accounts/${accountId}/entries${next}`;
        const { status, headers, text } = await first.raw({ method: 'GET', path });
        expect([status, headers['content-disposition']]).toEqual([200, `attachment; filename="statement.${format}"`]);
        pages.push({ text, type: headers['content-type'] });
        next = /^<(\?.*)>; rel="next"$/u.exec(String(headers['link']))?.[1];
      }
      return pages;
    };
    const csv = await filePages('csv');
    expect(new Set(csv.map(({ type }) => type))).toEqual(new Set(['text/csv; charset=utf-8']));
    const [header, ...lines] = csv.flatMap(({ text }) => text.trimEnd().split('\r\n'));
    expect(header).toMatch(/^createdAt,type,.*,id$/u);
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(entries.map(({ id }) => id));
    const ofx = await filePages('ofx');
    expect(ofx).toHaveLength(Math.ceil(entries.length / 2));
    const moving = entries.filter(
      ({ available, reserved, blocked }) => centavosOf(available) + centavosOf(reserved) + centavosOf(blocked) !== 0,
    );
    const ids = ofx.flatMap(({ text }) => [...text.matchAll(/<FITID>([^<]*)/gu)].map(([, id]) => id));
    expect(ids).toEqual(moving.map(({ id }) => id));
    const unknown = await first.raw({
      method: 'GET',
      path: `/order/v1/banking/accounts/${randomUUID()}/entries?format=ofx`,
    });
    expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    refused(await first.refused(ListEntries, { params, query: { format: 'pdf' } }), 400, ['format:INVALID_VALUE']);
  });

  test('ends as OFX with all the money of the account, however it is held', async () => {
    const path = `/order/v1/banking/accounts/${accountId}/entries?format=ofx&limit=1`;
    const total = async () => {
      const { available, reserved, blocked } = (await first.call(GetBalance, { params })).body;
      return centavosOf(available) + centavosOf(reserved) + centavosOf(blocked);
    };
    const look = async () => {
      const before = await total();
      const { text } = await first.raw({ method: 'GET', path });
      const shown = /<LEDGERBAL><BALAMT>([^<]*)/u.exec(text)?.[1] ?? '';
      return { before, shown: centavosOf(shown), after: await total() };
    };
    const seen = await eventually(look, ({ before, after }) => before === after);
    expect(seen).toEqual({ before: seen.shown, shown: seen.shown, after: seen.shown });
  });

  test('is not found when the account is unknown or another company’s', async () => {
    refused(await first.refused(ListEntries, { params: { accountId: randomUUID() } }), 404);
    refused(await second.refused(ListEntries, { params }), 404);
    refused(await first.refused(ListEntries, { params: { accountId: 'mine' } }), 400, ['accountId:INVALID_FORMAT']);
  });

  test('has signed roots of its own account alone', async () => {
    const wrong = await first.refused(ListStatementRoots, { query: { accountId: 'mine' } });
    refused(wrong, 400, ['accountId:INVALID_FORMAT']);
    expect((await second.call(ListStatementRoots, { query: params })).body.data).toEqual([]);
  });

  test('takes a cursor of its own account and filters alone', async () => {
    const { body } = await first.call(ListEntries, { params, query: { limit: '1' } });
    const query = { limit: '1', cursor: body.nextCursor! };
    const wrong = ['cursor:INVALID_VALUE'];
    const other = { params: { accountId: first.accounts[1]!.id }, query };
    refused(await first.refused(ListEntries, other), 400, wrong);
    refused(await first.refused(ListEntries, { params, query: { ...query, sort: 'asc' } }), 400, wrong);
  });
});
