import { describe, expect, test } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { centavos } from '#shared/core/money.ts';
import { cob, cobr, devolucao, idRec, pix, rec, sent } from './answered-things.ts';
import { at, e2e, reference } from './bank-orders.ts';

const orderId = '01234567-89ab-cdef-0123-456789abcd00';
const [from, to] = ['2026-01-14T12:00:00.000Z', '2026-01-15T12:00:00.000Z'];

/** A reader of a bank that has one thing, and what it asked for. */
function readerOf(body: object) {
  const asked: URL[] = [];
  const query = ({ path }: { readonly path: string }): Promise<unknown> => {
    asked.push(new URL(path, 'https://bank.example'));
    return Promise.resolve(body);
  };
  const client = {
    query,
    certificateExpiry: () => Promise.resolve(at),
    misled: () => undefined,
    notKnown: () => undefined,
  };
  return { asked, reader: bankReader(client, () => at) };
}

test.each<[string, (reader: BankReader) => Promise<unknown>, object, string]>([
  ['a charge', (reader) => reader.readCharge(orderId), cob, `/v2/cob/${reference}`],
  ['a received Pix', (reader) => reader.readReceivedPix(e2e), pix, `/v2/pix/${e2e}`],
  ['a recurrence', (reader) => reader.readRecurrence(idRec), rec, `/v2/rec/${idRec}`],
  ['a recurring charge', (reader) => reader.readRecurringCharge(orderId), cobr, `/v2/cobr/${reference}`],
  [
    'a refund',
    (reader) => reader.readRefund(e2e, { id: orderId, amount: centavos(100) }),
    devolucao,
    `/v2/pix/${e2e}/devolucao/${reference}`,
  ],
  ['a payout', (reader) => reader.readPayout(orderId), sent, `/v2/gn/pix/enviados/id-envio/${reference}`],
  ['the balance', (reader) => reader.balance(), { saldo: '1.00' }, '/v2/gn/saldo'],
])('a reader requests %s at its path, with our id in the form of the bank', async (_what, read, body, path) => {
  const { reader, asked } = readerOf(body);
  expect(await read(reader)).toBeDefined();
  expect(asked.map(({ pathname }) => pathname)).toEqual([path]);
});

describe.each<
  [string, Exclude<keyof BankReader, `read${string}` | 'balance' | 'certificateExpiry'>, string, string, object]
>([
  ['received Pix', 'listReceived', '/v2/pix', 'pix', pix],
  ['sent Pix', 'listSent', '/v2/gn/pix/enviados', 'pix', sent],
  ['recurrences', 'listRecurrences', '/v2/rec', 'recs', rec],
  ['recurring charges', 'listRecurringCharges', '/v2/cobr', 'cobsr', cobr],
])('a list of %s', (_what, list, path, member, one) => {
  const parametros = { paginacao: { quantidadeDePaginas: 3 } };

  test('is requested at its path for the whole window', async () => {
    const { reader, asked } = readerOf({ parametros, [member]: [one] });
    const page = await reader[list](from, to, 2);
    expect(page).toMatchObject({ pages: 3, unreadable: 0, items: [{}] });
    expect(asked.map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)])).toMatchObject([
      [path, { inicio: from, fim: to, 'paginacao.paginaAtual': '2' }],
    ]);
  });

  test('is empty when the bank leaves its items out', async () => {
    expect(await readerOf({ parametros }).reader[list](from, to, 0)).toMatchObject({ items: [], unreadable: 0 });
  });
});

test('a recurring charge has its subscription and its amount, in a list and by its txid', async () => {
  const expected = { txid: reference, idRec, amount: 2990 };
  const parametros = { paginacao: { quantidadeDePaginas: 1 } };
  expect(await readerOf(cobr).reader.readRecurringCharge(orderId)).toMatchObject(expected);
  const { items } = await readerOf({ parametros, cobsr: [cobr] }).reader.listRecurringCharges(from, to, 0);
  expect(items).toMatchObject([expected]);
});

test('an item of a list that cannot be read is named by its txid where it has no other number', async () => {
  const unreadable = { ...cobr, idRec: 'Maria Souza', status: 1 };
  const { reader } = readerOf({ parametros: { paginacao: { quantidadeDePaginas: 1 } }, cobsr: [unreadable] });
  expect(await reader.listRecurringCharges(from, to, 0)).toMatchObject({ unreadable: 1, unreadableIds: [reference] });
});
