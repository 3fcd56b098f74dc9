import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { PayIn } from './model.ts';
import { payInStatuses } from './model.ts';
import type { Refund } from '../refunds/model.ts';
import { refundStatuses } from '../refunds/model.ts';
import { isUuid } from '../core/identifiers.ts';
import { dueAttributesAt, endToEndAttributes, keys, notDue, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { CounterpartShape, OwnerBankShape, parseItem } from '../platform/table/parse.ts';
import type { Item, Put, Store, Update } from '../platform/table/store.ts';

const PayInItem = z.object({
  entity: z.literal('PAY_IN'),
  id: z.string(),
  externalId: z.string(),
  accountId: z.string(),
  status: z.enum(payInStatuses),
  errorMessage: z.string().exactOptional(),
  qrcodeData: z.string(),
  description: z.string(),
  conciliationId: z.string(),
  payer: CounterpartShape,
  payerAccountId: z.string().exactOptional(),
  ownerBank: OwnerBankShape,
  subscription: z
    .object({
      id: z.string(),
      code: z.string(),
      scheduledPayment: z.object({ id: z.string(), externalId: z.string() }).exactOptional(),
    } satisfies Members<NonNullable<PayIn['subscription']>>)
    .exactOptional(),
  expireDateTime: z.string(),
  amount: StoredCentavos,
  endToEndId: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  refundedAt: z.string().exactOptional(),
  canceledAt: z.string().exactOptional(),
  expiredAt: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<PayIn>);

const RefundItem = z.object({
  entity: z.literal('REFUND'),
  id: z.string(),
  orderId: z.string(),
  amount: StoredCentavos,
  status: z.enum(refundStatuses),
  description: z.string().exactOptional(),
  createdAt: z.string(),
  settledAt: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
} satisfies ItemMembers<Refund>);

function isPayIn(item: Item): boolean {
  return item['entity'] === 'PAY_IN';
}

export function parsePayIn(item: Item): PayIn {
  const { entity: _entity, ...payIn } = parseItem(PayInItem, item, 'pay-in');
  return payIn;
}

export function parseRefund(item: Item): Refund {
  const { entity: _entity, ...refund } = parseItem(RefundItem, item, 'refund');
  return refund;
}

/** One read. Undefined if the company has no pay-in of that id, also where it has another order. */
export async function readPayIn(store: Store, companyId: string, id: string): Promise<PayIn | undefined> {
  if (!isUuid(id)) return undefined;
  const [item] = await store.read([keys.order(companyId, id.toLowerCase())]);
  return item !== undefined && isPayIn(item) ? parsePayIn(item) : undefined;
}

/** A new pay-in; while it is pending it stands in the due index at its expiry. */
export function payInInsert(companyId: string, payIn: PayIn): Put {
  return { put: payInItem(companyId, payIn), when: { is: 'absent' } };
}

/** A pay-in after a move, if nobody moved it meanwhile. */
export function payInUpdate(companyId: string, before: PayIn, after: PayIn): Put {
  const { status, version } = before;
  return { put: payInItem(companyId, after), when: { equals: { status, version } } };
}

/**
 * A refund that is new, or that was still pending. `due`: when it is handed to the bank again, until the bank has
 * surely taken it; its end takes it out of the due index.
 */
export function refundPut(companyId: string, refund: Refund, due?: Instant): Put {
  const { orderId, id } = refund;
  const submission = due === undefined ? {} : dueAttributesAt(companyId, 'REFUND_SUBMISSION', due, orderId);
  const put = { ...keys.refund(companyId, orderId, id), ...submission, entity: 'REFUND', ...refund };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

/** The bank has taken the refund: nothing is due any more. */
export function refundNoLongerDue(companyId: string, { orderId, id }: Refund): Update {
  return { update: keys.refund(companyId, orderId, id), remove: notDue, when: { has: 'GSI3PK' } };
}

/** The bank did not say whether it has the refund: it is asked again then. */
export function refundDueAgain(companyId: string, { orderId, id }: Refund, at: Instant): Update {
  const set = dueAttributesAt(companyId, 'REFUND_SUBMISSION', at, orderId);
  return { update: keys.refund(companyId, orderId, id), set, when: { has: 'GSI3PK' } };
}

function payInItem(companyId: string, payIn: PayIn): Item {
  return { ...keys.order(companyId, payIn.id), ...placeOf(companyId, payIn), entity: 'PAY_IN', ...payIn };
}

/**
 * While it is pending at its expiry in the due index; then in the list of its status, and found by its end-to-end id.
 */
function placeOf(companyId: string, payIn: PayIn): Record<string, string> {
  const { id, status, expireDateTime, endToEndId } = payIn;
  if (status === 'PENDING') return dueAttributesAt(companyId, 'PAY_IN_EXPIRY', expireDateTime, id);
  return {
    ...resourceListAttributes(companyId, byStatus('PAY_IN', status), payIn),
    ...(endToEndId !== undefined && endToEndAttributes(companyId, endToEndId)),
  };
}
