import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { BankUnavailable } from '../bank/outcome.ts';
import type { BankControl } from '../bank/connection.ts';
import { liveConnections, readBanks, readConnection } from '../bank/connection.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound, transitionNotAllowed } from '../core/errors.ts';
import { childSequence } from '../core/identifiers.ts';
import type { DisputeKind } from '../core/dispute-kind.ts';
import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { TransitionTable } from '../core/transition.ts';
import { isTrigger, nextStatus, triggersFrom } from '../core/transition.ts';
import { readReceived } from '../credits/received.ts';
import { requireCredit } from '../credits/store.ts';
import { disputeTransitions } from '../disputes/states.ts';
import { requireDispute } from '../disputes/store.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { payInTransitions } from '../pay-ins/states.ts';
import { readPayIn } from '../pay-ins/store.ts';
import type { OrderedPayment } from '../payouts/payment-orders.ts';
import { openPayments } from '../payouts/payment-orders.ts';
import { selectPayments } from '../payouts/states.ts';
import { parsePayoutWithPayments } from '../payouts/store.ts';
import { readOrderItems } from '../platform/order-items.ts';
import type { Store } from '../platform/table/store.ts';
import type { PayInWithRefunds, Refund } from '../refunds/model.ts';
import { openRefunds } from '../refunds/model.ts';
import type { Deed, PaymentToAccount } from './bank-deeds.ts';
import { bankId, deedsAt } from './bank-deeds.ts';
import { requireSettling, returnOutcomeOf } from './order-events.ts';
import { parsePayInWithRefunds } from '../refunds/store.ts';
import { scheduledPaymentTransitions } from '../scheduled-payments/states.ts';
import { readCharge } from '../scheduled-payments/store.ts';
import type { Subscription } from '../subscriptions/model.ts';
import { expectedPayerOf } from '../subscriptions/model.ts';
import { subscriptionTransitions } from '../subscriptions/states.ts';
import { readSubscription } from '../subscriptions/store.ts';

/*
 * Simulation tools for a company whose bank runs on this machine. A tool calls the control surface of that bank, and
 * the bank's callback changes the status. The tools themselves change no status.
 */

/** `connection`: the connection to the bank that has the resource. */
type Where = { readonly store: Store; readonly companyId: string; readonly connection: string };
type Wanted = { readonly id: string; readonly status: string };
/** `refundId`: one refund of the pay-in. */
export type WantedOrder = Wanted & { readonly refundId?: string };
const answersWithinMs = 2000;
/** Milliseconds that a tool waits until a callback is applied. */
const movesWithinMs = 5000;
const looksEveryMs = 50;

async function ask({ url, client }: BankControl, { name, body }: Deed): Promise<unknown> {
  const response = await fetch(`${url}/${name}`, {
    method: 'POST',
    body: JSON.stringify({ client, ...body }),
    signal: AbortSignal.timeout(answersWithinMs),
  }).catch(() => {
    throw new BankUnavailable('The local bank does not respond: npm start -- --bank NAME starts it.');
  });
  if (!response.ok)
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', `The bank says: ${await response.text()}`);
  return response.json();
}

/** Returns the connection to the bank on this machine, with its control surface. @throws RequestError 404 */
async function controlledOf({ store, companyId, connection }: Where) {
  const known = await readConnection(store, companyId, connection);
  if (known?.control === undefined) throw notFound('Bank');
  return { ...known, control: known.control };
}

async function controlOf(where: Where): Promise<BankControl> {
  return (await controlledOf(where)).control;
}

/** How to reach statuses for which the bank has no action. */
const instead: Readonly<Record<string, string>> = {
  CANCELED: 'a pay-in is canceled by its endpoint, a payout cannot be stopped.',
  EXPIRED: 'a pay-in expires when the clock is turned.',
  REFUNDED: 'ask for a refund first.',
};

/** The status of a resource; for a batch also the statuses of the selected payments. */
type Shown = { readonly status: string; readonly parts?: readonly string[] };

function isMoved(before: Shown, { status, parts }: Shown): boolean {
  return parts === undefined ? status !== before.status : parts.every((part, at) => part !== before.parts?.[at]);
}

/** Calls the bank's actions, and waits until its callbacks change the status. @returns the text for the tool's user */
async function haveDone(
  where: Where,
  { id, status }: Wanted,
  deeds: readonly Deed[],
  read: () => Promise<Shown>,
): Promise<string> {
  const [first] = deeds;
  if (first === undefined)
    throw forbiddenByState(
      'status',
      'TRANSITION_NOT_ALLOWED',
      `This bank does not say ${status} by itself: ${instead[status] ?? 'the simulated bank does.'}`,
    );
  const control = await controlOf(where);
  const before = await read();
  for (const deed of deeds) await ask(control, deed);
  const until = performance.now() + movesWithinMs;
  let after = await read();
  while (!isMoved(before, after) && performance.now() < until) {
    await sleep(looksEveryMs);
    after = await read();
  }
  const isApplied = isMoved(before, after);
  const moved = isApplied
    ? `status ${before.status} → ${after.status}`
    : `status ${after.status}: the callback was not heard yet`;
  return `${id}: the bank did ${first.name}; ${moved}.`;
}

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveOrderAtBank(where: Where, wanted: WantedOrder): Promise<string> {
  const { store, companyId } = where;
  const find = async () => {
    const items = await readOrderItems(store, companyId, wanted.id);
    const payIn = items && parsePayInWithRefunds(items);
    const payout = items && payIn === undefined ? parsePayoutWithPayments(items) : undefined;
    if (payIn === undefined && payout === undefined) throw notFound('Order');
    return { payIn, payout };
  };
  const { payIn, payout } = await find();
  if (payIn) requireMove(payInTransitions, payIn.payIn.status, wanted.status);
  const selected = payout ? selectOpenPayments(payout, wanted) : [];
  const returning = payIn ? selectOpenRefunds(payIn, wanted) : [];
  const deeds = payIn
    ? await payInDeeds(where, payIn.payIn, returning, wanted)
    : await payoutDeeds(where, selected, wanted);
  return haveDone(where, wanted, deeds, async () => {
    const found = await find();
    if (found.payIn) {
      const { payIn: paid, refunds } = found.payIn;
      const parts = refunds.filter(({ id }) => returning.some((refund) => refund.id === id));
      return { status: paid.status, ...(parts.length > 0 && { parts: parts.map(({ status }) => status) }) };
    }
    const { payout: whole, payments = [] } = found.payout ?? {};
    const parts = payments.filter((payment) => selected.some(({ sequence }) => sequence === payment.sequence));
    const shown = [whole, ...payments].map((part) => part?.status).join(' ');
    // A payment of a batch changes its status before its payout does.
    return { status: shown, ...(parts.length > 0 && { parts: parts.map(({ status }) => status) }) };
  });
}

/**
 * Lets a payer pay to an account, or the QR code of a pay-in, at the bank, and waits a little for its booking.
 * @returns the id of the credit once it is booked: a bank by API Pix calls back only about a QR code, so a payment to
 * the key is found by the next reading. @throws RequestError 404
 */
export async function receiveAtBank(
  where: Where,
  { accountId, ...payment }: PaymentToAccount & { readonly accountId: string },
): Promise<{ readonly endToEndId: string; readonly creditId?: string }> {
  const { store, companyId } = where;
  const { accounts, control, dialect } = await controlledOf(where);
  const account = accounts[accountId];
  if (account === undefined) throw notFound('Bank');
  const { pay, Paid } = deedsAt[dialect];
  const endToEndId = Paid.parse(await ask(control, pay(account, payment)));
  const until = performance.now() + movesWithinMs;
  for (;;) {
    const received = await readReceived(store, companyId, endToEndId);
    if (received !== undefined || performance.now() >= until)
      return { endToEndId, ...pick({ creditId: received?.creditId }, 'creditId') };
    await sleep(looksEveryMs);
  }
}

/** Settles or fails the return of a credit at the bank. @throws RequestError 404; 409 for what the bank does not do */
export async function moveReturnAtBank(where: Where, wanted: Wanted & { readonly creditId: string }): Promise<string> {
  const find = async () => {
    const { credit, returns } = await requireCredit(where.store, where.companyId, wanted.creditId);
    const returned = returns.find(({ id }) => id === wanted.id);
    if (returned === undefined) throw notFound('Return');
    return { endToEndId: credit.endToEndId, returned };
  };
  const { endToEndId, returned } = await find();
  const outcome = returnOutcomeOf(returned, wanted.status);
  const { endReturn } = deedsAt[(await controlledOf(where)).dialect];
  const deed = endReturn({ endToEndId, reference: returned.id }, outcome);
  return haveDone(where, wanted, [deed], async () => ({ status: (await find()).returned.status }));
}

const Claimed = z.object({ idInfracao: z.string() });
const listedLater = 'The bank’s list is read within a minute or so.';

/** Claims a payment back at the bank, as its payer. @throws RequestError 409 for what the bank does not do */
export async function claimAtBank(
  where: Where,
  { endToEndId, kind, amount }: { readonly endToEndId: string; readonly kind: DisputeKind; readonly amount?: Centavos },
): Promise<string> {
  const natureza = { FRAUD: 'MED_FRAUDE', OPERATIONAL_ERROR: 'MED_OPERACIONAL' }[kind];
  const body = { endToEndId, natureza, ...(amount !== undefined && { valor: formatAmount(amount) }) };
  const { idInfracao } = Claimed.parse(await ask(await controlOf(where), { name: 'claim', body }));
  return `Claim ${idInfracao} of the payment ${endToEndId} was made at the bank: it is a dispute soon. ${listedLater}`;
}

/** Decides a claim at the bank. Only money that goes back is called back. @throws RequestError 404; 409 as the bank */
export async function decideClaimAtBank(
  where: Where,
  { id, status, amount }: Wanted & { readonly amount?: Centavos },
): Promise<string> {
  const find = async () => (await requireDispute(where.store, where.companyId, id)).dispute;
  const { endToEndId, status: from } = await find();
  requireMove(disputeTransitions, from, status);
  const decided = { ACCEPTED: 'ACEITA', REJECTED: 'REJEITADA', CANCELED: 'CANCELADA_EFI' }[status];
  const body = { endToEndId, status: decided, ...(amount !== undefined && { valor: formatAmount(amount) }) };
  const deed = { name: 'decide-claim', body };
  if (status === 'ACCEPTED') return haveDone(where, { id, status }, [deed], find);
  if (decided === undefined)
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'A claim at this bank is defended by its endpoint.');
  await ask(await controlOf(where), deed);
  return `${id}: the bank did decide-claim; status ${from}. ${listedLater}`;
}

/** Returns the open refunds that a request selects: all of the pay-in, or one. @throws RequestError 404; 409 */
function selectOpenRefunds({ refunds }: PayInWithRefunds, { status, refundId }: WantedOrder): readonly Refund[] {
  if (refundId === undefined) return status === 'REFUNDED' ? openRefunds(refunds) : [];
  const refund = refunds.find(({ id }) => id === refundId);
  if (refund === undefined) throw notFound('Refund');
  requireSettling(refund, status);
  return [refund];
}

async function payInDeeds(
  where: Where,
  { id, endToEndId = '' }: PayIn,
  returning: readonly Refund[],
  { status }: Wanted,
): Promise<readonly Deed[]> {
  if (status === 'PAID') return [{ name: 'pay', body: { txid: bankId(id), once: true } }];
  const { endReturn } = deedsAt[(await controlledOf(where)).dialect];
  return returning.map(({ id: reference }) => endReturn({ endToEndId, reference }, 'SETTLED'));
}

/** Returns the open payments of a payout that the id selects: all, or one of a batch. @throws RequestError 409 */
function selectOpenPayments(
  found: NonNullable<ReturnType<typeof parsePayoutWithPayments>>,
  { id, status }: Wanted,
): readonly OrderedPayment[] {
  const selected = new Set(selectPayments(found, status, childSequence(id)).parts.map(({ sequence }) => sequence));
  return openPayments(found).filter(({ sequence }) => selected.has(sequence));
}

async function payoutDeeds(
  where: Where,
  payments: readonly OrderedPayment[],
  { status }: Wanted,
): Promise<readonly Deed[]> {
  if (status !== 'PAID' && status !== 'ERROR') return [];
  const { settle } = deedsAt[(await controlledOf(where)).dialect];
  return payments.map(({ order }) => settle(order, status));
}

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveSubscriptionAtBank(
  where: Where,
  wanted: Wanted & { readonly withFirstCharge?: boolean | undefined },
): Promise<string> {
  const find = async () => {
    const found = await readSubscription(where.store, where.companyId, wanted.id, 'LATEST');
    if (found === undefined) throw notFound('Subscription');
    return found.subscription;
  };
  const name = { ACCEPTED: 'authorize', REJECTED: 'refuse', CANCELED: 'end' }[wanted.status];
  const subscription = await find();
  requireMove(subscriptionTransitions, subscription.status, wanted.status);
  const { type, number } = expectedPayerOf(subscription).document;
  const pagador = type === 'CPF' ? { cpf: number } : { cnpj: number };
  const body = { idRec: subscription.providerId, ...(wanted.status === 'ACCEPTED' && { pagador }) };
  const paid = wanted.withFirstCharge === true ? [await firstChargeDeed(where, subscription)] : [];
  return haveDone(where, wanted, name === undefined ? [] : [...paid, { name, body }], async () => {
    const { status } = await find();
    return { status };
  });
}

async function firstChargeDeed({ store, companyId }: Where, { initialCharge }: Subscription): Promise<Deed> {
  const { orderId } = initialCharge ?? {};
  const payIn = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  if (payIn === undefined)
    throw forbiddenByState('withFirstCharge', 'INVALID_VALUE', 'The subscription has no first charge.');
  requireMove(payInTransitions, payIn.status, 'PAID');
  return { name: 'pay', body: { txid: bankId(payIn.id), once: true } };
}

/** Body of the bank's action `attempt` for a status: the state (API Pix, `tentativas`), its code, and a resend. */
const attempts: Readonly<Record<string, object>> = {
  ACCEPTED: { status: 'AGENDADA' },
  COMPLETED: { status: 'PAGA' },
  REJECTED: { status: 'REJEITADA' },
  CANCELED_INSUFFICIENT_BALANCE: { status: 'EXPIRADA' },
  CANCELED: { status: 'CANCELADA', codigo: 'SLBD', solicitante: 'USUARIO_PAGADOR' },
  CANCELED_SETTLEMENT_ERROR: { status: 'CANCELADA', codigo: 'FAIL', resend: true },
};

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveChargeAtBank(where: Where, wanted: Wanted): Promise<string> {
  const find = async () => {
    const charge = await readCharge(where.store, where.companyId, wanted.id);
    if (charge === undefined) throw notFound('Scheduled payment');
    return charge;
  };
  const { payment, terms } = await find();
  requireMove(scheduledPaymentTransitions, payment.status, wanted.status);
  const body = attempts[wanted.status];
  // Further attempts belong to the cobr of the first one. Each has its own end-to-end id.
  const which = { txid: bankId(terms.firstAttemptId), ...pick(payment, 'endToEndId') };
  const deeds = body === undefined ? [] : [{ name: 'attempt', body: { ...which, ...body } }];
  return haveDone(where, wanted, deeds, async () => ({ status: (await find()).payment.status }));
}

/** Sets the company's clock at each of its banks on this machine. */
export async function turnBankClock({ store, companyId }: Omit<Where, 'connection'>, now: Instant): Promise<void> {
  for (const { control } of liveConnections(await readBanks(store, companyId)))
    if (control !== undefined) await ask(control, { name: 'clock', body: { now } });
}

/** Requires a transition of section 3, as at the simulated bank. @throws RequestError 409 */
function requireMove(table: TransitionTable, from: string, trigger: string): void {
  if (!isTrigger(table, trigger) || nextStatus(table, from, trigger, 'bank') === undefined)
    throw transitionNotAllowed(from, trigger, triggersFrom(table, from));
}
