import * as z from 'zod';
import type { Cancellation, Subscription, SubscriptionWithCancellations } from '../domain/subscription.ts';
import {
  CANCELLATION_REASONS,
  CANCELLATION_STATUSES,
  FREQUENCIES,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TYPES,
} from '../domain/subscription.ts';
import { keys, prefixes } from './keys.ts';
import { StoredCentavos } from './ledger.ts';
import { DocumentShape, parsed, PartyShape } from './parse.ts';
import type { Put, Store } from './store.ts';
import { CorruptItem } from './store.ts';

const SubscriptionItem = z.object({
  entity: z.literal('SUBSCRIPTION'),
  id: z.string(),
  providerId: z.string(),
  type: z.enum(SUBSCRIPTION_TYPES),
  status: z.enum(SUBSCRIPTION_STATUSES),
  statusHistory: z.array(z.object({ status: z.enum(SUBSCRIPTION_STATUSES), createdAt: z.string() })),
  qrcodeData: z.string(),
  initialCharge: z
    .object({ orderId: z.string(), expireDateTime: z.string(), conciliationId: z.string(), amount: StoredCentavos })
    .exactOptional(),
  allowChargeAfterDueDate: z.boolean(),
  allowAdjustToBusinessDay: z.boolean(),
  frequencyType: z.enum(FREQUENCIES),
  startDate: z.string(),
  endDate: z.string().exactOptional(),
  fixedAmount: StoredCentavos.exactOptional(),
  maxAmountFloor: StoredCentavos.exactOptional(),
  debtor: PartyShape,
  expectedPayer: PartyShape.exactOptional(),
  receiver: z.object({ id: z.string(), fullName: z.string(), document: DocumentShape }),
  payer: z
    .object({
      name: z.string().exactOptional(),
      document: DocumentShape,
      bankData: z
        .object({ ispb: z.string(), accountNumber: z.string(), branchNumber: z.string().exactOptional() })
        .exactOptional(),
    })
    .exactOptional(),
  description: z.string().exactOptional(),
  webhookUrl: z.string(),
  externalId: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.int(),
});

const CancellationItem = z.object({
  entity: z.literal('CANCELLATION'),
  id: z.string(),
  subscriptionId: z.string(),
  idempotencyKey: z.string(),
  status: z.enum(CANCELLATION_STATUSES),
  statusHistory: z.array(z.object({ status: z.enum(CANCELLATION_STATUSES), createdAt: z.string() })),
  reason: z.enum(CANCELLATION_REASONS),
  customer: z.object({ document: DocumentShape }),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A subscription with its cancellation requests, oldest first, in one query of its partition. */
export async function readSubscription(
  store: Store,
  companyId: string,
  id: string,
): Promise<SubscriptionWithCancellations | undefined> {
  const { PK, SK } = keys.subscription(companyId, id);
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('A subscription has more than one page of items.');
  const item = items.find((candidate) => candidate.SK === SK);
  if (item === undefined) return undefined;
  const { entity: _entity, ...subscription } = parsed(SubscriptionItem, item, 'subscription');
  const cancellations = items
    .filter((candidate) => candidate.SK.startsWith(prefixes.cancellation))
    .map((candidate): Cancellation => {
      const { entity: _cancellation, ...cancellation } = parsed(CancellationItem, candidate, 'cancellation');
      return cancellation;
    });
  return { subscription, cancellations };
}

export function subscriptionCreated(companyId: string, subscription: Subscription): Put {
  return { put: subscriptionItem(companyId, subscription), when: { is: 'absent' } };
}

/** A subscription after a move, if nobody moved it meanwhile. */
export function subscriptionMoved(companyId: string, before: Subscription, after: Subscription): Put {
  const { status, version } = before;
  return { put: subscriptionItem(companyId, after), when: { equals: { status, version } } };
}

/** A cancellation request that is new, or that was still open. */
export function cancellationWritten(companyId: string, cancellation: Cancellation): Put {
  const { subscriptionId, createdAt, id } = cancellation;
  const put = {
    ...keys.cancellation(companyId, subscriptionId, createdAt, id),
    entity: 'CANCELLATION',
    ...cancellation,
  };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

function subscriptionItem(companyId: string, subscription: Subscription): Put['put'] {
  return { ...keys.subscription(companyId, subscription.id), entity: 'SUBSCRIPTION', ...subscription };
}
