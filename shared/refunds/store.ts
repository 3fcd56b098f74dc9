import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { askAgainAt, withSubmission } from '../core/resubmission.ts';
import { notFound } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { parsePayIn } from '../pay-ins/store.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { OrderItems } from '../platform/order-items.ts';
import { readOrderItems } from '../platform/order-items.ts';
import { dueAttributesAt, isDue, notDue } from '../platform/table/due-keys.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf, submissionFields } from '../platform/table/parse.ts';
import type { Item, Put, Store, Update } from '../platform/table/store.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { openRefunds, refundStatuses } from './model.ts';

const RefundItem = z.object({
  entity: z.literal('REFUND'),
  id: z.string(),
  orderId: z.string(),
  amount: StoredCentavos,
  status: z.enum(refundStatuses),
  description: z.string().exactOptional(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  settledAt: z.string().exactOptional(),
  decidedAt: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
  ...submissionFields,
} satisfies ItemMembers<Refund>);
export const parseRefund: (item: Item) => Refund = parserOf(RefundItem, 'refund');

/** The pay-in of an order with its refunds; undefined when the order is no pay-in. */
export function parsePayInWithRefunds({ order, items }: OrderItems): PayInWithRefunds | undefined {
  if (order['entity'] !== 'PAY_IN') return undefined;
  const refunds = items.filter((item) => item.SK.startsWith(prefixes.refund)).map(parseRefund);
  return { payIn: parsePayIn(order), refunds };
}

/** Reads a pay-in with its refunds, in one query. Undefined if the company has no pay-in of that id. */
export async function readPayInWithRefunds(
  store: Store,
  companyId: string,
  id: string,
): Promise<PayInWithRefunds | undefined> {
  const items = await readOrderItems(store, companyId, id);
  return items && parsePayInWithRefunds(items);
}

/**
 * Reads as `readPayInWithRefunds`. @throws RequestError when no pay-in of the company has that id, also when another
 * order has it.
 */
export async function requirePayInWithRefunds(store: Store, companyId: string, id: string): Promise<PayInWithRefunds> {
  const found = await readPayInWithRefunds(store, companyId, id);
  // The id of a batch's payment leads to its order; a pay-in has no such payments.
  if (found?.payIn.id !== id.toLowerCase()) throw notFound('Pay-in');
  return found;
}

/** Leads from a requested refund to its pay-in, and to the request. */
type RefundOrder = {
  readonly orderId: string;
  /** Of the request; absent where an earlier release took it. */
  readonly idempotencyKey?: string;
};

/** Returns the write that leads from a new refund to its pay-in. */
export function refundOrderPut(companyId: string, { id, orderId }: Refund, idempotencyKey: string): Put {
  const put = { ...keys.refundOrder(companyId, id), entity: 'REFUND_ORDER', orderId, idempotencyKey };
  return { put, when: { is: 'absent' } };
}

const RefundOrderItem = z.object({
  entity: z.literal('REFUND_ORDER'),
  orderId: z.string(),
  idempotencyKey: z.string().exactOptional(),
} satisfies ItemMembers<RefundOrder>);
const parseRefundOrder = parserOf(RefundOrderItem, 'order of a refund');

/** Reads the pay-in of a requested refund, and its request; undefined if the company requested no refund of that id. */
export async function readRefundOrder(store: Store, companyId: string, id: string): Promise<RefundOrder | undefined> {
  const [item] = await store.read([keys.refundOrder(companyId, id.toLowerCase())]);
  return item && parseRefundOrder(item);
}

type RefundName = Pick<Refund, 'orderId' | 'id'>;

/** The id of a refund's due job: that of its pay-in, then its own. */
function jobIdOf({ orderId, id }: RefundName): string {
  return `${orderId}#${id}`;
}

/** Reads the refund of a due job, with its pay-in; undefined unless it still waits for the bank. */
export async function readOpenRefund(
  store: Store,
  companyId: string,
  jobId: string,
): Promise<{ readonly payIn: PayIn; readonly refund: Refund } | undefined> {
  const [orderId = '', id] = jobId.split('#');
  const { payIn, refunds = [] } = (await readPayInWithRefunds(store, companyId, orderId)) ?? {};
  const refund = openRefunds(refunds).find((candidate) => candidate.id === id);
  return payIn && refund && { payIn, refund };
}

/** Writes a new refund. `due`: when it is submitted again if the bank has not accepted it. */
export function refundPut(companyId: string, refund: Refund, due?: Instant): Put {
  const { orderId, id } = refund;
  const submission = due === undefined ? {} : dueAttributesAt(companyId, 'REFUND_SUBMISSION', due, jobIdOf(refund));
  const put = { ...keys.refund(companyId, orderId, id), ...submission, entity: 'REFUND', ...refund };
  return { put, when: { is: 'absent' } };
}

/** Writes the bank's decision of a refund; one that the bank made by itself is new. What was submitted stays. */
export function refundDecided(companyId: string, refund: Refund): Update {
  const { orderId, id, dueSubmissions: _submissions, acceptedAt: _accepted, ...facts } = refund;
  return {
    update: keys.refund(companyId, orderId, id),
    set: { entity: 'REFUND', orderId, id, ...facts },
    remove: notDue,
    when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] },
  };
}

/** Removes the due time: the bank has accepted the refund. */
export function refundNoLongerDue(companyId: string, refund: Refund): Update {
  const { orderId, id } = refund;
  return { update: keys.refund(companyId, orderId, id), set: pick(refund, 'acceptedAt'), remove: notDue, when: isDue };
}

/** Sets when the bank is polled for the outcome of a refund that it has accepted. */
export function refundPolledAt(companyId: string, refund: Refund, at: Instant): Update {
  const set = { ...dueAttributesAt(companyId, 'REFUND_POLL', at, jobIdOf(refund)), ...pick(refund, 'acceptedAt') };
  const when = { equals: { status: 'PENDING' } };
  return { update: keys.refund(companyId, refund.orderId, refund.id), set, remove: ['GSI2PK'], when };
}

/**
 * Takes the submission that is due by this time, notes it in the refund, and postpones the next one. Of two concurrent
 * runs one fails.
 */
export function refundSubmitted(companyId: string, refund: Refund, at: Instant): Update {
  const job = jobIdOf(refund);
  const next = dueAttributesAt(companyId, 'REFUND_SUBMISSION', askAgainAt(at), job);
  return {
    update: keys.refund(companyId, refund.orderId, refund.id),
    set: { ...next, dueSubmissions: withSubmission(refund, at) },
    when: isDueBy(companyId, 'REFUND_SUBMISSION', job, at),
  };
}
