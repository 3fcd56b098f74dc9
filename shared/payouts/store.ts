import * as z from 'zod';
import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { askAgainAt, withSubmission } from '../core/resubmission.ts';
import type { BatchPayment, InternalReceiver, Payout, PayoutWithPayments } from './model.ts';
import type { PayoutDecision } from './states.ts';
import { endToEndIdAttributes, endToEndIdOfWhole } from './end-to-end-ids.ts';
import { initiations, isFinal, paymentMethods, paymentStatuses, payoutStatuses } from './model.ts';
import type { BankAccountFields, PaymentData } from './target.ts';
import { dueAttributesAt, isDue, notDue, notDueButListed } from '../platform/table/due-keys.ts';
import { keys, prefixes, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { endToEndSource, listResources } from '../platform/table/resource-list.ts';
import type { OrderItems } from '../platform/order-items.ts';
import { readOrderItems } from '../platform/order-items.ts';
import { CounterpartShape, OwnerBankShape, parserOf, submissionFields } from '../platform/table/parse.ts';
import type { Condition, Item, Put, Store, Update, Value, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const PaymentDataShape = z.object({
  pixKey: z.string().exactOptional(),
  qrcodeData: z.string().exactOptional(),
  bankAccount: z
    .object({
      ispb: z.string().exactOptional(),
      bankNumber: z.string().exactOptional(),
      accountType: z.enum(bankAccountTypes),
      branchNumber: z.string(),
      accountNumber: z.string(),
    } satisfies Members<BankAccountFields>)
    .exactOptional(),
} satisfies Members<PaymentData>);
const PayoutItem = z.object({
  entity: z.literal('PAYOUT'),
  id: z.string(),
  externalId: z.string(),
  accountId: z.string(),
  shard: z.int().exactOptional(),
  paymentMethod: z.enum(paymentMethods),
  initiation: z.enum(initiations),
  description: z.string(),
  receiver: CounterpartShape,
  ownerBank: OwnerBankShape,
  internal: z
    .object({ accountId: z.string(), payInId: z.string().exactOptional() } satisfies Members<InternalReceiver>)
    .exactOptional(),
  idempotencyKey: z.string(),
  txid: z.string().exactOptional(),
  paymentData: PaymentDataShape,
  amount: StoredCentavos,
  endToEndId: z.string().exactOptional(),
  endToEndIdIsLate: z.boolean().exactOptional(),
  sendAt: z.string(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  status: z.enum(payoutStatuses),
  controlNumber: z.string().exactOptional(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
  openPayments: z.int().exactOptional(),
  connection: z.string().exactOptional(),
  ...submissionFields,
  returnedAmount: StoredCentavos.exactOptional(),
  version: z.int(),
} satisfies ItemMembers<Payout>);
export const parsePayout: (item: Item) => Payout = parserOf(PayoutItem, 'payout');

const PaymentItem = z.object({
  entity: z.literal('PAYOUT_PAYMENT'),
  sequence: z.int(),
  amount: StoredCentavos,
  status: z.enum(paymentStatuses),
  endToEndId: z.string().exactOptional(),
  endToEndIdIsLate: z.boolean().exactOptional(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
} satisfies ItemMembers<BatchPayment>);
export const parsePayment: (item: Item) => BatchPayment = parserOf(PaymentItem, 'payment of a batch');

/** The payout of an order with its payments; undefined when the order is no payout. */
export function parsePayoutWithPayments({ order, items }: OrderItems): PayoutWithPayments | undefined {
  if (order['entity'] !== 'PAYOUT') return undefined;
  const payments = items.filter((item) => item.SK.startsWith(prefixes.payoutChild)).map(parsePayment);
  return { payout: parsePayout(order), payments };
}

/** A payout with its payments by its id or that of a payment, in one query. Undefined if the company has none of it. */
export async function readPayout(store: Store, companyId: string, id: string): Promise<PayoutWithPayments | undefined> {
  const items = await readOrderItems(store, companyId, id);
  return items && parsePayoutWithPayments(items);
}

/**
 * Inserts a new payout with its payments. It is due for submission in two minutes, or when the window of a TED opens;
 * it is no longer due once the bank has it.
 */
export function payoutInserts(companyId: string, { payout, payments }: PayoutWithPayments): readonly Write[] {
  const { id, sendAt, createdAt, accountId } = payout;
  const due = dueAttributesAt(companyId, 'PAYOUT_SUBMISSION', sendAt === createdAt ? askAgainAt(sendAt) : sendAt, id);
  return [
    { put: { ...keys.order(companyId, id), ...due, entity: 'PAYOUT', ...payout }, when: { is: 'absent' } },
    ...controlNumberInsert(payout, createdAt),
    ...payments.map((payment): Write => {
      const key = keys.payoutChild(companyId, id, payment.sequence);
      const found = endToEndIdAttributes(companyId, payment.endToEndId, { id, createdAt, accountId });
      return { put: { ...key, ...found, entity: 'PAYOUT_PAYMENT', ...payment }, when: { is: 'absent' } };
    }),
  ];
}

/** Life of a taken control number, seconds. It holds its day, so that day is enough; one more day is margin. */
const controlNumberSeconds = 2 * 86_400;

/** Takes the control number of a TED, if it has one: fails when another TED has it. */
function controlNumberInsert({ controlNumber }: Pick<Payout, 'controlNumber'>, at: Instant): readonly Put[] {
  if (controlNumber === undefined) return [];
  const expiresAt = epochSeconds(plusSeconds(at, controlNumberSeconds));
  return [
    { put: { ...keys.controlNumber(controlNumber), entity: 'CONTROL_NUMBER', expiresAt }, when: { is: 'absent' } },
  ];
}

/**
 * Returns the writes of a payout after a transition, on condition that nothing changed on which the decision depends.
 */
export function payoutUpdates(
  companyId: string,
  { payout: before, payments: earlier }: PayoutWithPayments,
  decision: PayoutDecision,
  at: Instant,
): readonly Write[] {
  const { id } = before;
  const { payout, payments } = decision.after;
  const hadEndToEndId = (payment: Payout | BatchPayment | undefined): boolean => payment?.endToEndId !== undefined;
  const key = { update: keys.order(companyId, id), ...endOf(companyId, payout) };
  return [
    payments.length === 0 ? wholeUpdate(before, decision, key) : batchUpdate(before, decision, key),
    ...(before.controlNumber === undefined ? controlNumberInsert(payout, at) : []),
    ...decision.changed.map((payment): Update => ({
      update: keys.payoutChild(companyId, id, payment.sequence),
      set: {
        ...outcomeOf(payment),
        ...(!hadEndToEndId(earlier.find(({ sequence }) => sequence === payment.sequence)) && {
          ...pick(payment, 'endToEndId'),
          ...endToEndIdAttributes(companyId, payment.endToEndId, payout),
        }),
      },
      when: { equals: { status: 'PENDING' } },
    })),
    ...(payments.length === 0 && !hadEndToEndId(before) ? endToEndIdOfWhole(companyId, payout) : []),
  ];
}

/**
 * A final payout is no longer due. `GSI2` now holds it in the list of its status, instead of the due index of its
 * company.
 */
function endOf(companyId: string, payout: Payout): Omit<PayoutKey, 'update'> {
  const { status } = payout;
  if (status === 'PENDING') return { listed: {} };
  return {
    listed: resourceListAttributes(companyId, byStatus('PAYOUT', status), payout),
    remove: notDueButListed,
  };
}

type PayoutKey = Pick<Update, 'update' | 'remove'> & { readonly listed: Readonly<Record<string, string>> };

function wholeUpdate(
  { status, version }: Payout,
  { after: { payout } }: PayoutDecision,
  { listed, ...key }: PayoutKey,
): Update {
  const set = { ...outcomeOf(payout), ...listed, ...pick(payout, 'endToEndId', 'controlNumber', 'version') };
  return { ...key, set, when: { equals: { status, version } } };
}

/**
 * Concurrent changes of different payments of a batch do not conflict: each lowers the count of open payments, on
 * condition that an open one is left. A write that ends the batch requires that all other payments are final. If the
 * last two payments end concurrently, the second write fails, and its caller reads again.
 */
function batchUpdate(
  before: Payout,
  { after: { payout }, changed }: PayoutDecision,
  { listed, ...key }: PayoutKey,
): Update {
  const { status } = before;
  const set = { ...outcomeOf(payout), ...listed, ...pick(payout, 'endToEndId') };
  const counts = { openPayments: -changed.length, version: 1 };
  const others: Condition = isFinal(payout)
    ? { equals: { openPayments: changed.length } }
    : { atLeast: { openPayments: changed.length + 1 } };
  return { ...key, set, add: counts, when: { all: [{ equals: { status } }, others] } };
}

/** Marks a TED as sent under a control number, on condition that no other TED has the number. */
export function tedSendingWrites(
  companyId: string,
  before: Payout,
  controlNumber: string,
  at: Instant,
): readonly Write[] {
  const { id, version } = before;
  return [
    {
      update: keys.order(companyId, id),
      set: { controlNumber, updatedAt: at, version: version + 1 },
      when: { all: [{ equals: { status: 'PENDING', version } }, { lacks: 'controlNumber' }] },
    },
    ...controlNumberInsert({ controlNumber }, at),
  ];
}

/** The bank has accepted the payout: nothing is due any more. */
export function payoutNoLongerDue(companyId: string, payout: Payout): Update {
  // `GSI2` attributes of a final payout hold it in the list of its status: they must stay.
  const when: Condition = { all: [{ equals: { status: 'PENDING' } }, isDue] };
  return { update: keys.order(companyId, payout.id), set: pick(payout, 'acceptedAt'), remove: notDue, when };
}

/** The bank has accepted the payout: the next lookup of its state is due at `at`. */
export function payoutPolledAt(companyId: string, payout: Payout, at: Instant): Update {
  const { id } = payout;
  return {
    update: keys.order(companyId, id),
    set: { ...dueAttributesAt(companyId, 'PAYOUT_POLL', at, id), ...pick(payout, 'acceptedAt') },
    remove: ['GSI2PK'],
    when: { equals: { status: 'PENDING' } },
  };
}

/** Takes the submission that is due by `at`, and postpones the next one to `next`. Of two concurrent runs one fails. */
export function payoutTaken(companyId: string, { id }: Payout, at: Instant, next: Instant = askAgainAt(at)): Update {
  return {
    update: keys.order(companyId, id),
    set: dueAttributesAt(companyId, 'PAYOUT_SUBMISSION', next, id),
    when: { all: [{ equals: { status: 'PENDING' } }, isDueBy(companyId, 'PAYOUT_SUBMISSION', id, at)] },
  };
}

/** As `payoutTaken`, and notes the submission in the payout. */
export function payoutSubmitted(companyId: string, payout: Payout, at: Instant): Update {
  const taken = payoutTaken(companyId, payout, at);
  return { ...taken, set: { ...taken.set, dueSubmissions: withSubmission(payout, at) } };
}

/** Adds to what came back of a paid payout. */
export function payoutReturned(companyId: string, id: string, returnedAmount: Centavos): Update {
  return { update: keys.order(companyId, id), addOrSet: { returnedAmount }, when: { is: 'present' } };
}

function outcomeOf(settled: Payout | BatchPayment): Record<string, Value> {
  return pick(settled, 'status', 'updatedAt', 'paidAt', 'errorMessage');
}

/** Lists one page of a company's payouts. A payout that was split has its payments. As `listResources`. */
export async function listPayoutsOf(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<PayoutWithPayments>> {
  const keyed = endToEndSource(store, companyId, 'PAYOUT', filters, page.ascending);
  const { found, ...rest } = await listResources(store, companyId, 'PAYOUT', filters, page, keyed);
  return { ...rest, found: await Promise.all(found.map((item) => withPayments(store, companyId, item))) };
}

/** Reads the payments of a payout that was split: only such a payout has `openPayments`. */
async function withPayments(store: Store, companyId: string, item: Item): Promise<PayoutWithPayments> {
  const payout = parsePayout(item);
  if (payout.openPayments === undefined) return { payout, payments: [] };
  const order = await readPayout(store, companyId, payout.id);
  if (order === undefined) throw new CorruptItem('Cannot find a listed payout.');
  return order;
}
