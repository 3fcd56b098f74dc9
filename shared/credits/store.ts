import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { notFound } from '../core/errors.ts';
import { isUuid } from '../core/identifiers.ts';
import { askAgainAt } from '../core/resubmission.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import { dueAttributesAt } from '../platform/table/due-keys.ts';
import { keys, listAttributes, prefixes, resourceListAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { CounterpartShape, parserOf } from '../platform/table/parse.ts';
import type { Item, Put, Store, Update } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { Credit, CreditReturn, CreditWithReturns } from './model.ts';
import { creditReasons, creditReturnStatuses, creditStatuses } from './model.ts';

const CreditItem = z.object({
  entity: z.literal('CREDIT'),
  id: z.string(),
  accountId: z.string(),
  endToEndId: z.string(),
  amount: StoredCentavos,
  reason: z.enum(creditReasons),
  payer: CounterpartShape.exactOptional(),
  status: z.enum(creditStatuses),
  orderId: z.string().exactOptional(),
  assignedBy: z.string().exactOptional(),
  returnedAmount: StoredCentavos.exactOptional(),
  returnedByDisputes: StoredCentavos.exactOptional(),
  disputeId: z.string().exactOptional(),
  receivedAt: z.string(),
  updatedAt: z.string(),
  connection: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<Credit>);
export const parseCredit: (item: Item) => Credit = parserOf(CreditItem, 'credit');

const CreditReturnItem = z.object({
  entity: z.literal('CREDIT_RETURN'),
  id: z.string(),
  creditId: z.string(),
  amount: StoredCentavos,
  status: z.enum(creditReturnStatuses),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  settledAt: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
} satisfies ItemMembers<CreditReturn>);
export const parseCreditReturn: (item: Item) => CreditReturn = parserOf(CreditReturnItem, 'return of a credit');

/** The item of a credit: in the list of all credits permanently, and in the list of its status. */
function creditItem(companyId: string, credit: Credit): Item {
  const { id, accountId, status, receivedAt } = credit;
  return {
    ...keys.credit(companyId, id),
    ...resourceListAttributes(companyId, 'CREDIT', { id, accountId, createdAt: receivedAt }),
    ...listAttributes(companyId, byStatus('CREDIT', status), receivedAt, id, accountId),
    entity: 'CREDIT',
    ...credit,
  };
}

export function creditInsert(companyId: string, credit: Credit): Put {
  return { put: creditItem(companyId, credit), when: { is: 'absent' } };
}

/** Writes a credit after a transition, on condition that it did not change meanwhile. */
export function creditUpdate(companyId: string, { version }: Credit, after: Credit): Put {
  return { put: creditItem(companyId, after), when: { equals: { version } } };
}

/** Reads a credit with its returns, in one query. Undefined if the company has no credit of that id. */
export async function readCredit(store: Store, companyId: string, id: string): Promise<CreditWithReturns | undefined> {
  if (!isUuid(id)) return undefined;
  const { PK, SK } = keys.credit(companyId, id.toLowerCase());
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('A credit has more than one page of items.');
  const item = items.find((candidate) => candidate.SK === SK);
  if (item === undefined) return undefined;
  const returns = items.filter((candidate) => candidate.SK.startsWith(prefixes.creditReturn)).map(parseCreditReturn);
  return { credit: parseCredit(item), returns };
}

/** Reads as `readCredit`. @throws RequestError when the company has no credit of that id */
export async function requireCredit(store: Store, companyId: string, id: string): Promise<CreditWithReturns> {
  const found = await readCredit(store, companyId, id);
  if (found === undefined) throw notFound('Credit');
  return found;
}

type ReturnName = Pick<CreditReturn, 'creditId' | 'id'>;

/** The id of a return's due job: that of its credit, then its own. */
function jobIdOf({ creditId, id }: ReturnName): string {
  return `${creditId}#${id}`;
}

/** Reads the return of a due job, with its credit; undefined unless it still waits for the bank. */
export async function readOpenReturn(
  store: Store,
  companyId: string,
  jobId: string,
): Promise<(CreditWithReturns & { readonly returned: CreditReturn }) | undefined> {
  const [creditId = '', id] = jobId.split('#');
  const found = await readCredit(store, companyId, creditId);
  const returned = found?.returns.find((candidate) => candidate.id === id);
  return found && returned?.status === 'PENDING' ? { ...found, returned } : undefined;
}

/** Returns the write that leads from a new return to its credit. */
export function creditOfReturnPut(companyId: string, { id, creditId }: ReturnName): Put {
  return {
    put: { ...keys.creditOfReturn(companyId, id), entity: 'CREDIT_OF_RETURN', creditId },
    when: { is: 'absent' },
  };
}

const CreditOfReturnItem = z.object({ entity: z.literal('CREDIT_OF_RETURN'), creditId: z.string() });
const parseCreditOfReturn = parserOf(CreditOfReturnItem, 'credit of a return');

/** Reads the id of the credit of a return; undefined if the company has no return of that id. */
export async function readReturnedCreditId(store: Store, companyId: string, id: string): Promise<string | undefined> {
  const [item] = await store.read([keys.creditOfReturn(companyId, id.toLowerCase())]);
  return item && parseCreditOfReturn(item).creditId;
}

/** Writes a return that is new or still pending. `due`: when it is submitted or looked up again. */
export function creditReturnPut(companyId: string, returned: CreditReturn, due?: Instant): Put {
  const { creditId, id } = returned;
  const waits = due === undefined ? {} : dueAttributesAt(companyId, 'CREDIT_RETURN', due, jobIdOf(returned));
  const put = { ...keys.creditReturn(companyId, creditId, id), ...waits, entity: 'CREDIT_RETURN', ...returned };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

/** Sets when an open return is looked up again. */
export function creditReturnDueAt(companyId: string, name: ReturnName, at: Instant): Update {
  const set = dueAttributesAt(companyId, 'CREDIT_RETURN', at, jobIdOf(name));
  const when = { equals: { status: 'PENDING' } };
  return { update: keys.creditReturn(companyId, name.creditId, name.id), set, when };
}

/** Claims the submission that is due by this time, and postpones the next one. One of two concurrent claims fails. */
export function creditReturnTaken(companyId: string, name: ReturnName, at: Instant): Update {
  const job = jobIdOf(name);
  return {
    update: keys.creditReturn(companyId, name.creditId, name.id),
    set: dueAttributesAt(companyId, 'CREDIT_RETURN', askAgainAt(at), job),
    when: isDueBy(companyId, 'CREDIT_RETURN', job, at),
  };
}
