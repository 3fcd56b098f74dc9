import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type {
  Cancellation,
  Payer,
  PaymentEntry,
  Subscription,
  SubscriptionWithCancellations,
  Withdrawal,
} from './model.ts';
import {
  cancellationReasons,
  cancellationStatuses,
  frequencies,
  subscriptionStatuses,
  subscriptionTypes,
} from './model.ts';
import { eventCancellations } from './states.ts';
import { dueAttributesAt, isDue, notDue } from '../platform/table/due-keys.ts';
import { keys, prefixes, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { DocumentShape, OwnerBankShape, parseItem, parserOf, PartyShape } from '../platform/table/parse.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { listResources } from '../platform/table/resource-list.ts';
import type { Check, Delete, Item, Put, Store, Update } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const SubscriptionItem = z.object({
  entity: z.literal('SUBSCRIPTION'),
  id: z.string(),
  providerId: z.string(),
  type: z.enum(subscriptionTypes),
  status: z.enum(subscriptionStatuses),
  statusHistory: z.array(z.object({ status: z.enum(subscriptionStatuses), createdAt: z.string() })),
  qrcodeData: z.string(),
  initialCharge: z
    .object({
      orderId: z.string().exactOptional(),
      expireDateTime: z.string(),
      conciliationId: z.string(),
      amount: StoredCentavos,
    } satisfies Members<NonNullable<Subscription['initialCharge']>>)
    .exactOptional(),
  allowChargeAfterDueDate: z.boolean(),
  allowAdjustToBusinessDay: z.boolean(),
  frequencyType: z.enum(frequencies),
  startDate: z.string(),
  endDate: z.string().exactOptional(),
  fixedAmount: StoredCentavos.exactOptional(),
  maxAmountFloor: StoredCentavos.exactOptional(),
  debtor: PartyShape,
  expectedPayer: PartyShape.exactOptional(),
  receiver: z.object({ id: z.string(), fullName: z.string(), document: DocumentShape }),
  ownerBank: OwnerBankShape,
  payer: z
    .object({
      name: z.string().exactOptional(),
      document: DocumentShape,
      bankData: z
        .object({
          ispb: z.string(),
          accountNumber: z.string(),
          branchNumber: z.string().exactOptional(),
        } satisfies Members<NonNullable<Payer['bankData']>>)
        .exactOptional(),
    } satisfies Members<Payer>)
    .exactOptional(),
  description: z.string().exactOptional(),
  webhookUrl: z.string(),
  externalId: z.string(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  updatedBy: z.string().exactOptional(),
  updatedAt: z.string(),
  connection: z.string().exactOptional(),
  cancellationsCount: z.int(),
  version: z.int(),
} satisfies ItemMembers<Subscription>);
export const parseSubscription: (item: Item) => Subscription = parserOf(SubscriptionItem, 'subscription');

const AddressItem = SubscriptionItem.pick({ webhookUrl: true });

/** Reads only the address for notifications from a subscription's item. @throws CorruptItem */
export function parseWebhookUrl(item: Item): string {
  return parseItem(AddressItem, item, 'subscription').webhookUrl;
}

const RecurrenceItem = z.object({ entity: z.literal('RECURRENCE'), subscriptionId: z.string() });

const CancellationItem = z.object({
  entity: z.literal('CANCELLATION'),
  id: z.string(),
  subscriptionId: z.string(),
  sequence: z.int(),
  idempotencyKey: z.string(),
  status: z.enum(cancellationStatuses),
  statusHistory: z.array(z.object({ status: z.enum(cancellationStatuses), createdAt: z.string() })),
  reason: z.enum(cancellationReasons),
  customer: z.object({ document: DocumentShape }),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  updatedAt: z.string(),
} satisfies ItemMembers<Cancellation>);
const parseCancellation: (item: Item) => Cancellation = parserOf(CancellationItem, 'cancellation');

/**
 * Reads a subscription and its requests, oldest first, in one query. A transition reads the latest, at constant cost.
 */
export async function readSubscription(
  store: Store,
  companyId: string,
  id: string,
  extent: 'ALL' | 'LATEST',
): Promise<SubscriptionWithCancellations | undefined> {
  const { PK, SK } = keys.subscription(companyId, id);
  // The subscription's sort key comes after those of its cancellation requests: the last items are the latest ones.
  const latest = { ascending: false, limit: 1 + eventCancellations };
  const { items, next } = await store.query({ partition: PK, ...(extent === 'LATEST' && latest) });
  if (extent === 'ALL' && next !== undefined) throw new CorruptItem('A subscription has more than one page of items.');
  const item = items.find((candidate) => candidate.SK === SK);
  if (item === undefined) return undefined;
  const cancellations = items
    .filter((candidate) => candidate.SK.startsWith(prefixes.cancellation))
    .map(parseCancellation);
  return {
    subscription: parseSubscription(item),
    cancellations: extent === 'LATEST' ? cancellations.toReversed() : cancellations,
  };
}

/** One page of a company's subscriptions with their cancellation requests. As `listResources`. */
export async function readSubscriptionPage(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<SubscriptionWithCancellations>> {
  const { found, ...rest } = await listResources(store, companyId, 'SUBSCRIPTION', filters, page);
  return { ...rest, found: await Promise.all(found.map((item) => withCancellations(store, companyId, item))) };
}

/** Reads the cancellation requests of a subscription, unless it counts none. */
async function withCancellations(store: Store, companyId: string, item: Item): Promise<SubscriptionWithCancellations> {
  const subscription = parseSubscription(item);
  if (subscription.cancellationsCount === 0) return { subscription, cancellations: [] };
  const found = await readSubscription(store, companyId, subscription.id, 'ALL');
  if (found === undefined) throw new CorruptItem('Cannot find a listed subscription.');
  return found;
}

/** A subscription that is `ACCEPTED` when the transaction commits. */
export function acceptedCheck(companyId: string, id: string): Check {
  return { check: keys.subscription(companyId, id), when: { equals: { status: 'ACCEPTED' } } };
}

export function subscriptionInsert(companyId: string, subscription: Subscription): Put {
  return { put: subscriptionItem(companyId, subscription), when: { is: 'absent' } };
}

/** A subscription after a transition, if it is still as it was read. */
export function subscriptionUpdate(companyId: string, before: Subscription, after: Subscription): Put {
  const { status, version } = before;
  return { put: subscriptionItem(companyId, after), when: { equals: { status, version } } };
}

/** Writes a request that is new or still open. `due`: when it is submitted again if the bank does not have it. */
export function cancellationPut(companyId: string, cancellation: Cancellation, due?: Instant): Put {
  const { subscriptionId, sequence } = cancellation;
  const put = {
    ...keys.cancellation(companyId, subscriptionId, sequence),
    ...(due !== undefined && dueAttributesAt(companyId, 'RECURRENCE_CANCELLATION', due, subscriptionId)),
    entity: 'CANCELLATION',
    ...cancellation,
  };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

/** Removes the due time: the bank has the cancellation, or never will. */
export function cancellationNoLongerDue(companyId: string, { subscriptionId, sequence }: Cancellation): Update {
  const key = keys.cancellation(companyId, subscriptionId, sequence);
  return { update: key, remove: notDue, when: isDue };
}

/** Claims the submission that is due by this time, and postpones the next one. One of two concurrent claims fails. */
export function cancellationTaken(companyId: string, cancellation: Cancellation, at: Instant): Update {
  const { subscriptionId, sequence } = cancellation;
  const key = keys.cancellation(companyId, subscriptionId, sequence);
  return {
    update: key,
    set: dueAttributesAt(companyId, 'RECURRENCE_CANCELLATION', askAgainAt(at), subscriptionId),
    when: isDueBy(companyId, 'RECURRENCE_CANCELLATION', subscriptionId, at),
  };
}

/** Sets when the bank is polled for the outcome of an open cancellation that it has. */
export function cancellationPolledAt(companyId: string, cancellation: Cancellation, at: Instant): Update {
  const { subscriptionId, sequence } = cancellation;
  const set = dueAttributesAt(companyId, 'CANCELLATION_POLL', at, subscriptionId);
  const when = { equals: { status: 'PENDING' } };
  return { update: keys.cancellation(companyId, subscriptionId, sequence), set, remove: ['GSI2PK'], when };
}

/** Sets when the bank is polled for the payer's authorization, in an item beside that of the subscription. */
export function authorizationPollPut(
  companyId: string,
  subscriptionId: string,
  at: Instant,
  is: 'absent' | 'present',
): Put {
  const due = dueAttributesAt(companyId, 'RECURRENCE_POLL', at, subscriptionId);
  const key = keys.authorizationPoll(companyId, subscriptionId);
  return { put: { ...key, ...due, entity: 'AUTHORIZATION_POLL' }, when: { is } };
}

export function authorizationPollDelete(companyId: string, subscriptionId: string): Delete {
  return { delete: keys.authorizationPoll(companyId, subscriptionId) };
}

/** Sets when a recurrence of the simulated bank ends by itself. */
export function recurrenceEndPut(
  companyId: string,
  subscriptionId: string,
  at: Instant,
  is: 'absent' | 'present',
): Put {
  const due = dueAttributesAt(companyId, 'RECURRENCE_END', at, subscriptionId);
  return {
    put: { ...keys.recurrenceExpiry(companyId, subscriptionId), ...due, entity: 'RECURRENCE_END' },
    when: { is },
  };
}

export function recurrenceEndDelete(companyId: string, subscriptionId: string): Delete {
  return { delete: keys.recurrenceExpiry(companyId, subscriptionId) };
}

const WithdrawalItem = z.object({
  entity: z.literal('RECURRENCE_WITHDRAWAL'),
  subscriptionId: z.string(),
  recurrenceId: z.string(),
  connection: z.string(),
  createdAt: z.string(),
  takenAt: z.string().exactOptional(),
} satisfies ItemMembers<Withdrawal>);
const parseWithdrawal: (item: Item) => Withdrawal = parserOf(WithdrawalItem, 'recurrence withdrawal');

/**
 * Belongs in the transaction in which the service ends a recurrence that a bank has: due immediately. The item is kept
 * after the submission: with it, another final status at the bank is no contradiction.
 */
export function withdrawalInsert(companyId: string, withdrawal: Withdrawal): Put {
  const { subscriptionId, createdAt } = withdrawal;
  const due = dueAttributesAt(companyId, 'RECURRENCE_CANCELLATION', createdAt, subscriptionId);
  const key = keys.recurrenceWithdrawal(companyId, subscriptionId);
  return { put: { ...key, ...due, entity: 'RECURRENCE_WITHDRAWAL', ...withdrawal }, when: { is: 'absent' } };
}

/** Reads a withdrawal in one read. Undefined for a recurrence that the service did not end. @throws CorruptItem */
export async function readWithdrawal(
  store: Store,
  companyId: string,
  subscriptionId: string,
): Promise<Withdrawal | undefined> {
  const [item] = await store.read([keys.recurrenceWithdrawal(companyId, subscriptionId)]);
  return item && parseWithdrawal(item);
}

/** Claims a due withdrawal, as `cancellationTaken` claims a cancellation. */
export function withdrawalTaken(companyId: string, { subscriptionId }: Withdrawal, at: Instant): Update {
  const due = dueAttributesAt(companyId, 'RECURRENCE_CANCELLATION', askAgainAt(at), subscriptionId);
  return {
    update: keys.recurrenceWithdrawal(companyId, subscriptionId),
    set: { ...due, takenAt: at },
    when: isDueBy(companyId, 'RECURRENCE_CANCELLATION', subscriptionId, at),
  };
}

/** Removes the due time: the bank has the withdrawal, or refused it. */
export function withdrawalNoLongerDue(companyId: string, { subscriptionId }: Withdrawal): Update {
  return { update: keys.recurrenceWithdrawal(companyId, subscriptionId), remove: notDue, when: isDue };
}

/** Stores the subscription of a rec, for a bank that reports recs by its own id. */
export function recurrencePut(companyId: string, { id: subscriptionId, providerId }: Subscription): Put {
  const key = keys.recurrence(companyId, providerId);
  return { put: { ...key, entity: 'RECURRENCE', subscriptionId }, when: { is: 'absent' } };
}

/** Finds the id of the subscription of a rec, in one read. */
export async function findSubscription(store: Store, companyId: string, idRec: string): Promise<string | undefined> {
  const [item] = await store.read([keys.recurrence(companyId, idRec)]);
  return item && parseItem(RecurrenceItem, item, 'recurrence').subscriptionId;
}

function subscriptionItem(companyId: string, subscription: Subscription): Put['put'] {
  const { id, status, createdAt, receiver } = subscription;
  const listed = { id, createdAt, accountId: receiver.id };
  return {
    ...keys.subscription(companyId, id),
    ...resourceListAttributes(companyId, byStatus('SUBSCRIPTION', status), listed),
    entity: 'SUBSCRIPTION',
    ...subscription,
  };
}

/** The progress of canceling a subscription's open payments. */
export type PaymentSweep = {
  readonly subscriptionId: string;
  /** When the subscription was canceled: payments that settle on that day go on. */
  readonly canceledAt: Instant;
  /** Everything up to this entry is done. */
  readonly swept?: PaymentEntry;
};

const SweepItem = z.object({
  entity: z.literal('PAYMENT_SWEEP'),
  subscriptionId: z.string(),
  canceledAt: z.string(),
  swept: z.object({ id: z.string(), dueDate: z.string() } satisfies Members<PaymentEntry>).exactOptional(),
} satisfies ItemMembers<PaymentSweep>);
const parseSweep: (item: Item) => PaymentSweep = parserOf(SweepItem, 'payment sweep');

/** Belongs in the transaction that cancels the subscription. The sweep stays due until all payments are swept. */
export function sweepInsert(companyId: string, { subscriptionId, canceledAt }: PaymentSweep): Put {
  const due = dueAttributesAt(companyId, 'PAYMENT_SWEEP', canceledAt, subscriptionId);
  const key = keys.paymentSweep(companyId, subscriptionId);
  return { put: { ...key, ...due, entity: 'PAYMENT_SWEEP', subscriptionId, canceledAt }, when: { is: 'absent' } };
}

/** Reads a sweep in one read. Undefined when nothing is left to sweep. @throws CorruptItem */
export async function readSweep(
  store: Store,
  companyId: string,
  subscriptionId: string,
): Promise<PaymentSweep | undefined> {
  const [item] = await store.read([keys.paymentSweep(companyId, subscriptionId)]);
  return item && parseSweep(item);
}

/** The next run continues after this entry. Two concurrent runs may set each other back, which costs only reads. */
export function sweepUpdate(
  companyId: string,
  { subscriptionId }: PaymentSweep,
  { id, dueDate }: PaymentEntry,
): Update {
  const key = keys.paymentSweep(companyId, subscriptionId);
  return { update: key, set: { swept: { id, dueDate } }, when: { is: 'present' } };
}

export function sweepDelete(companyId: string, { subscriptionId }: PaymentSweep): Delete {
  return { delete: keys.paymentSweep(companyId, subscriptionId) };
}
