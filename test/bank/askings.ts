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
import { cob, cobr, devolucao, idRec, otherId, otherNumber, otherRec, pix, rec, sent } from './answered-things.ts';
import { account, at, context, e2e, payer, reference } from './bank-orders.ts';

// Everything that is asked of a bank about one thing, each with an answer about it.

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
export const charge = {
  ...{ reference, amount: centavos(2500), receiver: account, payer, description: 'x' },
  expireDateTime: '2026-01-15T13:00:00.000Z',
};
const refund = { reference, endToEndId: e2e, amount: centavos(100) };
export const recurrence = {
  ...{ reference, externalId: 'contract-1', frequencyType: 'MONTHLY', startDate: '2026-02-01', endDate: '2027-02-01' },
  ...{ allowChargeAfterDueDate: false, receiver: payer, debtor: payer, accountId: account.id },
  fixedAmount: centavos(2990),
};
const cancellation = { reference, recurrenceId: idRec };
export const instruction: ChargeInstruction = {
  ...{ reference, kind: 'FIRST_ATTEMPT' as const, charge: reference, recurrenceId: idRec, receiver: account },
  ...{ amount: centavos(2990), settlementDate: '2026-01-20', adjustsToBusinessDay: false },
};
const { recurrenceId: _rec, amount: _amount, ...attempt } = instruction;
const withdrawal = { ...attempt, reason: 'REQUESTED_BY_RECEIVER' };

const payouts = (bank: Connected) => checkedPayouts(efiPayouts(bank));
export const charges = (bank: Connected) => checkedCharges(apiPixCharges(bank));
const refunds = (bank: Connected) => checkedRefunds(apiPixRefunds(bank));
export const recurrences = (bank: Connected) => checkedRecurrences(apiPixRecurrences(bank));
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

export const askings: Readonly<Record<string, Asking>> = {
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

/** A copy with another value at a path, or without it. */
export function withValue(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  const holder = steps.reduce<Record<string, unknown>>((parent, step) => parent[step] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}
