import * as z from 'zod';
import { askAgainAt } from '../core/resubmission.ts';
import type { ChargeTerms, ChargeCancellation, ScheduledCharge, ScheduledPayment } from './model.ts';
import {
  chargeCancellationReasons,
  chargeCancellationStatuses,
  chargeCommands,
  purposes,
  resenders,
  scheduledPaymentStatuses,
} from './model.ts';
import { executionEnd } from './window.ts';
import { dueAttributesAt, keys, notDue } from '../platform/table/keys.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { CounterpartShape, DocumentShape, OwnerBankShape, parseItem } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const CancellationShape = z.object({
  id: z.string(),
  status: z.enum(chargeCancellationStatuses),
  endToEndId: z.string(),
  reason: z.enum(chargeCancellationReasons),
  canceledAt: z.string(),
  customer: z.object({ document: DocumentShape }),
} satisfies Members<ChargeCancellation>);

const PaymentItem = z.object({
  entity: z.literal('SCHEDULED_PAYMENT'),
  id: z.string(),
  externalId: z.string(),
  subscriptionId: z.string(),
  status: z.enum(scheduledPaymentStatuses),
  statusHistory: z.array(z.object({ status: z.enum(scheduledPaymentStatuses), createdAt: z.string() })),
  amount: StoredCentavos,
  dueDate: z.string(),
  settlementDate: z.string(),
  description: z.string().exactOptional(),
  purpose: z.enum(purposes),
  originalScheduledPaymentId: z.string().exactOptional(),
  settlementErrorRetryRootId: z.string().exactOptional(),
  settlementErrorRetryAttempt: z.int().exactOptional(),
  orderId: z.string().exactOptional(),
  endToEndId: z.string(),
  errorCode: z.string().exactOptional(),
  cancellation: CancellationShape.exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  releaseAt: z.string().exactOptional(),
  resendOwed: z.object({ since: z.string(), by: z.enum(resenders) }).exactOptional(),
  untold: z.array(z.enum(chargeCommands)).exactOptional(),
  version: z.int(),
} satisfies ItemMembers<ScheduledPayment>);

const TermsItem = z.object({
  entity: z.literal('CHARGE_TERMS'),
  subscription: z.object({ id: z.string(), code: z.string() }),
  recurrenceId: z.string(),
  webhookUrl: z.string(),
  accountId: z.string(),
  ownerBank: OwnerBankShape,
  payer: CounterpartShape,
  receiverDocument: DocumentShape,
  cycle: z.string(),
  firstAttemptId: z.string(),
  fingerprint: z.string().exactOptional(),
} satisfies ItemMembers<ChargeTerms>);

const RequestItem = z.object({ entity: z.literal('CHARGE_CANCELLATION'), cancellation: CancellationShape });

/** The two keys of a payment, in the order in which `parseCharge` takes their items. */
export function chargeKeys(companyId: string, id: string): readonly [Key, Key] {
  return [keys.scheduledPayment(companyId, id), keys.chargeTerms(companyId, id)];
}

/** @throws CorruptItem */
export function parseCharge(payment: Item | undefined, terms: Item | undefined): ScheduledCharge | undefined {
  if (payment === undefined) return undefined;
  if (terms === undefined) throw new CorruptItem('A scheduled payment has no terms.');
  const { entity: _entity, ...read } = parseItem(TermsItem, terms, 'charge terms');
  return { payment: parseScheduledPayment(payment), terms: read };
}

/** One read. Undefined when the company has no such payment. @throws CorruptItem */
export async function readCharge(store: Store, companyId: string, id: string): Promise<ScheduledCharge | undefined> {
  const [payment, terms] = await store.read(chargeKeys(companyId, id));
  return parseCharge(payment, terms);
}

/** A payment alone; one read. @throws CorruptItem */
export async function readPayment(store: Store, companyId: string, id: string): Promise<ScheduledPayment | undefined> {
  const [item] = await store.read([keys.scheduledPayment(companyId, id)]);
  return item && parseScheduledPayment(item);
}

/** Payments alone, in the order of the ids, at most 100; one read. @throws CorruptItem */
export async function readPayments(
  store: Store,
  companyId: string,
  ids: readonly string[],
): Promise<readonly ScheduledPayment[]> {
  if (ids.length === 0) return [];
  const items = await store.read(ids.map((id) => keys.scheduledPayment(companyId, id)));
  return items.map((item) => {
    if (item === undefined) throw new CorruptItem('A listed scheduled payment is not there.');
    return parseScheduledPayment(item);
  });
}

/** @throws CorruptItem */
export function parseScheduledPayment(item: Item): ScheduledPayment {
  const { entity: _entity, ...payment } = parseItem(PaymentItem, item, 'scheduled payment');
  return payment;
}

/** A new payment: its state, its terms, and the entry that lists it by its due date. */
export function chargeInserts(companyId: string, { payment, terms }: ScheduledCharge): readonly Put[] {
  const { id, subscriptionId, dueDate } = payment;
  const entry = {
    ...keys.paymentEntry(companyId, subscriptionId, dueDate, id),
    entity: 'PAYMENT_ENTRY',
    paymentId: id,
  };
  return [
    { put: paymentItem(companyId, payment), when: { is: 'absent' } },
    { put: { ...keys.chargeTerms(companyId, id), entity: 'CHARGE_TERMS', ...terms }, when: { is: 'absent' } },
    { put: entry, when: { is: 'absent' } },
  ];
}

/** A payment after a move, if nobody moved it meanwhile. */
export function scheduledPaymentUpdate(companyId: string, before: ScheduledPayment, after: ScheduledPayment): Put {
  const { status, version } = before;
  return { put: paymentItem(companyId, after), when: { equals: { status, version } } };
}

/** The bank has every command of a payment, unless it moved meanwhile: nothing is due any more. */
export function scheduledPaymentNoLongerDue(companyId: string, { id, version }: ScheduledPayment): Update {
  return {
    update: keys.scheduledPayment(companyId, id),
    remove: [...notDue, 'untold'],
    when: { all: [{ equals: { version } }, { has: 'untold' }] },
  };
}

/** A request to cancel as it was when it was made: what a repetition of the request is answered with. */
export function cancellationRequestInsert(companyId: string, paymentId: string, cancellation: ChargeCancellation): Put {
  const key = keys.chargeCancellation(companyId, paymentId, cancellation.id);
  return { put: { ...key, entity: 'CHARGE_CANCELLATION', cancellation }, when: { is: 'absent' } };
}

/** One read. @throws CorruptItem also when it is not there: only what was written is asked for. */
export async function readCancellationRequest(
  store: Store,
  companyId: string,
  { paymentId, id }: { readonly paymentId: string; readonly id: string },
): Promise<ChargeCancellation> {
  const [item] = await store.read([keys.chargeCancellation(companyId, paymentId, id)]);
  if (item === undefined) throw new CorruptItem('A request to cancel a scheduled payment is not there.');
  return parseItem(RequestItem, item, 'request to cancel').cancellation;
}

function paymentItem(companyId: string, payment: ScheduledPayment): Item {
  const key = keys.scheduledPayment(companyId, payment.id);
  return { ...key, ...dueEntryOf(companyId, payment), entity: 'SCHEDULED_PAYMENT', ...payment };
}

/** A payment waits for one thing at most: its window, an answer of the bank to a command, its resend. */
function dueEntryOf(companyId: string, payment: ScheduledPayment): Record<string, string> {
  const { id, releaseAt, resendOwed, settlementDate, untold, updatedAt, cancellation } = payment;
  if (releaseAt !== undefined) return dueAttributesAt(companyId, 'PAYMENT_RELEASE', releaseAt, id);
  if (resendOwed !== undefined) {
    // A resend that the bank makes is looked at when it can no longer be made.
    const at = resendOwed.by === 'us' ? resendOwed.since : executionEnd(settlementDate);
    return dueAttributesAt(companyId, 'SETTLEMENT_RESEND', at, id);
  }
  if (untold === undefined) return {};
  const asked = cancellation?.canceledAt ?? updatedAt;
  const since = asked > updatedAt ? asked : updatedAt;
  return dueAttributesAt(companyId, 'CHARGE_COMMAND', askAgainAt(since), id);
}
