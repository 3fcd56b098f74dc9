import { afterEach, expect, it, vi } from 'vitest';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const at = '2026-01-15T15:00:00.000Z';
const sent = {
  ...{ idEnvio: 'a1', endToEndId: 'E09089356202601151500abcdefghijk', valor: '10.00', status: 'REALIZADO' },
  horario: { solicitacao: at, liquidacao: at },
};
const back = { rtrId: 'D09089356202601151500abcdefghijk', valor: '4.00' };

const readerOf = (pix: readonly unknown[]) =>
  readerOfBody({ parametros: { inicio: at, fim: at, paginacao: { quantidadeDePaginas: 1 } }, pix });
const readerOfBody = (body: unknown) => {
  const client = {
    query: () => Promise.resolve(body),
    certificateExpiry: () => Promise.resolve(at),
    misled: () => undefined,
    notKnown: () => undefined,
  };
  return bankReader(client, () => at);
};

it('names what it cannot read of a list by its id alone, and only by one that is an id', async () => {
  const broken = [
    { ...sent, valor: 'ten' },
    { ...sent, idEnvio: 'Maria Souza', valor: 'ten' },
    'Maria',
    { valor: 'x' },
  ];
  const { items, unreadable, unreadableIds } = await readerOf([...broken, sent]).listSent(at, at, 0);
  expect(items).toHaveLength(1);
  expect(unreadable).toBe(4);
  expect(unreadableIds).toEqual(['a1', sent.endToEndId]);
});

it('asks for pages of a hundred, each with the time of a worker, or what is left of it', async () => {
  const asked: { path: string; signal?: AbortSignal }[] = [];
  const body = { parametros: { inicio: at, fim: at, paginacao: { quantidadeDePaginas: 1 } } };
  const query = (request: (typeof asked)[number]) => {
    asked.push(request);
    return Promise.resolve(body);
  };
  const timeouts = vi.spyOn(AbortSignal, 'timeout');
  const reader = bankReader(
    { query, certificateExpiry: () => Promise.resolve(at), misled: () => undefined, notKnown: () => undefined },
    () => at,
  );
  await reader.listReceived(at, at, 3);
  await reader.listRecurringCharges(at, at, 0, 1200);
  await reader.listSent(at, at, 0, Infinity);
  await reader.listRecurrences(at, at, 0, -1);
  expect(timeouts.mock.calls).toEqual([[30_000], [1200], [30_000], [0]]);
  expect(asked.map(({ signal }) => signal)).toEqual(timeouts.mock.results.map(({ value }) => value as AbortSignal));
  const query0 = new URL(asked[0]?.path ?? '', 'https://bank.example').searchParams;
  expect(query0.get('paginacao.itensPorPagina')).toBe('100');
  expect(query0.get('paginacao.paginaAtual')).toBe('3');
});

it('reads a payout that came back, however its bank names the time', async () => {
  const returned = [at, { solicitacao: at }, { solicitacao: at, liquidacao: at }].map((horario) => ({
    ...sent,
    devolucoes: [{ ...back, horario }],
  }));
  const { items, unreadable } = await readerOf(returned).listSent(at, at, 0);
  const expected = [{ returnId: back.rtrId, amount: 400, at }];
  expect(items.map(({ state }) => state.returns)).toEqual([expected, expected, expected]);
  expect(unreadable).toBe(0);
});

it.each([
  ['100.05', 10_005],
  ['0.00', 0],
  ['-0.04', -4],
])('reads the balance %s, which fees may take below zero', async (saldo, expected) => {
  expect(await readerOfBody({ saldo }).balance()).toBe(expected);
});

it.each(['', 'ten', '1,00', '--1.00', '+1.00'])('does not read %j as a balance', async (saldo) => {
  await expect(readerOfBody({ saldo }).balance()).rejects.toThrow('The bank response is invalid.');
});

it('reads the others of a list with one item that is not what the bank promises', async () => {
  const { items, unreadable } = await readerOf([{ ...sent, valor: 'ten' }, sent, { ...sent, status: 'NEW' }]).listSent(
    at,
    at,
    0,
  );
  expect(items.map(({ reference }) => reference)).toEqual(['a1']);
  expect(unreadable).toBe(2);
});
