import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Connected } from '#shared/bank/connected.ts';
import { parseCallback } from '#shared/bank/dialects/efi/callback.ts';
import { efiDirectory } from '#shared/bank/dialects/efi/directory.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import * as shapes from '#shared/bank/dialects/efi/shapes.ts';
import { values } from '#shared/bank/dialects/efi/values.ts';
import { known, UnknownValue } from '#shared/bank/calls/enumeration.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { BankUnavailable, UnknownBankValue } from '#shared/bank/outcome.ts';
import { centavos } from '#shared/core/money.ts';
import { readCorrectedFile } from '../support/api-pix/bcb/corrections.ts';
import { fc } from '../support/properties.ts';
import { cob, cobr, devolucao, idRec, infracao, otherNumber, pix, rec, sent } from './answered-things.ts';
import { askings, instruction, withValue } from './askings.ts';
import { at, context, e2e, reference } from './bank-orders.ts';
import { useScriptedBank } from './use-scripted-bank.ts';

/*
 * API Pix grows: a status, a nature or a field of a later version arrives before this service knows it. It leaves the
 * resource as it is, it is reported, and it stops nothing else.
 */

const later = 'VALOR_NOVO';
const returned = { ...devolucao, natureza: 'ORIGINAL' };
/** A whole answer of each shape, and what each of its enumerations means. `PART`: of one return among others.
 * `PAST`: decides nothing any more. */
const answers = {
  SentBody: {
    ...{ body: { ...sent, devolucoes: [returned] }, first: sent },
    fields: { status: 'WHOLE', 'devolucoes.0.status': 'PART', 'devolucoes.0.natureza': 'PART' },
  },
  CobBody: {
    ...{ body: { ...cob, pix: [{ ...pix, devolucoes: [returned] }] }, first: cob },
    fields: { status: 'WHOLE', 'pix.0.devolucoes.0.status': 'PART', 'pix.0.devolucoes.0.natureza': 'PART' },
  },
  PixBody: {
    ...{ body: { ...pix, devolucoes: [returned] }, first: pix },
    fields: { 'devolucoes.0.status': 'PART', 'devolucoes.0.natureza': 'PART' },
  },
  DevolucaoBody: { body: returned, first: devolucao, fields: { status: 'WHOLE', natureza: 'PAST' } },
  RecBody: {
    ...{ body: { ...rec, atualizacao: [{ status: 'CRIADA', data: at }] }, first: rec },
    fields: { status: 'WHOLE', 'atualizacao.0.status': 'PAST' },
  },
  CobrBody: {
    ...{ body: { ...cobr, atualizacao: [{ status: 'CRIADA', data: at }] }, first: cobr },
    fields: {
      ...{ status: 'WHOLE', 'atualizacao.0.status': 'PAST', 'tentativas.0.tipo': 'WHOLE' },
      ...{ 'tentativas.0.status': 'WHOLE', 'tentativas.0.atualizacao.0.status': 'PAST' },
    },
  },
  DetailsBody: { body: {}, first: undefined, fields: { status: 'WHOLE' } },
  InfracaoBody: { body: infracao, first: infracao, fields: { status: 'WHOLE' } },
} as const;
/**
 * Enumerations that decide no status: codes of reasons, of which an unknown one is passed on or left out, and terms,
 * which are compared with those that were ordered.
 */
const decidesNothing = /(?:^|\.)(?:codigo|solicitante|jornada|periodicidade|politicaRetentativa)$/u;
/** Shapes without an enumeration, and lists of others. */
const withoutAny = ['LocRecBody', 'CashOutBody', 'BalanceBody', 'Page', 'RecsBody'];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- schemas, walked through as they are
type Schema = any;

/** The paths of the texts in a schema, `0` for the items of a list. */
function textsOf(schema: Schema, path: readonly string[] = []): readonly string[] {
  const { properties = {}, items, type, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...(type === 'string' ? [path.join('.')] : []),
    ...Object.entries(properties as Record<string, Schema>).flatMap(([name, part]) => textsOf(part, [...path, name])),
    ...(items === undefined ? [] : textsOf(items, [...path, '0'])),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((part: Schema) => textsOf(part, path)),
  ];
}

/** The members of BCB's file that have an enumeration, by their names, with all their values. */
function enumeratedByBcb(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const { document } = readCorrectedFile();
  const walk = (node: Schema): void => {
    for (const [name, part] of Object.entries(node as Record<string, Schema>)) {
      if (typeof part !== 'object' || part === null) continue;
      const named = document.components.schemas[String(part.$ref).split('/').at(-1) ?? ''] ?? part;
      const values: readonly string[] = Array.isArray(named.enum) ? named.enum : [];
      if (values.length > 0) found.set(name, new Set([...(found.get(name) ?? []), ...values]));
      walk(part);
    }
  };
  walk(document);
  return found;
}

const enumerated = enumeratedByBcb();
const cells = Object.entries(answers).flatMap(([shape, { body, first, fields }]) =>
  Object.entries(fields).map(([path, kind]) => ({ shape, body, first, path, kind })),
);
const isTold = [expect.objectContaining({ message: 'Bank sent a value that the service does not know', value: later })];

test('every enumeration of BCB that a shape reads has a case here, and no shape is left out', () => {
  const bodies = Object.entries(shapes).filter(([name]) => !withoutAny.includes(name));
  expect(bodies.map(([name]) => name).toSorted()).toEqual(Object.keys(answers).toSorted());
  const read = bodies.flatMap(([name, shape]) => {
    const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', reused: 'inline' });
    const paths = [...new Set(textsOf(schema))].filter((path) => enumerated.has(path.split('.').at(-1) ?? ''));
    return paths.filter((path) => !decidesNothing.test(path)).map((path) => `${name} ${path}`);
  });
  expect(read.toSorted()).toEqual(cells.map(({ shape, path }) => `${shape} ${path}`).toSorted());
});

test.each(Object.entries(values))('%s has the values of BCB or Efí, and no other text is known', (_name, one) => {
  const efi = ['REALIZADO', 'EXPIRADA', 'ABERTA', 'EM_DEFESA', 'ACEITA', 'CANCELADA_EFI'];
  const name = one.field.split('.').at(-1) ?? '';
  for (const value of one.meanings.keys()) expect([...(enumerated.get(name) ?? []), ...efi]).toContain(value);
  const text = fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString', 'ativa', ' ATIVA', ''));
  fc.assert(
    fc.property(text, (value) => {
      expect(() => known<unknown>(one, value)).toThrow(UnknownValue);
    }),
  );
});

const used = useScriptedBank();
const answering = async (body: unknown): Promise<Connected> => {
  used.server.answers(() => ({ status: 200, body }));
  return used.server.process()();
};

const asked = Object.entries(askings).flatMap(([name, { ask, body: own }]) =>
  cells.filter(({ first }) => first === own).map((cell) => ({ name, ask, ...cell })),
);

test('every whole answer is understood as it is, without a report', async () => {
  for (const { ask, body } of asked) expect(await ask(await answering(body))).toMatchObject({ outcome: 'DONE' });
  expect(used.errors).toEqual([]);
});

test.each(asked)('$name reports a later value at $path, and is $kind of it', async ({ ask, body, path, kind }) => {
  const { outcome } = await ask(await answering(withValue(body, path, later)));
  expect(outcome).toBe(kind === 'WHOLE' ? 'UNKNOWN' : 'DONE');
  expect(used.errors).toEqual(isTold);
});

const lists = {
  SentBody: ['listSent', 'pix'],
  PixBody: ['listReceived', 'pix'],
  RecBody: ['listRecurrences', 'recs'],
  CobrBody: ['listRecurringCharges', 'cobsr'],
  InfracaoBody: ['listClaims', 'infracoes'],
} as const;

describe.each(
  cells.flatMap((cell) => (cell.shape in lists ? [{ ...cell, list: lists[cell.shape as keyof typeof lists] }] : [])),
)('a list of which one $shape has a later value at $path', ({ body, path, kind, list: [name, member] }) => {
  test('has its other items, its pages, and a report', async () => {
    const ids = (number: number) => ({
      ...{ endToEndId: `${e2e.slice(0, -1)}${number}`, idEnvio: `${number}`, idInfracao: `${number}` },
      ...{ txid: `${reference.slice(0, -1)}${number}`, idRec: `${idRec.slice(0, -1)}${number}` },
    });
    const all = [0, 1, 2].map((number) => ({
      ...(number === 1 ? withValue(body, path, later) : body),
      ...ids(number),
    }));
    const { client } = await answering({ parametros: { paginacao: { quantidadeDePaginas: 3 } }, [member]: all });
    const { items, pages, unreadable } = await bankReader(client, () => at)[name](at, at, 0);
    expect([items.length, pages, unreadable]).toEqual(kind === 'WHOLE' ? [2, 3, 1] : [3, 3, 0]);
    expect(used.errors).toEqual(isTold);
  });
});

test.each(cells.filter(({ kind, shape }) => kind === 'PART' && shape !== 'CobBody'))(
  'a return in a $shape whose $path has a later value did not go back',
  async ({ shape, body, path }) => {
    const { client } = await answering(withValue(body, path, later));
    const reader = bankReader(client, () => at);
    const returnsOf = async () =>
      shape === 'PixBody'
        ? (await reader.readReceivedPix(e2e))?.returns
        : (await reader.readPayout(reference))?.state.returns;
    expect(await returnsOf()).toEqual([]);
    used.server.answers(() => ({ status: 200, body }));
    expect(await returnsOf()).toHaveLength(1);
  },
);

const paid = {
  ...{ tipo: 'NTAG', status: 'PAGA', dataLiquidacao: '2026-01-22', endToEndId: otherNumber },
  atualizacao: [{ status: 'PAGA', data: at }],
};
const [first] = cobr.tentativas;
const grown = {
  'a later past status of its own': { tentativas: [{ ...paid, atualizacao: [{ status: later, data: at }] }] },
  'a later past status of its cobr': { status: 'CANCELADA', atualizacao: [{ status: later, data: at }] },
  'an attempt of a later type beside it': { tentativas: [{ ...first, tipo: later }, paid] },
  'a later type and status of an attempt beside it': { tentativas: [{ ...first, tipo: later, status: later }, paid] },
};

test.each(Object.entries(grown))(
  'an attempt is PAID, and its code is read, when the bank sends %s',
  async (_what, more) => {
    const { client } = await answering({ ...cobr, status: 'ATIVA', tentativas: [paid], ...more });
    const charge = await bankReader(client, () => at).readRecurringCharge(reference);
    expect(charge?.state.attempts).toEqual([
      {
        kind: 'NEW_ATTEMPT_AFTER_DUE_DATE',
        day: paid.dataLiquidacao,
        endToEndId: otherNumber,
        history: [{ status: 'PAID', at }],
      },
    ]);
    expect(used.errors).toEqual(isTold);
  },
);

test('a later type or status of an attempt without an end-to-end id stops no other one', async () => {
  const { endToEndId: _none, ...unsent } = { ...paid, status: later };
  const { client } = await answering({ ...cobr, tentativas: [unsent, first] });
  const charge = await bankReader(client, () => at).readRecurringCharge(reference);
  expect(charge?.state.attempts).toHaveLength(1);
});

test('a rec is CANCELED at the last time that the bank gives, also when the status of that time is a later one', async () => {
  const atualizacao = [
    { status: 'APROVADA', data: '2026-01-15T10:00:00.000Z' },
    { status: later, data: at },
  ];
  const { client } = await answering({ ...rec, atualizacao });
  const found = await bankReader(client, () => at).readRecurrence(idRec);
  expect(found?.history).toEqual([
    { status: 'APPROVED', at: '2026-01-15T10:00:00.000Z' },
    { status: 'CANCELED', at },
  ]);
});

test('a new attempt is not charged again while the cobr has one of a later type, which may be it', async () => {
  const bank = await answering({ ...cobr, tentativas: [first, { ...paid, tipo: later }] });
  const order = { ...instruction, kind: 'NEW_ATTEMPT_AFTER_DUE_DATE', settlementDate: paid.dataLiquidacao } as const;
  const find = () => checkedRecurringCharges(apiPixRecurringCharges(bank)).schedule.find(order, context);
  expect(await find()).toMatchObject({ outcome: 'UNKNOWN' });
  used.server.answers(() => ({ status: 200, body: cobr }));
  expect(await find()).toEqual({ outcome: 'NEVER_SEEN' });
});

test('a devolução of ours is SETTLED, whatever its nature', async () => {
  const { client } = await answering({ ...returned, natureza: later });
  const found = await bankReader(client, () => at).readRefund(e2e, { id: reference, amount: centavos(100) });
  expect(found).toMatchObject({ status: 'SETTLED' });
  expect(used.errors).toEqual(isTold);
});

test('a reader reports that a value is unknown, so that no one asks again at once', async () => {
  const { client } = await answering({ ...sent, status: later });
  await expect(bankReader(client, () => at).readPayout(reference)).rejects.toThrow(UnknownBankValue);
  used.server.answers(() => ({ status: 200, body: { ...sent, valor: 'ten' } }));
  const malformed = await bankReader(client, () => at)
    .readPayout(reference)
    .catch((error: unknown) => error);
  expect(malformed).toBeInstanceOf(BankUnavailable);
  expect(malformed).not.toBeInstanceOf(UnknownBankValue);
});

const fails = () => Promise.reject(new Error('Not asked.'));

test('a QR code whose charge has a later status is not refused: the request may be repeated', async () => {
  const details = { txid: 'x'.repeat(26), valor: { final: '25.00' }, chave: 'caixa@empresa.example' };
  const own = { account: fails, accountAt: fails, charge: fails };
  const bank = await answering({ ...details, status: later });
  const code = { url: 'pix.efi.example/qr/v2/1', qrcodeData: '000201' };
  const { signal } = new AbortController();
  await expect(efiDirectory(bank, own).resolveCharge(code, { ...context, signal })).rejects.toThrow(UnknownBankValue);
  expect(used.errors).toEqual(isTold);
});

test('a later text is reported only where it has the form of a value', async () => {
  const { client } = await answering({ ...sent, status: 'Maria Souza' });
  await expect(bankReader(client, () => at).readPayout(reference)).rejects.toThrow(UnknownBankValue);
  expect(used.errors).toMatchObject([{ field: 'enviado.status', value: '(another text)' }]);
  expect(JSON.stringify(used.errors)).not.toContain('Maria');
});

test('a callback with later values, fields and lists has the same events', () => {
  const body = {
    pix: [{ ...pix, devolucoes: [returned] }],
    recs: [{ idRec, status: 'APROVADA' }],
    cobsr: [{ txid: reference, status: 'ATIVA' }],
  };
  const laterBody = {
    pix: [{ ...pix, natureza: later, devolucoes: [{ ...returned, status: later, natureza: later }] }, { novo: 1 }],
    recs: [{ idRec, status: later, novo: { a: 1 } }],
    cobsr: [{ txid: reference, status: later, tentativas: [{ tipo: later }] }],
    novos: [{ id: 'x' }],
  };
  const events = parseCallback(JSON.stringify(body));
  expect(events).toHaveLength(4);
  expect(parseCallback(JSON.stringify(laterBody))).toEqual(events);
});
