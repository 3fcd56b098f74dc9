import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Cancellation, Payer, Subscription, SubscriptionWithCancellations } from './model.ts';
import {
  cancellationReasons,
  cancellationStatuses,
  frequencies,
  subscriptionStatuses,
  subscriptionTypes,
} from './model.ts';
import { eventCancellations } from './states.ts';
import { dueAttributesAt, keys, notDue, prefixes, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { DocumentShape, OwnerBankShape, parseItem, PartyShape } from '../platform/table/parse.ts';
import type { Check, Item, Put, Store, Update } from '../platform/table/store.ts';
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
  ownerBank: OwnerBankShape.exactOptional(),
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
  updatedAt: z.string(),
  // Items of before it was counted have none.
  cancellationsCount: z.int().default(0),
  version: z.int(),
} satisfies ItemMembers<Subscription>);

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
  updatedAt: z.string(),
} satisfies ItemMembers<Cancellation>);

/**
 * A subscription with its cancellation requests, oldest first, in one query of its partition: all of them for a record,
 * or as many of the latest as a move looks at, so that its cost does not grow with them.
 */
export async function readSubscription(
  store: Store,
  companyId: string,
  id: string,
  wanted: 'ALL' | 'LATEST',
): Promise<SubscriptionWithCancellations | undefined> {
  const { PK, SK } = keys.subscription(companyId, id);
  // The subscription's sort key comes behind those of its cancellation requests, so the last items are what is wanted.
  const latest = { ascending: false, limit: 1 + eventCancellations };
  const { items, next } = await store.query({ partition: PK, ...(wanted === 'LATEST' && latest) });
  if (wanted === 'ALL' && next !== undefined) throw new CorruptItem('A subscription has more than one page of items.');
  const item = items.find((candidate) => candidate.SK === SK);
  if (item === undefined) return undefined;
  const cancellations = items
    .filter((candidate) => candidate.SK.startsWith(prefixes.cancellation))
    .map(parseCancellation);
  return {
    subscription: parseSubscription(item),
    cancellations: wanted === 'LATEST' ? cancellations.toReversed() : cancellations,
  };
}

function parseCancellation(item: Item): Cancellation {
  const { entity: _entity, ...cancellation } = parseItem(CancellationItem, item, 'cancellation');
  return cancellation;
}

/** @throws CorruptItem */
export function parseSubscription(item: Item): Subscription {
  const { entity: _entity, ...subscription } = parseItem(SubscriptionItem, item, 'subscription');
  return subscription;
}

/** A subscription that is `ACCEPTED` when the transaction commits. */
export function acceptedCheck(companyId: string, id: string): Check {
  return { check: keys.subscription(companyId, id), when: { equals: { status: 'ACCEPTED' } } };
}

export function subscriptionInsert(companyId: string, subscription: Subscription): Put {
  return { put: subscriptionItem(companyId, subscription), when: { is: 'absent' } };
}

/** A subscription after a move, if nobody moved it meanwhile. */
export function subscriptionUpdate(companyId: string, before: Subscription, after: Subscription): Put {
  const { status, version } = before;
  return { put: subscriptionItem(companyId, after), when: { equals: { status, version } } };
}

/**
 * A cancellation request that is new, or that was still open. `due`: when it is handed to the bank again, until the
 * bank has surely taken it; an answer takes it out of the due index.
 */
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

/** The bank has the cancellation, or never will: nothing is due any more. */
export function cancellationNoLongerDue(companyId: string, { subscriptionId, sequence }: Cancellation): Update {
  const key = keys.cancellation(companyId, subscriptionId, sequence);
  return { update: key, remove: notDue, when: { has: 'GSI3PK' } };
}

/** The bank did not say whether it has the cancellation: it is asked again then. */
export function cancellationDueAgain(companyId: string, cancellation: Cancellation, at: Instant): Update {
  const { subscriptionId, sequence } = cancellation;
  const key = keys.cancellation(companyId, subscriptionId, sequence);
  return {
    update: key,
    set: dueAttributesAt(companyId, 'RECURRENCE_CANCELLATION', at, subscriptionId),
    when: { has: 'GSI3PK' },
  };
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
