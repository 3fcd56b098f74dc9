import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiPixCharges, apiPixRefunds } from '#shared/bank/dialects/efi/charges.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import type { ChargeInstruction } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { scriptedBank } from './scripted-bank.ts';
import { cob, cobr, devolucao, idRec, otherId, otherNumber, otherRec, pix, rec, sent } from './answered-things.ts';
import { account, at, context, e2e, payer, reference } from './bank-orders.ts';

const payment = {
  ...{
    reference,
    initiation: 'KEY' as const,
    amount: centavos(1000),
    endToEndId: e2e,
    payer: account,
    description: 'x',
  },
  receiver: { ...payer, pix: { type: 'EMAIL', key: 'maria@example.com' } },
} as const;
const charge = {
  ...{ reference, amount: centavos(2500), receiver: account, payer, description: 'x' },
  expireDateTime: '2026-01-15T13:00:00.000Z',
};
const refund = { reference, endToEndId: e2e, amount: centavos(100) };
const recurrence = {
  ...{ reference, externalId: 'contract-1', frequencyType: 'MONTHLY', startDate: '2026-02-01', endDate: '2027-02-01' },
  ...{ allowChargeAfterDueDate: false, receiver: payer, debtor: payer, accountId: account.id },
  fixedAmount: centavos(2990),
};
const cancellation = { reference, recurrenceId: idRec };
const instruction: ChargeInstruction = {
  ...{ reference, kind: 'FIRST_ATTEMPT' as const, charge: reference, recurrenceId: idRec, receiver: account },
  ...{ amount: centavos(2990), settlementDate: '2026-01-20', adjustsToBusinessDay: false },
};
const { recurrenceId: _rec, amount: _amount, ...attempt } = instruction;
const withdrawal = { ...attempt, reason: 'REQUESTED_BY_RECEIVER' };

const payouts = (bank: Connected) => checkedPayouts(efiPayouts(bank));
const charges = (bank: Connected) => checkedCharges(apiPixCharges(bank));
const refunds = (bank: Connected) => checkedRefunds(apiPixRefunds(bank));
const recurrences = (bank: Connected) => checkedRecurrences(apiPixRecurrences(bank));
const recurring = (bank: Connected) => checkedRecurringCharges(apiPixRecurringCharges(bank));
const reader = ({ client }: Connected) => bankReader(client, () => at);

type Outcome = { readonly outcome: string };
/** A reader's answer as an outcome. */
const read = async (response: Promise<unknown>): Promise<Outcome> =>
  response.then(
    (state) => ({ outcome: state === undefined ? 'NEVER_SEEN' : 'DONE' }),
    (error: unknown) => ({
      outcome: error instanceof Error && error.name === 'BankUnavailable' ? 'UNKNOWN' : 'THROWN',
    }),
  );

type Asking = {
  readonly ask: (bank: Connected) => Promise<Outcome>;
  /** The answer about what was asked for. */
  readonly body: object;
  /** What it may name instead, by its path. */
  readonly others: Readonly<Record<string, unknown>>;
};
const sentOthers = { idEnvio: otherId, endToEndId: otherNumber, valor: '10.01' };
const cobOthers = { txid: otherId, 'valor.original': '25.01', chave: 'another@empresa.example' };
const cobrOthers = {
  ...{ txid: otherId, idRec: otherRec, 'valor.original': '29.91', 'calendario.dataDeVencimento': '2026-01-21' },
};
const recTerms = {
  ...{ 'vinculo.contrato': 'contract-2', 'vinculo.devedor.cpf': '11144477735', 'valor.valorRec': '29.91' },
  ...{ 'calendario.periodicidade': 'SEMANAL', 'calendario.dataInicial': '2026-02-02', 'loc.id': 8 },
  ...{ 'calendario.dataFinal': '2027-02-02', politicaRetentativa: 'PERMITE_3R_7D' },
};
/** A rec that is opened is asked for by what is remembered of it. */
const opened = async (bank: Connected): Promise<Connected> => {
  await bank.recurrences.keep(reference, { id: 7, createdAt: at });
  await bank.recurrences.opened(reference, idRec);
  return bank;
};
const asOpened = async (bank: Connected) => recurrences(await opened(bank)).open;

const table: Readonly<Record<string, Asking>> = {
  'payout send': { ask: (b) => payouts(b).send.submit(payment, context), body: sent, others: sentOthers },
  'payout look-up': { ask: (b) => payouts(b).send.find(payment, context), body: sent, others: sentOthers },
  'payout cancel look-up': { ask: (b) => payouts(b).cancel.find(payment, context), body: sent, others: sentOthers },
  'payout of the reader': {
    ...{ ask: (b) => read(reader(b).readPayout(reference)), body: sent },
    others: { idEnvio: otherId },
  },
  'charge open': { ask: (b) => charges(b).open.submit(charge, context), body: cob, others: cobOthers },
  'charge look-up': { ask: (b) => charges(b).open.find(charge, context), body: cob, others: cobOthers },
  'charge with the payment of another': {
    ...{ ask: (b) => charges(b).open.find(charge, context), body: { ...cob, pix: [pix] } },
    others: { 'pix.0.txid': otherId },
  },
  'charge remove': { ask: (b) => charges(b).remove.submit(charge, context), body: cob, others: { txid: otherId } },
  'charge remove look-up': {
    ...{ ask: (b) => charges(b).remove.find(charge, context), body: cob, others: { txid: otherId } },
  },
  'charge of the reader': {
    ...{ ask: (b) => read(reader(b).readCharge(reference)), body: cob, others: { txid: otherId } },
  },
  'refund submit': {
    ...{ ask: (b) => refunds(b).submit(refund, context), body: devolucao, others: { id: otherId, valor: '1.01' } },
  },
  'refund look-up': {
    ...{ ask: (b) => refunds(b).find(refund, context), body: devolucao, others: { id: otherId, valor: '1.01' } },
  },
  'refund of the reader': {
    ask: (b) => read(reader(b).readRefund(e2e, { id: reference, amount: centavos(100) })),
    ...{ body: devolucao, others: { id: otherId, valor: '1.01' } },
  },
  'recurrence open': {
    ask: async (b) => (await asOpened(b)).submit(recurrence, context),
    ...{ body: rec, others: { ...recTerms, idRec: otherRec } },
  },
  'recurrence look-up': {
    ask: async (b) => (await asOpened(b)).find(recurrence, context),
    ...{ body: rec, others: { ...recTerms, idRec: otherRec } },
  },
  'recurrence cancel': {
    ...{ ask: (b) => recurrences(b).cancel.submit(cancellation, context), body: rec, others: { idRec: otherRec } },
  },
  'recurrence cancel look-up': {
    ...{ ask: (b) => recurrences(b).cancel.find(cancellation, context), body: rec, others: { idRec: otherRec } },
  },
  'recurrence read': {
    ...{ ask: (b) => recurrences(b).read(cancellation, context), body: rec, others: { idRec: otherRec } },
  },
  'recurrence of the reader': {
    ...{ ask: (b) => read(reader(b).readRecurrence(idRec)), body: rec, others: { idRec: otherRec } },
  },
  'recurring charge schedule': {
    ...{ ask: (b) => recurring(b).schedule.submit(instruction, context), body: cobr, others: cobrOthers },
  },
  'recurring charge look-up': {
    ...{ ask: (b) => recurring(b).schedule.find(instruction, context), body: cobr, others: cobrOthers },
  },
  'recurring charge withdraw': {
    ...{ ask: (b) => recurring(b).withdraw.submit(withdrawal, context), body: cobr, others: { txid: otherId } },
  },
  'recurring charge withdraw look-up': {
    ...{ ask: (b) => recurring(b).withdraw.find(withdrawal, context), body: cobr, others: { txid: otherId } },
  },
  'recurring charge of the reader': {
    ask: (b) => read(reader(b).readRecurringCharge(reference, { idRec, amount: centavos(2990) })),
    ...{ body: cobr, others: { txid: otherId, idRec: otherRec, 'valor.original': '29.91' } },
  },
  'received Pix of the reader': {
    ...{ ask: (b) => read(reader(b).readReceivedPix(e2e)), body: pix, others: { endToEndId: otherNumber } },
  },
};

/** What an answer may leave out: its shape needs the rest. */
const optional =
  /^(?:idEnvio|endToEndId|id|chave|politicaRetentativa|valor\.\w+|calendario\.\w+|vinculo\..*|loc\.id|pix\..*)$/u;

/** A copy with another value at a path, or without it. */
function withValue(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  const holder = steps.reduce<Record<string, unknown>>((parent, step) => parent[step] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}

const cells = Object.entries(table).flatMap(([name, asking]) =>
  Object.entries(asking.others).map(([path, other]) => ({ name, path, other, ...asking })),
);

let server: ScriptedBank;
let errors: ReturnType<typeof collectErrors>;
beforeAll(async () => {
  server = await scriptedBank(() => ({ status: 500 }));
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  errors = collectErrors();
});
afterEach(() => {
  vi.restoreAllMocks();
});
const readErrorMessages = () => errors.map(({ message }) => message);
const answering = async (body: unknown): Promise<Connected> => {
  server.answers(() => ({ status: 200, body }));
  return server.process()();
};

describe('a response of the bank', () => {
  test.each(Object.entries(table))('is accepted when it is about the requested order (%s)', async (_name, asking) => {
    expect(await asking.ask(await answering(asking.body))).toMatchObject({ outcome: 'DONE' });
    expect(readErrorMessages()).toEqual([]);
  });

  test.each(cells)(
    'is UNKNOWN, and reported, when it has another $path ($name)',
    async ({ path, other, body, ask }) => {
      expect((await ask(await answering(withValue(body, path, other)))).outcome).toBe('UNKNOWN');
      expect(readErrorMessages()).toEqual(['Bank response named another resource than the request']);
      expect(JSON.stringify(errors)).not.toContain(`"${String(other)}"`);
    },
  );

  test.each(cells.filter(({ path, name }) => optional.test(path) && name !== 'received Pix of the reader'))(
    'is accepted when it has no $path ($name)',
    async ({ path, body, ask }) => {
      expect(await ask(await answering(withValue(body, path, undefined)))).toMatchObject({ outcome: 'DONE' });
      expect(readErrorMessages()).toEqual([]);
    },
  );

  test.each(cells.filter(({ path }) => ['idEnvio', 'txid', 'id'].includes(path)))(
    'is accepted when it has our $path in capitals ($name)',
    async ({ path, body, ask }) => {
      const capitals = withValue(body, path, reference.toUpperCase());
      expect(await ask(await answering(capitals))).toMatchObject({ outcome: 'DONE' });
    },
  );

  test.each(cells.filter(({ path }) => path === 'endToEndId'))(
    'is UNKNOWN when its end-to-end id differs from ours in case only ($name)',
    async ({ path, body, ask }) => {
      const own = (body as { endToEndId: string }).endToEndId;
      const similar = own.slice(0, -1) + own.slice(-1).toUpperCase();
      expect(similar).not.toBe(own);
      expect((await ask(await answering(withValue(body, path, similar)))).outcome).toBe('UNKNOWN');
    },
  );

  test('is accepted when it has the PIX key in the form of the DICT (open charge)', async () => {
    const bank = await answering({ ...cob, chave: 'CAIXA@EMPRESA.example' });
    expect(await charges(bank).open.submit(charge, context)).toMatchObject({ outcome: 'DONE' });
  });
});

test('the id of a recurrence is not kept when the bank answers about another recurrence', async () => {
  const bank = await answering({ id: 9, location: 'pix.efi.example/qr/v2/rec/9' });
  const order = { ...recurrence, reference: otherId };
  server.answers(({ path }) => ({ status: 200, body: path === '/v2/locrec' ? { id: 9, location: 'x' } : rec }));
  expect(await recurrences(bank).open.submit(order, context)).toEqual({ outcome: 'UNKNOWN' });
  expect(await bank.recurrences.read(otherId)).toMatchObject({ id: 9 });
  expect(await bank.recurrences.read(otherId)).not.toHaveProperty('idRec');
});

test('a look-up of a recurrence is UNKNOWN when the bank answers about another location', async () => {
  const bank = await answering({ id: 8, location: 'x', idRec: otherRec });
  await bank.recurrences.keep('e'.repeat(32), { id: 7, createdAt: at });
  const order = { ...recurrence, reference: 'e'.repeat(32) };
  expect(await recurrences(bank).open.find(order, context)).toEqual({ outcome: 'UNKNOWN' });
});
