import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { disputeKinds } from '../core/dispute-kind.ts';
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
import type { Item, Put, Store, Update, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { Defence, Dispute, DisputeWithDefences } from './model.ts';
import { defenceStatuses, disputeStatuses, isPending, isUndecided, missingAmount } from './model.ts';

const DisputeItem = z.object({
  entity: z.literal('DISPUTE'),
  id: z.string(),
  accountId: z.string(),
  orderId: z.string().exactOptional(),
  creditId: z.string().exactOptional(),
  endToEndId: z.string(),
  kind: z.enum(disputeKinds),
  status: z.enum(disputeStatuses),
  amount: StoredCentavos,
  blockedAmount: StoredCentavos,
  returnedAmount: StoredCentavos,
  dueAt: z.string(),
  reason: z.string(),
  details: z.string().exactOptional(),
  payer: CounterpartShape.exactOptional(),
  statusHistory: z.array(z.object({ status: z.enum(disputeStatuses), createdAt: z.string() })),
  createdAt: z.string(),
  updatedAt: z.string(),
  connection: z.string().exactOptional(),
  claimId: z.string().exactOptional(),
  claimedAt: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<Dispute>);
export const parseDispute: (item: Item) => Dispute = parserOf(DisputeItem, 'dispute');

const DefenceItem = z.object({
  entity: z.literal('DEFENCE'),
  id: z.string(),
  disputeId: z.string(),
  text: z.string(),
  documents: z.array(z.string()),
  status: z.enum(defenceStatuses).exactOptional(),
  errorMessage: z.string().exactOptional(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
} satisfies ItemMembers<Defence>);
const parseDefence: (item: Item) => Defence = parserOf(DefenceItem, 'defence');

/** The item of a dispute: in the list of all disputes permanently, and in the list of its status. */
function disputeItem(companyId: string, dispute: Dispute): Item {
  const { id, accountId, status, createdAt } = dispute;
  return {
    ...keys.dispute(companyId, id),
    ...resourceListAttributes(companyId, 'DISPUTE', { id, accountId, createdAt }),
    ...listAttributes(companyId, byStatus('DISPUTE', status), createdAt, id, accountId),
    entity: 'DISPUTE',
    ...dispute,
  };
}

/** The writes of a new dispute: its item, its reminder, and its place among those that lack money. */
export function disputeInserts(companyId: string, dispute: Dispute, realAt: Instant): readonly Write[] {
  return [
    { put: disputeItem(companyId, dispute), when: { is: 'absent' } },
    ...reminderWrites(companyId, undefined, dispute),
    ...shortWrites(companyId, undefined, dispute, realAt),
  ];
}

/** The writes of a dispute after a transition, on condition that it did not change meanwhile. */
export function disputeUpdates(companyId: string, before: Dispute, after: Dispute, realAt: Instant): readonly Write[] {
  const { version } = before;
  return [
    { put: disputeItem(companyId, after), when: { equals: { version } } },
    ...reminderWrites(companyId, before, after),
    ...shortWrites(companyId, before, after, realAt),
  ];
}

/** Writes a defence that is new, or that waited for the bank. `due`: when its worker submits it or looks it up. */
export function defencePut(companyId: string, defence: Defence, due?: Instant): Put {
  const { disputeId, id } = defence;
  const waits = due === undefined ? {} : dueAttributesAt(companyId, 'DISPUTE_DEFENCE', due, defenceJobId(defence));
  const put = { ...keys.defence(companyId, disputeId, id), ...waits, entity: 'DEFENCE', ...defence };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

/** The writes of a defence that waits for the bank, on condition that its dispute did not change meanwhile. */
export function pendingDefenceWrites(
  companyId: string,
  before: Dispute,
  { dispute, defence }: { readonly dispute: Dispute; readonly defence: Defence },
  realAt: Instant,
): readonly Write[] {
  // After a crash its worker looks it up later than the bank's reads lag.
  const due = askAgainAt(realAt);
  return [...disputeUpdates(companyId, before, dispute, realAt), defencePut(companyId, defence, due)];
}

type DefenceName = Pick<Defence, 'disputeId' | 'id'>;

/** The id of a defence's due job: that of its dispute, then its own. */
function defenceJobId({ disputeId, id }: DefenceName): string {
  return `${disputeId}#${id}`;
}

/** Claims the submission that is due by this time, and postpones the next one. One of two concurrent claims fails. */
export function defenceTaken(companyId: string, name: DefenceName, at: Instant): Update {
  const job = defenceJobId(name);
  return {
    update: keys.defence(companyId, name.disputeId, name.id),
    set: dueAttributesAt(companyId, 'DISPUTE_DEFENCE', askAgainAt(at), job),
    when: isDueBy(companyId, 'DISPUTE_DEFENCE', job, at),
  };
}

/** Reads the defence of a due job, with its dispute; undefined unless it still waits for the bank. */
export async function readOpenDefence(
  store: Store,
  companyId: string,
  jobId: string,
): Promise<(DisputeWithDefences & { readonly defence: Defence }) | undefined> {
  const [disputeId = '', id] = jobId.split('#');
  const found = await readDispute(store, companyId, disputeId);
  const defence = found?.defences.find((candidate) => candidate.id === id);
  return found && defence && isPending(defence) ? { ...found, defence } : undefined;
}

/** Reads a dispute with its defences, oldest first, in one query; undefined if the company has none of that id. */
export async function readDispute(
  store: Store,
  companyId: string,
  id: string,
): Promise<DisputeWithDefences | undefined> {
  if (!isUuid(id)) return undefined;
  const { PK, SK } = keys.dispute(companyId, id.toLowerCase());
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('A dispute has more than one page of items.');
  const item = items.find((candidate) => candidate.SK === SK);
  if (item === undefined) return undefined;
  const defences = items.filter((candidate) => candidate.SK.startsWith(prefixes.defence)).map(parseDefence);
  return {
    dispute: parseDispute(item),
    defences: defences.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
  };
}

/** Reads as `readDispute`. @throws RequestError when the company has no dispute of that id */
export async function requireDispute(store: Store, companyId: string, id: string): Promise<DisputeWithDefences> {
  const found = await readDispute(store, companyId, id);
  if (found === undefined) throw notFound('Dispute');
  return found;
}

/** Hours before `dueAt` at which the partner is reminded. */
const reminderHours = [48, 6] as const;

/** Returns the time of the next reminder after `at`; undefined when the last one has passed. */
function nextReminder({ dueAt }: Pick<Dispute, 'dueAt'>, at: Instant): Instant | undefined {
  return reminderHours.map((hours) => plusSeconds(dueAt, -hours * 3600)).find((time) => time > at);
}

/** A dispute has a reminder while it is open and undefended. */
function reminderWrites(companyId: string, before: Dispute | undefined, after: Dispute): readonly Write[] {
  const key = keys.disputeReminder(companyId, after.id);
  if (before !== undefined && after.status !== 'OPEN') return before.status === 'OPEN' ? [{ delete: key }] : [];
  if (before?.dueAt === after.dueAt) return [];
  const at = nextReminder(after, after.updatedAt);
  if (at !== undefined) return [reminderPut(companyId, after.id, at)];
  return before === undefined ? [] : [{ delete: key }];
}

function reminderPut(companyId: string, id: string, at: Instant): Put {
  const due = dueAttributesAt(companyId, 'DISPUTE_REMINDER', at, id);
  return { put: { ...keys.disputeReminder(companyId, id), ...due, entity: 'DISPUTE_REMINDER', at } };
}

/** Whether the reminder of a dispute is due. */
export async function isReminderDue(store: Store, companyId: string, id: string, by: Instant): Promise<boolean> {
  const [item] = await store.read([keys.disputeReminder(companyId, id)]);
  const at = item?.['at'];
  return typeof at === 'string' && at <= by;
}

/** Moves the reminder that is due by `at` to the next time, or ends it. Of two concurrent runs one fails. */
export function reminderTaken(companyId: string, dispute: Dispute, at: Instant): Write {
  const when = isDueBy(companyId, 'DISPUTE_REMINDER', dispute.id, at);
  const next = nextReminder(dispute, at);
  if (next === undefined) return { delete: keys.disputeReminder(companyId, dispute.id), when };
  return { ...reminderPut(companyId, dispute.id, next), when };
}

const isShort = (dispute: Dispute): boolean => isUndecided(dispute) && missingAmount(dispute) > 0;

/**
 * A dispute is in its account's list of short ones while less is blocked than is claimed. The job of the account is due
 * then.
 */
function shortWrites(
  companyId: string,
  before: Dispute | undefined,
  after: Dispute,
  realAt: Instant,
): readonly Write[] {
  const { accountId, createdAt, id } = after;
  const key = keys.shortDispute(companyId, accountId, createdAt, id);
  const wasShort = before !== undefined && isShort(before);
  if (wasShort && !isShort(after)) return [{ delete: key }];
  if (wasShort || !isShort(after)) return [];
  return [{ put: { ...key, entity: 'SHORT_DISPUTE', id } }, blockJob(companyId, accountId, realAt)];
}

/** Makes the job due that blocks more on an account. It follows the machine's clock: money comes in real time. */
function blockJob(companyId: string, accountId: string, at: Instant): Write {
  return {
    update: keys.accountBlocks(companyId, accountId),
    set: { entity: 'MED_BLOCK', ...dueAttributesAt(companyId, 'MED_BLOCK', at, accountId) },
    addOrSet: { version: 1 },
    when: { any: [{ is: 'absent' }, { is: 'present' }] },
  };
}

/** The task of an account's job: the oldest dispute that lacks money. */
type ShortOfMoney = { readonly version: number; readonly disputeId: string | undefined };

/** Reads the oldest dispute of an account that lacks money. `version`: of the job, read before. */
export async function readShort(store: Store, companyId: string, accountId: string): Promise<ShortOfMoney> {
  const key = keys.accountBlocks(companyId, accountId);
  const [job] = await store.read([key]);
  const { items } = await store.query({ partition: key.PK, prefix: prefixes.shortDispute, limit: 1 });
  const version = job?.['version'];
  const disputeId = items[0]?.['id'];
  return {
    version: typeof version === 'number' ? version : 0,
    disputeId: typeof disputeId === 'string' ? disputeId : undefined,
  };
}

/** Sets when the account's job runs again; ends it when no dispute lacks money. Fails if one came meanwhile. */
export async function postponeBlocks(
  store: Store,
  companyId: string,
  accountId: string,
  { version, disputeId }: ShortOfMoney,
  next: Instant,
): Promise<void> {
  const key = keys.accountBlocks(companyId, accountId);
  const when = { equals: { version } };
  if (disputeId === undefined) {
    await store.write([{ delete: key, when }], crypto.randomUUID());
    return;
  }
  await store.writeOne({ update: key, set: dueAttributesAt(companyId, 'MED_BLOCK', next, accountId), when });
}
