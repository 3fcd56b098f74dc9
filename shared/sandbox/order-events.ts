import { bankByIspb } from '../core/bank-directory.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import { transitionNotAllowed } from '../core/errors.ts';
import { endToEndId, returnId, strControlNumber } from '../core/identifiers.ts';
import type { Counterpart } from '../core/party.ts';
import type { DisputeKind } from '../core/dispute-kind.ts';
import type { Claim } from '../disputes/states.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { PayInEvent } from '../pay-ins/states.ts';
import type { PayoutWithPayments } from '../payouts/model.ts';
import type { PayoutEvent } from '../payouts/states.ts';
import type { Refund } from '../refunds/model.ts';
import type { ReturnEvent, ReturnSettled } from '../core/return-event.ts';
import { spiRejections } from '../core/spi-codes.ts';
import type { Subscription } from '../subscriptions/model.ts';
import type { RecurrenceEvent } from '../subscriptions/states.ts';
import { expectedPayerOf } from '../subscriptions/model.ts';
import { simulatedIspbs } from '../bank/simulated/directory.ts';

type Source = { readonly ids: Ids; readonly at: Instant; readonly ispb: string };

/** The bank event of a pay-in: the expected payer pays from a fake account. */
export function simulatedPayInEvent(outcome: PayInEvent['outcome'], payIn: PayIn, source: Source): PayInEvent {
  switch (outcome) {
    case 'PAID':
      return { outcome, at: source.at, ...simulatedPayment(source, payIn.payer) };
    case 'ERROR':
      return { outcome, code: 'AB03', reason: 'The settlement was interrupted: it timed out in the SPI.' };
    case 'CANCELED':
    case 'EXPIRED':
      return { outcome };
  }
}

/** A person who pays without a name of their own. */
const somebody = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;

/** A payment to a company: the payer pays from a fake account. */
export function simulatedPayment(
  source: Source,
  payer: Pick<Counterpart, 'name' | 'document'> = somebody,
): { readonly endToEndId: string; readonly payer: Counterpart } {
  const { ids, at } = source;
  const ispb = payerIspb(source);
  const named = bankByIspb(ispb);
  const bank = {
    ispb,
    ...(named && { name: named.name, code: named.code }),
    branch: ids.digits(4),
    account: ids.digits(8),
    accountType: 'CHECKING_ACCOUNT',
  };
  return { endToEndId: endToEndId(ispb, at, ids), payer: { ...payer, bank } };
}

/**
 * Returns the bank event of a payment; in a batch, of the payment at this place. It has the payment's end-to-end id or
 * control number, or a new one.
 */
export function simulatedPayoutEvent(
  outcome: PayoutEvent['outcome'],
  { payout, payments }: PayoutWithPayments,
  sequence: number | undefined,
  source: Source,
): PayoutEvent {
  switch (outcome) {
    case 'PAID':
      return { outcome, at: source.at, ...numberOf({ payout, payments }, sequence, source) };
    case 'ERROR':
      return { outcome, code: 'DS04', reason: spiRejections.DS04 };
    case 'CANCELED':
      return { outcome };
  }
}

/** Turns a payment into an error if the company's charge that it pays can no longer be paid. */
export function failUnpayable(
  event: PayoutEvent,
  { status, expireDateTime }: Pick<PayIn, 'status' | 'expireDateTime'>,
  at: Instant,
): PayoutEvent {
  if (event.outcome !== 'PAID' || (status === 'PENDING' && at < expireDateTime)) return event;
  const now = status === 'PENDING' ? 'EXPIRED' : status;
  return { outcome: 'ERROR', code: 'BE17', reason: `The charge of the QR code is ${now} and can no longer be paid.` };
}

function numberOf(
  { payout, payments }: PayoutWithPayments,
  sequence: number | undefined,
  { ids, at, ispb }: Source,
): { readonly endToEndId: string } | { readonly controlNumber: string } {
  if (payout.paymentMethod === 'TED') return { controlNumber: payout.controlNumber ?? strControlNumber(at, ids) };
  const payment = payments.find((candidate) => candidate.sequence === sequence) ?? payout;
  return { endToEndId: payment.endToEndId ?? endToEndId(ispb, at, ids) };
}

/** Requires that the tool settles an open refund. @throws RequestError 409, which names the statuses of the tool */
export function requireSettling({ status }: Pick<Refund, 'status'>, wanted: string): void {
  if (wanted === 'REFUNDED' && status === 'PENDING') return;
  throw transitionNotAllowed(status, wanted, status === 'PENDING' ? ['REFUNDED'] : []);
}

/**
 * Returns what the tool causes of an open return of a credit: `REFUNDED` settles it, `ERROR` fails it.
 * @throws RequestError 409, which names both
 */
export function returnOutcomeOf({ status }: Pick<Refund, 'status'>, wanted: string): ReturnEvent['outcome'] {
  if (status === 'PENDING' && wanted === 'REFUNDED') return 'SETTLED';
  if (status === 'PENDING' && wanted === 'ERROR') return 'FAILED';
  throw transitionNotAllowed(status, wanted, status === 'PENDING' ? ['REFUNDED', 'ERROR'] : []);
}

/** Days that a partner has to defend (MED). */
const daysToDefend = 7;

/** The claim of a payer, as the payer's bank words it. */
export function simulatedClaim(at: Instant, kind: DisputeKind = 'FRAUD'): Omit<Claim, 'amount'> {
  const reason = kind === 'FRAUD' ? 'The payer reports a scam.' : 'The payer’s bank sent the payment twice.';
  return { kind, reason, dueAt: plusSeconds(at, daysToDefend * 86_400) };
}

/** The bank event of a return; a failed one as if the payer's account were blocked. */
export function simulatedReturnEvent(outcome: ReturnEvent['outcome'], source: Source): ReturnEvent {
  if (outcome === 'SETTLED') return simulatedRefundEvent(source);
  return { outcome, code: 'AC06', reason: 'The account of the payer is blocked.' };
}

export function simulatedRefundEvent({ ids, at, ispb }: Source): ReturnSettled {
  return { outcome: 'SETTLED', at, endToEndId: returnId(ispb, at, ids) };
}

/** The bank event of a rec: the expected payer authorizes it. */
export function simulatedRecurrenceEvent(
  outcome: RecurrenceEvent['outcome'],
  subscription: Subscription,
  source: Source,
): RecurrenceEvent {
  if (outcome !== 'ACCEPTED') return { outcome };
  const { ids } = source;
  const bankData = { ispb: payerIspb(source), branchNumber: ids.digits(4), accountNumber: ids.digits(8) };
  return { outcome, payer: { ...expectedPayerOf(subscription), bankData } };
}

/** The bank of a simulated payer: never the service's own (BCB, reason code AG12). */
function payerIspb({ ids, ispb }: Source): string {
  const others = simulatedIspbs.filter((candidate) => candidate !== ispb);
  return others[Number(ids.digits(4)) % others.length] ?? simulatedIspbs[0];
}
