import { afterEach, expect, it, test, vi } from 'vitest';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { collectLines } from '../support/logged.ts';
import { e2e, rtr } from './bank-orders.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const at = '2026-01-15T12:00:00.000Z';
const id = '00000000-0000-0000-0000-000000000001';
/** An infração as Efí documents it. */
const infracao = {
  ...{ idInfracao: id, endToEndId: e2e, protocolo: '1234', dataTransacao: '2026-01-14T10:00:00.000Z', valor: '100' },
  ...{ chave: 'caixa@empresa.example', status: 'ABERTA', razao: 'FRAUDE', tipoSituacao: 'GOLPE' },
  ...{ tipoFraude: 'FALSIDADE_IDEOLOGICA', comentario: 'The payer never got it.', identificadorTicket: 'T-1' },
  dadosAnalise: { abertura: '2026-01-15T10:00:00.000Z', prazoFinalizacao: '2026-01-22T10:00:00.000Z' },
  origem: { nome: 'Maria', cpf: '52998224725' },
  destino: { nome: 'Padaria', cnpj: '11222333000181' },
  ...{ criadoEm: '2026-01-15T10:00:00.000Z', atualizadoEm: '2026-01-15T10:00:00.000Z' },
};
const page = (infracoes: readonly unknown[], pages = 1) => ({
  parametros: { inicio: at, fim: at, paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: pages } },
  infracoes,
});
function readerOf(body: unknown) {
  const asked: { readonly method: string; readonly path: string }[] = [];
  const told: (readonly [string, string])[] = [];
  const misled: string[] = [];
  const client = {
    query: (request: (typeof asked)[number]) => {
      asked.push(request);
      return Promise.resolve(body);
    },
    certificateExpiry: () => Promise.resolve(at),
    misled: (fields: string) => void misled.push(fields),
    notKnown: (field: string, value: string) => void told.push([field, value]),
  };
  return { reader: bankReader(client, () => at), asked, told, misled };
}
const listed = (infracoes: readonly unknown[]) => readerOf(page(infracoes)).reader.listClaims(at, at, 0);
const one = async (more: object) => (await listed([{ ...infracao, ...more }])).items[0];

it('the reader reads the claims of a window as Efí documents them', async () => {
  const { reader, asked } = readerOf(page([infracao], 3));
  expect(await reader.listClaims('2026-01-01T00:00:00.000Z', at, 2)).toEqual({
    ...{ pages: 3, unreadable: 0, unreadableIds: [] },
    items: [
      {
        ...{ claimId: id, endToEndId: e2e, kind: 'FRAUD', status: 'OPEN', amount: 10_000, isDefended: false },
        ...{ dueAt: '2026-01-22T10:00:00.000Z', createdAt: '2026-01-15T10:00:00.000Z', reason: 'FRAUDE' },
        details: 'GOLPE. FALSIDADE_IDEOLOGICA. The payer never got it.',
      },
    ],
  });
  const { pathname, searchParams } = new URL(asked[0]?.path ?? '', 'https://bank.example');
  expect([asked[0]?.method, pathname]).toEqual(['GET', '/v2/gn/infracoes']);
  expect(Object.fromEntries(searchParams)).toEqual({
    ...{ inicio: '2026-01-01T00:00:00.000Z', fim: at },
    ...{ 'paginacao.paginaAtual': '2', 'paginacao.itensPorPagina': '100' },
  });
});

test.each([
  ['100', 10_000],
  ['100.00', 10_000],
  ['100.5', 10_050],
  ['0100.50', 10_050],
  [100, 10_000],
  [100.5, 10_050],
  [0.01, 1],
  [29.9, 2990],
])('an amount of %j is %i centavos', async (valor, amount) => {
  expect(await one({ valor })).toMatchObject({ amount });
});

test.each([
  ['ABERTA', 'OPEN'],
  ['EM_DEFESA', 'DEFENDED'],
  ['ACEITA', 'ACCEPTED'],
  ['REJEITADA', 'REJECTED'],
  ['CANCELADA_EFI', 'CANCELED'],
])('a claim that is %s is %s', async (status, expected) => {
  expect(await one({ status })).toMatchObject({ status: expected, isDefended: status === 'EM_DEFESA' });
});

test.each([
  ['a protocol that is a number', { protocolo: 1234 }],
  ['an id that is a number', { idInfracao: 17 }],
  ['no optional field', { chave: undefined, tipoSituacao: undefined, tipoFraude: undefined, comentario: undefined }],
  ['null in place of them', { chave: null, tipoSituacao: null, tipoFraude: null, comentario: null, defesa: null }],
  [
    'null for the times of the analysis',
    { dadosAnalise: { ...infracao.dadosAnalise, recebimentoDefesa: null, finalizacao: null } },
  ],
  ['the opinion of an analyst', { justificativaAnalista: 'Looks like fraud.' }],
  ['fields that are new', { novo: { campo: [1] } }],
])('a claim with %s is read', async (_what, more) => {
  expect(await one(more)).toMatchObject({ status: 'OPEN', amount: 10_000 });
});

test('a claim without words has a reason of the service, and no details', async () => {
  const bare = { razao: ' ', tipoSituacao: '', tipoFraude: null, comentario: '\u0000' };
  const claim = await one(bare);
  expect(claim).toMatchObject({ reason: 'The payer claims the payment back.' });
  expect(claim).not.toHaveProperty('details');
  expect(claim).not.toHaveProperty('defence');
});

test.each([
  ['a text of a defence', { defesa: 'It was delivered.' }, 'It was delivered.'],
  ['the time of a defence', { dadosAnalise: { ...infracao.dadosAnalise, recebimentoDefesa: at } }, undefined],
])('a claim with %s is defended, whatever was decided', async (_what, more, defence) => {
  for (const status of ['EM_DEFESA', 'ACEITA', 'REJEITADA']) {
    const claim = await one({ ...more, status });
    expect(claim).toMatchObject({ isDefended: true });
    expect(claim?.defence).toBe(defence);
  }
});

it('the reader leaves out a claim of an unknown status, reports the status, and reads the others', async () => {
  const { reader, told } = readerOf(
    page([
      { ...infracao, status: 'EM_ANALISE' },
      { ...infracao, idInfracao: 'b' },
    ]),
  );
  const { items, unreadable, unreadableIds } = await reader.listClaims(at, at, 0);
  expect(items.map(({ claimId }) => claimId)).toEqual(['b']);
  expect([unreadable, unreadableIds]).toEqual([1, [id]]);
  expect(told).toEqual([['infracao.status', 'EM_ANALISE']]);
});

test.each([
  ['no object', 'x'],
  ['null', null],
  ['no id', { ...infracao, idInfracao: undefined }],
  ['an id that is no id', { ...infracao, idInfracao: '../pix' }],
  ['no payment', { ...infracao, endToEndId: undefined }],
  ['no amount', { ...infracao, valor: undefined }],
  ['an amount of nothing', { ...infracao, valor: 0 }],
  ['an amount below zero', { ...infracao, valor: '-1' }],
  ['an amount with three decimals', { ...infracao, valor: 1.005 }],
  ['an amount that is no number', { ...infracao, valor: 'cem' }],
  ['no end of its time', { ...infracao, dadosAnalise: {} }],
  ['no analysis', { ...infracao, dadosAnalise: null }],
  ['a time that is none', { ...infracao, criadoEm: 'ontem' }],
])('an item with %s is counted as unreadable, and the others are read', async (_what, broken) => {
  const { items, unreadable } = await listed([broken, { ...infracao, idInfracao: 'good' }]);
  expect(items.map(({ claimId }) => claimId)).toEqual(['good']);
  expect(unreadable).toBe(1);
});

it('the reader trusts neither of two items of one id that name other payments', async () => {
  const { reader, misled } = readerOf(page([infracao, { ...infracao, endToEndId: e2e.replace('k', 'l') }]));
  expect(await reader.listClaims(at, at, 0)).toMatchObject({ items: [], unreadable: 2 });
  expect(misled).not.toEqual([]);
});

it('the reader reads a page without claims', async () => {
  const { parametros } = page([]);
  expect(await readerOf({ parametros }).reader.listClaims(at, at, 0)).toMatchObject({ items: [], pages: 1 });
});

test('control characters of texts are blanks', async () => {
  const claim = await one({
    ...{
      razao: 'One\r\ntwo\u0000\u001B[31m',
      tipoSituacao: 'a\u2028b',
      tipoFraude: '\u202Ec',
      comentario: 'd\u200B\u200Be',
    },
    defesa: '\u0007It was\tdelivered.',
  });
  expect(claim).toMatchObject({ reason: 'One two [31m', details: 'a b. c. d e', defence: 'It was delivered.' });
});

test.each(['x', '😀', 'x😀', 'é'])('a text of 10 000 times %s is cut where no character breaks', async (unit) => {
  const long = unit.repeat(10_000);
  const claim = await one({ razao: long, tipoSituacao: long, tipoFraude: long, comentario: long, defesa: long });
  expect(claim?.reason.length).toBeLessThanOrEqual(140);
  expect(claim?.details?.length).toBeLessThanOrEqual(1000);
  for (const text of [claim?.reason, claim?.details]) expect(text?.isWellFormed(), text).toBe(true);
});

test('a half of a character that the bank cut is no part of a text', async () => {
  const claim = await one({ razao: 'x\uD83D', comentario: '\uDE00y' });
  for (const text of [claim?.reason, claim?.details]) expect(text?.isWellFormed()).toBe(true);
});

const devolucao = (more: object) => ({
  ...{
    id: 'D1',
    rtrId: rtr,
    valor: '40.00',
    status: 'DEVOLVIDO',
    horario: { solicitacao: at, liquidacao: at },
    ...more,
  },
});
const pixOf = async (more: object) => {
  const pix = { endToEndId: e2e, valor: '100.00', horario: at, devolucoes: [devolucao(more)] };
  const { reader, told } = readerOf(pix);
  return {
    pix: await reader.readReceivedPix(e2e).catch((error: unknown) => String(error)),
    told,
    list: readerOf({ ...page([]), pix: [pix] }),
  };
};

test.each([
  [undefined, undefined],
  ['ORIGINAL', undefined],
  ['RETIRADA', undefined],
  ['MED_FRAUDE', 'FRAUD'],
  ['MED_OPERACIONAL', 'OPERATIONAL_ERROR'],
  ['MED_PIX_AUTOMATICO', 'OPERATIONAL_ERROR'],
])('a return of the nature %s has the claim %s', async (natureza, claim) => {
  const { list } = await pixOf({ natureza });
  const { items } = await list.reader.listReceived(at, at, 0);
  const returned = { id: 'D1', returnId: rtr, amount: 4000, at };
  expect(items[0]?.returns).toEqual([claim === undefined ? returned : { ...returned, claim }]);
});

it('the reader leaves out a return of an unknown nature, and reports the nature', async () => {
  const { list } = await pixOf({ natureza: 'MED_NOVO' });
  const { items } = await list.reader.listReceived(at, at, 0);
  expect(items).toMatchObject([{ endToEndId: e2e, amount: 10_000, returns: [] }]);
  expect(list.told).toEqual([['devolucao.natureza', 'MED_NOVO']]);
});

test('a report of an unknown value never holds a text of a person', async () => {
  collectLines();
  const { list } = await pixOf({ natureza: 'Maria da Silva' });
  await list.reader.listReceived(at, at, 0);
  expect(list.told).toEqual([['devolucao.natureza', '(another text)']]);
});
