import * as z from 'zod';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
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
import type { CycleCharge, CycleOutcome } from './cycle.ts';
import { replaceableStates } from './cycle.ts';
import { executionDeadline } from './window.ts';
import type { PaymentEntry } from '../subscriptions/model.ts';
import { dueAttributesAt, notDue } from '../platform/table/due-keys.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, listPage } from '../platform/table/listing.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { CounterpartShape, DocumentShape, OwnerBankShape, parseItem, parserOf } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const CancellationShape = z.object({
  id: z.string(),
  status: z.enum(chargeCancellationStatuses),
  endToEndId: z.string().exactOptional(),
  reason: z.enum(chargeCancellationReasons),
  canceledAt: z.string(),
  createdBy: z.string().exactOptional(),
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
  endToEndId: z.string().exactOptional(),
  errorCode: z.string().exactOptional(),
  cancellation: CancellationShape.exactOptional(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  updatedAt: z.string(),
  releaseAt: z.string().exactOptional(),
  scheduledRetry: z.object({ since: z.string(), by: z.enum(resenders) }).exactOptional(),
  pendingCommands: z.array(z.enum(chargeCommands)).exactOptional(),
  pollAt: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<ScheduledPayment>);
export const parseScheduledPayment: (item: Item) => ScheduledPayment = parserOf(PaymentItem, 'scheduled payment');

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
  // Older items do not have it.
  allowAdjustToBusinessDay: z.boolean().default(false),
  connection: z.string().exactOptional(),
  fingerprint: z.string().exactOptional(),
} satisfies ItemMembers<ChargeTerms>);
const parseTerms: (item: Item) => ChargeTerms = parserOf(TermsItem, 'charge terms');

const CycleItem = z.object({
  entity: z.literal('PAYMENT_CYCLE'),
  firstAttemptId: z.string(),
  firstSettlementDate: z.string(),
  amount: StoredCentavos,
  state: z.enum(['OPEN', 'FAILED', 'UNPAID']),
  newAttempts: z.array(
    z.object({ id: z.string(), settlementDate: z.string() } satisfies Members<CycleCharge['newAttempts'][number]>),
  ),
  version: z.int(),
} satisfies ItemMembers<CycleCharge>);
const parseCycle: (item: Item) => CycleCharge = parserOf(CycleItem, 'payment cycle');

const RequestItem = z.object({ entity: z.literal('CHARGE_CANCELLATION'), cancellation: CancellationShape });

/** The two keys of a payment, in the order in which `parseCharge` takes their items. */
export function chargeKeys(companyId: string, id: string): readonly [Key, Key] {
  return [keys.scheduledPayment(companyId, id), keys.chargeTerms(companyId, id)];
}

export function parseCharge(payment: Item | undefined, terms: Item | undefined): ScheduledCharge | undefined {
  if (payment === undefined) return undefined;
  if (terms === undefined) throw new CorruptItem('A scheduled payment has no terms.');
  return { payment: parseScheduledPayment(payment), terms: parseTerms(terms) };
}

/** Reads a payment with its terms in one read. Undefined when the company has no such payment. @throws CorruptItem */
export async function readCharge(store: Store, companyId: string, id: string): Promise<ScheduledCharge | undefined> {
  const [payment, terms] = await store.read(chargeKeys(companyId, id));
  return parseCharge(payment, terms);
}

/** Reads a payment that must exist, with its terms, in one read. @throws CorruptItem also when it does not exist */
export async function requireCharge(store: Store, companyId: string, id: string): Promise<ScheduledCharge> {
  const charge = await readCharge(store, companyId, id);
  if (charge === undefined) throw new CorruptItem('Cannot find a created scheduled payment.');
  return charge;
}

export async function readPayment(store: Store, companyId: string, id: string): Promise<ScheduledPayment | undefined> {
  const [item] = await store.read([keys.scheduledPayment(companyId, id)]);
  return item && parseScheduledPayment(item);
}

/** Reads at most 100 payments without their terms, in the order of the ids, in one read. @throws CorruptItem */
export async function readPayments(
  store: Store,
  companyId: string,
  ids: readonly string[],
): Promise<readonly ScheduledPayment[]> {
  if (ids.length === 0) return [];
  const items = await store.read(ids.map((id) => keys.scheduledPayment(companyId, id)));
  return items.map((item) => {
    if (item === undefined) throw new CorruptItem('Cannot find a listed scheduled payment.');
    return parseScheduledPayment(item);
  });
}

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

/** A payment after a transition, if it is still as it was read. */
export function scheduledPaymentUpdate(companyId: string, before: ScheduledPayment, after: ScheduledPayment): Put {
  const { status, version } = before;
  return { put: paymentItem(companyId, after), when: { equals: { status, version } } };
}

/**
 * Removes the pending commands, all of which the bank has, unless the payment changed meanwhile. If the bank is polled,
 * the poll is due next.
 */
export function chargeCommandsDone(companyId: string, { id, version, pollAt }: ScheduledPayment): Update {
  const update = keys.scheduledPayment(companyId, id);
  const when = { all: [{ equals: { version } }, { has: 'pendingCommands' }] } as const;
  if (pollAt === undefined) return { update, remove: [...notDue, 'pendingCommands'], when };
  const set = dueAttributesAt(companyId, 'CHARGE_POLL', pollAt, id);
  return { update, set, remove: ['GSI2PK', 'pendingCommands'], when };
}

/** Claims the commands that are due by this time, and postpones the next lookup, if the payment is unchanged. */
export function chargeTaken(companyId: string, { id, version }: ScheduledPayment, at: Instant): Update {
  const set = dueAttributesAt(companyId, 'CHARGE_COMMAND', askAgainAt(at), id);
  const isDue = isDueBy(companyId, 'CHARGE_COMMAND', id, at);
  const when = { all: [{ equals: { version } }, { has: 'pendingCommands' }, isDue] } as const;
  return { update: keys.scheduledPayment(companyId, id), set, when };
}

/** Claims the due poll of a payment, and sets the next one. One of two concurrent claims fails. */
export function chargePolledAt(
  companyId: string,
  { id, version, pollAt = '' }: ScheduledPayment,
  next: Instant,
): Update {
  const set = { pollAt: next, ...dueAttributesAt(companyId, 'CHARGE_POLL', next, id) };
  return { update: keys.scheduledPayment(companyId, id), set, when: { equals: { version, pollAt } } };
}

/** Stores a request to cancel as it was created, for the response to a replay. */
export function cancellationRequestInsert(companyId: string, paymentId: string, cancellation: ChargeCancellation): Put {
  const key = keys.chargeCancellation(companyId, paymentId, cancellation.id);
  return { put: { ...key, entity: 'CHARGE_CANCELLATION', cancellation }, when: { is: 'absent' } };
}

/** Reads a request to cancel in one read. @throws CorruptItem also when it does not exist. */
export async function readCancellationRequest(
  store: Store,
  companyId: string,
  { paymentId, id }: { readonly paymentId: string; readonly id: string },
): Promise<ChargeCancellation> {
  const [item] = await store.read([keys.chargeCancellation(companyId, paymentId, id)]);
  if (item === undefined) throw new CorruptItem('Cannot find the cancellation request of a scheduled payment.');
  return parseItem(RequestItem, item, 'request to cancel').cancellation;
}

function paymentItem(companyId: string, payment: ScheduledPayment): Item {
  const key = keys.scheduledPayment(companyId, payment.id);
  return { ...key, ...dueEntryOf(companyId, payment), entity: 'SCHEDULED_PAYMENT', ...payment };
}

/** Returns the due work of a payment, at most one: its release, its resend, a pending command, or its poll. */
function dueEntryOf(companyId: string, payment: ScheduledPayment): Record<string, string> {
  const { id, releaseAt, scheduledRetry, settlementDate, pendingCommands, pollAt, updatedAt, cancellation } = payment;
  if (releaseAt !== undefined) return dueAttributesAt(companyId, 'PAYMENT_RELEASE', releaseAt, id);
  if (scheduledRetry !== undefined && (scheduledRetry.by === 'us' || pollAt === undefined)) {
    // A resend of a bank that is not polled is due when it can no longer be created.
    const at = scheduledRetry.by === 'us' ? scheduledRetry.since : executionDeadline(settlementDate);
    return dueAttributesAt(companyId, 'SETTLEMENT_RESEND', at, id);
  }
  if (pendingCommands === undefined)
    return pollAt === undefined ? {} : dueAttributesAt(companyId, 'CHARGE_POLL', pollAt, id);
  const requestedAt = cancellation?.canceledAt ?? updatedAt;
  const since = requestedAt > updatedAt ? requestedAt : updatedAt;
  return dueAttributesAt(companyId, 'CHARGE_COMMAND', askAgainAt(since), id);
}

type CycleName = { readonly subscriptionId: string; readonly cycle: LocalDate };

/**
 * Reads the charge of a cycle. Undefined without one, or if it was refused or canceled. One read. @throws CorruptItem
 */
export async function readCycle(
  store: Store,
  companyId: string,
  { subscriptionId, cycle }: CycleName,
): Promise<CycleCharge | undefined> {
  const [item] = await store.read([keys.paymentCycle(companyId, subscriptionId, cycle)]);
  return item && parseCycle(item);
}

/** Stores the first attempt of a cycle without a charge, or with a failed one. A second concurrent one fails. */
export function cycleInsert(companyId: string, name: CycleName, charge: CycleCharge): Put {
  const replaceable = replaceableStates.map((state) => ({ equals: { state } }));
  return { put: cycleItem(companyId, name, charge), when: { any: [{ is: 'absent' }, ...replaceable] } };
}

/** Stores a new attempt in the cycle of its first attempt, if the cycle is still as it was read. */
export function cycleUpdate(companyId: string, name: CycleName, charge: CycleCharge): Put {
  const { firstAttemptId, version } = charge;
  return { put: cycleItem(companyId, name, charge), when: { equals: { firstAttemptId, version: version - 1 } } };
}

/** Records that the charge of a cycle ended unpaid: now the next attempt may be created. */
export function cycleEndWrite(companyId: string, terms: ChargeTerms, end: CycleOutcome): Write {
  const { subscription, cycle, firstAttemptId } = terms;
  const key = keys.paymentCycle(companyId, subscription.id, cycle);
  const when = { equals: { firstAttemptId, state: 'OPEN' } };
  return end === 'FREE' ? { delete: key, when } : { update: key, set: { state: end }, add: { version: 1 }, when };
}

function cycleItem(companyId: string, { subscriptionId, cycle }: CycleName, charge: CycleCharge): Put['put'] {
  return { ...keys.paymentCycle(companyId, subscriptionId, cycle), entity: 'PAYMENT_CYCLE', ...charge };
}

/** One page of payments by due date: a strongly consistent partition. @throws RequestError on another list's cursor */
export async function listPayments(
  store: Store,
  companyId: string,
  subscriptionId: string,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<ScheduledPayment>> {
  const { PK: partition } = keys.paymentEntry(companyId, subscriptionId, '', '');
  const { entries, ...rest } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'SCHEDULED_PAYMENT', filters: { subscriptionId, sort: ascending ? 'asc' : 'desc' } },
    source: entriesOf(store, { partition, prefix: prefixes.paymentEntry, ascending }),
  });
  const ids = entries.map(({ id }) => id);
  return { ...rest, found: await readPayments(store, companyId, ids) };
}

/** Reads `limit` entries of the list after `after`, by due date, in one query; fewer at the end of the list. */
export async function readEntries(
  store: Store,
  companyId: string,
  subscriptionId: string,
  { limit, after }: { readonly limit: number; readonly after: PaymentEntry | undefined },
): Promise<readonly PaymentEntry[]> {
  const { PK: partition } = keys.paymentEntry(companyId, subscriptionId, '', '');
  const read = entriesOf(store, { partition, prefix: prefixes.paymentEntry, ascending: true });
  const { matching } = await read(after && { id: after.id, sort: `${after.dueDate}#${after.id}` }, limit);
  return matching.map(({ id, sort }) => ({ id, dueDate: sort.slice(0, sort.indexOf('#')) }));
}
