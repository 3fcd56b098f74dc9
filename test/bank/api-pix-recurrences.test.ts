import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connected } from '#shared/bank/connected.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import type { RecurrenceOrder } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { centavos } from '#shared/core/money.ts';
import { idRec } from './answered-things.ts';
import { at, byPath, context, payer } from './bank-orders.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { accountId, scriptedBank } from './scripted-bank.ts';

let server: ScriptedBank;
let connected: Connected;
const open = async (convenio?: string): Promise<void> => {
  const account = { chave: 'caixa@empresa.example', agencia: '0001', conta: '1', tipoConta: 'PAGAMENTO' } as const;
  const accounts = { [accountId]: { ...account, ...(convenio !== undefined && { convenio }) } };
  server = await scriptedBank(() => ({ status: 500 }), { accounts });
  connected = await server.process()();
};
beforeEach(() => open());
afterEach(() => {
  server.close();
});

const reference = '01234567-89ab-4def-8123-456789abcd00';
const order: RecurrenceOrder = {
  ...{ reference, externalId: 'contract-1', frequencyType: 'MONTHLY', startDate: '2026-02-01' },
  ...{ allowChargeAfterDueDate: false, receiver: payer, debtor: payer, accountId },
};
const rec = { idRec, status: 'CRIADA', loc: { id: 7, location: 'pix.efi.example/qr/v2/rec/7' } };
const location = { id: 7, location: 'pix.efi.example/qr/v2/rec/7' };
const recurrences = () => checkedRecurrences(apiPixRecurrences(connected));

describe('the request of a recurrence by API Pix', () => {
  const asked = async (more: Partial<RecurrenceOrder>): Promise<unknown> => {
    server.asked.length = 0;
    server.answers(byPath({ 'POST /v2/locrec': { status: 201, body: location }, 'POST /v2/rec': { status: 500 } }));
    await recurrences().open.submit({ ...order, ...more }, context);
    return server.asked.find(({ path }) => path === '/v2/rec')?.body;
  };
  const terms = {
    vinculo: { contrato: 'contract-1', devedor: { cpf: payer.document.number, nome: payer.name } },
    calendario: { dataInicial: '2026-02-01', periodicidade: 'MENSAL' },
    ...{ politicaRetentativa: 'NAO_PERMITE', loc: 7 },
  };

  test('has its contract, debtor, begin, period, policy and location, and no value that was not agreed', async () => {
    expect(await asked({})).toEqual(terms);
  });

  test.each<[string, Partial<RecurrenceOrder>, object]>([
    ['its end date', { endDate: '2027-02-01' }, { calendario: { ...terms.calendario, dataFinal: '2027-02-01' } }],
    ['its fixed amount', { fixedAmount: centavos(2990) }, { valor: { valorRec: '29.90' } }],
    [
      'the minimum of the payer’s limit',
      { maxAmountFloor: centavos(5000) },
      { valor: { valorMinimoRecebedor: '50.00' } },
    ],
    [
      'only its fixed amount when it has a minimum of the payer’s limit too',
      { fixedAmount: centavos(2990), maxAmountFloor: centavos(5000) },
      { valor: { valorRec: '29.90' } },
    ],
    ['its retry policy', { allowChargeAfterDueDate: true }, { politicaRetentativa: 'PERMITE_3R_7D' }],
    ['no text when its description is empty', { description: '' }, {}],
    [
      'a debtor that is a company',
      { debtor: { name: 'x'.repeat(141), document: { type: 'CNPJ', number: '11222333000181' } } },
      { vinculo: { contrato: 'contract-1', devedor: { cnpj: '11222333000181', nome: 'x'.repeat(140) } } },
    ],
    [
      'its external id of 35 characters',
      { externalId: 'x'.repeat(35) },
      { vinculo: { ...terms.vinculo, contrato: 'x'.repeat(35) } },
    ],
    [
      'our reference for an external id of 36',
      { externalId: 'x'.repeat(36) },
      { vinculo: { ...terms.vinculo, contrato: reference.replaceAll('-', '') } },
    ],
  ])('has %s', async (_what, more, expected) => {
    expect(await asked(more)).toEqual({ ...terms, ...expected });
  });

  test.each([
    ['WEEKLY', 'SEMANAL'],
    ['MONTHLY', 'MENSAL'],
    ['QUARTERLY', 'TRIMESTRAL'],
    ['SEMIANNUAL', 'SEMESTRAL'],
    ['ANNUAL', 'ANUAL'],
  ])('with the frequency %s has the period %s', async (frequencyType, periodicidade) => {
    expect(await asked({ frequencyType })).toMatchObject({ calendario: { periodicidade } });
  });

  test('has the contract of its account at a bank that has several', async () => {
    server.close();
    await open('12345');
    expect(await asked({})).toEqual({ ...terms, recebedor: { convenio: '12345' } });
  });

  test('is read after its creation, and is UNKNOWN when the bank does not have it yet or refuses the read', async () => {
    const responses = {
      'POST /v2/locrec': { status: 201, body: location },
      'POST /v2/rec': { status: 201, body: rec },
    };
    server.answers(byPath(responses));
    expect(await recurrences().open.submit(order, context)).toEqual({ outcome: 'UNKNOWN' });
    expect(await connected.recurrences.read(reference)).toMatchObject({ id: 7, idRec });
    server.answers(byPath({ [`GET /v2/rec/${idRec}`]: { status: 403 } }));
    expect(await recurrences().open.submit(order, context)).toEqual({ outcome: 'UNKNOWN' });
  });
});

describe('a recurrence whose response is lost', () => {
  const page = (...recs: readonly object[]) => ({ recs, parametros: { paginacao: { quantidadeDePaginas: 1 } } });
  const find = async (table: Parameters<typeof byPath>[0]) => {
    server.answers(byPath(table));
    return recurrences().open.find(order, { ...context, at: '2026-01-15T13:00:00.000Z' });
  };
  const known = { 'GET /v2/locrec/7': { status: 200, body: location } };

  test('is NEVER_SEEN, without a call, while it has no location', async () => {
    expect(await find({})).toEqual({ outcome: 'NEVER_SEEN' });
    expect(server.asked).toEqual([]);
  });

  test('is looked for in the list of its debtor, since ten minutes before its location was made', async () => {
    await connected.recurrences.keep(reference, { id: 7, createdAt: at });
    expect(await find({ ...known, 'GET /v2/rec': { status: 200, body: page() } })).toEqual({ outcome: 'NEVER_SEEN' });
    const { searchParams } = new URL(server.asked.at(-1)?.path ?? '', 'https://bank.example');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ inicio: '2026-01-15T11:50:00.000Z', fim: '2026-01-15T13:10:00.000Z', cpf: payer.document.number },
    });
  });

  test('is found by its own location, and its id is kept', async () => {
    await connected.recurrences.keep(reference, { id: 7, createdAt: at });
    const other = { ...rec, idRec: idRec.replace('k', 'z'), loc: { id: 6, location: 'x' } };
    const outcome = await find({
      ...{ ...known, 'GET /v2/rec': { status: 200, body: page(other, { ...other, loc: undefined }, rec) } },
      [`GET /v2/rec/${idRec}`]: { status: 200, body: rec },
    });
    expect(outcome).toMatchObject({ outcome: 'DONE', state: { recurrenceId: idRec } });
    expect(await connected.recurrences.read(reference)).toMatchObject({ idRec });
  });

  test.each([
    ['the bank does not have its location', {}],
    ['the look-up of its location fails', { 'GET /v2/locrec/7': { status: 503 } }],
    ['the list of recs is missing', known],
    ['the list of recs is refused', { ...known, 'GET /v2/rec': { status: 400, body: { type: 'x/FiltroInvalido' } } }],
  ])('stays unknown when %s', async (_what, table) => {
    await connected.recurrences.keep(reference, { id: 7, createdAt: at });
    expect(await find(table)).toEqual({ outcome: 'UNKNOWN' });
  });
});
