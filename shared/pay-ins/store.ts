import * as z from 'zod';
import type { PayIn } from './model.ts';
import { payInStatuses } from './model.ts';
import { isUuid } from '../core/identifiers.ts';
import { uniqueInsert } from '../platform/external-ids.ts';
import { dueAttributesAt } from '../platform/table/due-keys.ts';
import { endToEndAttributes, keys, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { endToEndSource, listResources } from '../platform/table/resource-list.ts';
import { CounterpartShape, OwnerBankShape, parserOf } from '../platform/table/parse.ts';
import type { Item, Put, Store, Write } from '../platform/table/store.ts';

const PayInItem = z.object({
  entity: z.literal('PAY_IN'),
  id: z.string(),
  externalId: z.string(),
  accountId: z.string(),
  shard: z.int().exactOptional(),
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
  createdBy: z.string().exactOptional(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  refundedAt: z.string().exactOptional(),
  refundedAmount: StoredCentavos.exactOptional(),
  returnedByDisputes: StoredCentavos.exactOptional(),
  disputeReturnedAt: z.string().exactOptional(),
  disputeId: z.string().exactOptional(),
  canceledAt: z.string().exactOptional(),
  canceledBy: z.string().exactOptional(),
  expiredAt: z.string().exactOptional(),
  connection: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<PayIn>);
export const parsePayIn: (item: Item) => PayIn = parserOf(PayInItem, 'pay-in');

function isPayIn(item: Item): boolean {
  return item['entity'] === 'PAY_IN';
}

/** Reads a pay-in, in one read. Undefined if the company has no pay-in of this id, also if a payout has the id. */
export async function readPayIn(store: Store, companyId: string, id: string): Promise<PayIn | undefined> {
  if (!isUuid(id)) return undefined;
  const [item] = await store.read([keys.order(companyId, id.toLowerCase())]);
  return item !== undefined && isPayIn(item) ? parsePayIn(item) : undefined;
}

/** Inserts a new pay-in. While it is pending, it is in the due index at its expiry. */
export function payInInsert(companyId: string, payIn: PayIn): Put {
  return { put: payInItem(companyId, payIn), when: { is: 'absent' } };
}

/** Inserts a pay-in that the service creates itself, and claims its external id. */
export function ownPayInInserts(companyId: string, payIn: PayIn): readonly Write[] {
  const { externalId, id: resourceId } = payIn;
  const unique = uniqueInsert(companyId, { kind: 'PAY_IN', externalId, resourceId, listed: payIn });
  return [payInInsert(companyId, payIn), unique];
}

/** Writes a pay-in after a transition, on condition that it did not change meanwhile. */
export function payInUpdate(companyId: string, before: PayIn, after: PayIn): Put {
  const { status, version } = before;
  return { put: payInItem(companyId, after), when: { equals: { status, version } } };
}

function payInItem(companyId: string, payIn: PayIn): Item {
  return { ...keys.order(companyId, payIn.id), ...placeOf(companyId, payIn), entity: 'PAY_IN', ...payIn };
}

/** A pending pay-in is due at its expiry; any other is in the list of its status and found by its end-to-end id. */
function placeOf(companyId: string, payIn: PayIn): Record<string, string> {
  const { id, status, expireDateTime, endToEndId } = payIn;
  if (status === 'PENDING') return dueAttributesAt(companyId, 'PAY_IN_EXPIRY', expireDateTime, id);
  return {
    ...resourceListAttributes(companyId, byStatus('PAY_IN', status), payIn),
    ...(endToEndId !== undefined && endToEndAttributes(companyId, endToEndId)),
  };
}

/** One page of a company's pay-ins. As `listResources`. */
export async function listPayInsOf(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<PayIn>> {
  const keyed = endToEndSource(store, companyId, 'PAY_IN', filters, page.ascending);
  const { found, ...rest } = await listResources(store, companyId, 'PAY_IN', filters, page, keyed);
  return { ...rest, found: found.map(parsePayIn) };
}
