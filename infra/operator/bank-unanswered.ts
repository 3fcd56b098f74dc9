import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { pick } from '#shared/core/pick.ts';
import { askAgainAt } from '#shared/core/resubmission.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueIn, resourceIdOf } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilyNames, familyOf } from '#shared/platform/jobs/due-kinds.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { readOpenRefund } from '#shared/refunds/store.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import { openCancellation } from '#shared/subscriptions/model.ts';
import { readSubscription, readWithdrawal } from '#shared/subscriptions/store.ts';
import type { OnboardingDependencies } from './target.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import { listPartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import { readCredit, readOpenReturn } from '#shared/credits/store.ts';
import { readDispute, readOpenDefence } from '#shared/disputes/store.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import { readKeyOfCommand } from '#shared/pix-keys/store.ts';

type Unanswered = {
  readonly companyId: string;
  readonly command: keyof typeof owed;
  /**
   * Id of the order, the refunded pay-in, the credit, the dispute, the account of a PIX key, the subscription or the
   * scheduled payment.
   */
  readonly id: string;
  /** Id of the refund, return, defence or PIX key: `bank:repeat` takes it. */
  readonly reference?: string;
  readonly since: Instant;
};

/** Reads since when a command waits for its outcome; undefined once the outcome is known. */
type Since = (store: Store, companyId: string, id: string) => Promise<Instant | undefined>;

const sincePayout: Since = async (store, companyId, id) => {
  const { payout } = (await readPayout(store, companyId, id)) ?? {};
  return payout?.status === 'PENDING' ? payout.sendAt : undefined;
};
const sinceRefund: Since = async (...job) => (await readOpenRefund(...job))?.refund.createdAt;
const sinceReturn: Since = async (...job) => (await readOpenReturn(...job))?.returned.createdAt;
const sinceDefence: Since = async (...job) => (await readOpenDefence(...job))?.defence.createdAt;
const sinceKey: Since = async (...job) => (await readKeyOfCommand(...job))?.askedAt;
const sinceCancellation: Since = async (store, companyId, id) =>
  openCancellation((await readSubscription(store, companyId, id, 'LATEST'))?.cancellations ?? [])?.createdAt ??
  (await readWithdrawal(store, companyId, id))?.createdAt;
const sinceCharge: Since = async (store, companyId, id) => {
  const { payment } = (await readCharge(store, companyId, id)) ?? {};
  return payment?.pendingCommands === undefined ? undefined : payment.updatedAt;
};

/** Commands without a response. A bank responds within `answeredSeconds`; the next lookup is due by `nextAt`. */
const unknown = { answeredSeconds: 3600, nextAt: askAgainAt };
/** Commands that the bank accepted. Some payments wait there until a person acts. */
const accepted = { answeredSeconds: 86_400, nextAt: (at: Instant) => plusSeconds(at, 3600) };
/** Returns of credits: one kind of job looks them up, before the bank accepts them and afterwards. */
const either = { ...unknown, nextAt: accepted.nextAt };

/** Due work by kind: commands until their outcome is known, and accepted ones until they are settled. */
const owed = {
  PAYOUT_SUBMISSION: { ...unknown, since: sincePayout },
  REFUND_SUBMISSION: { ...unknown, since: sinceRefund },
  RECURRENCE_CANCELLATION: { ...unknown, since: sinceCancellation },
  CHARGE_COMMAND: { ...unknown, since: sinceCharge },
  PAYOUT_POLL: { ...accepted, since: sincePayout },
  REFUND_POLL: { ...accepted, since: sinceRefund },
  CREDIT_RETURN: { ...either, since: sinceReturn },
  DISPUTE_DEFENCE: { ...unknown, since: sinceDefence },
  KEY_COMMAND: { ...unknown, since: sinceKey },
} as const satisfies Partial<Readonly<Record<DueKind, object>>>;

/**
 * Lists commands that a bank has not acknowledged for an hour, returns of credits without a final outcome for an hour,
 * and other commands that it accepted a day ago without a final outcome, oldest first. No command expires by age: it
 * stays open and its money stays reserved until the bank reports the outcome.
 */
export async function showUnanswered({
  store,
  now,
}: Pick<OnboardingDependencies, 'store' | 'now'>): Promise<readonly Unanswered[]> {
  const at = now();
  const found: Unanswered[] = [];
  for await (const { kind: command, companyId, id, dueAt } of jobsOf(store, owed)) {
    const { since: read, answeredSeconds, nextAt } = owed[command];
    // A command that was looked up just now is due again at `nextAt`.
    if (dueAt > nextAt(at)) continue;
    const since = await read(store, companyId, id);
    if (since !== undefined && plusSeconds(since, answeredSeconds) <= at)
      found.push({ companyId, command, ...namesOf(id), since });
  }
  return found.toSorted((a, b) => (a.since < b.since ? -1 : 1));
}

/** Returns the resource of a job, and the id at the bank where it is another one. */
function namesOf(jobId: string): Pick<Unanswered, 'id' | 'reference'> {
  const [id = jobId, reference] = jobId.split('#');
  return { id, ...pick({ reference }, 'reference') };
}

/** Number of open items of one kind at a bank. */
export type Open = { readonly kind: string; readonly count: number };

/** A resource at a bank. Without `connection` the bank is the simulated bank. */
type Given = { readonly connection?: string } | undefined;
type Read = (store: Store, companyId: string, id: string) => Promise<Given>;

const payIn: Read = readPayIn;
const payout: Read = async (...parameters) => (await readPayout(...parameters))?.payout;
const subscription: Read = async (...parameters) => (await readSubscription(...parameters, 'LATEST'))?.subscription;
const credit: Read = async (...parameters) => (await readCredit(...parameters))?.credit;
const dispute: Read = async (...parameters) => (await readDispute(...parameters))?.dispute;
const pixKey: Read = readKeyOfCommand;
const charge: Read = async (...parameters) => (await readCharge(...parameters))?.terms;

/** Kinds of due work at a bank, each with the kind that is shown and the function that reads the resource. */
const opened = {
  PAY_IN_EXPIRY: ['PAY_IN', payIn],
  PAYOUT_SUBMISSION: ['PAYOUT', payout],
  PAYOUT_POLL: ['PAYOUT', payout],
  REFUND_SUBMISSION: ['REFUND', payIn],
  REFUND_POLL: ['REFUND', payIn],
  CREDIT_RETURN: ['RETURN', credit],
  DISPUTE_DEFENCE: ['DEFENCE', dispute],
  KEY_COMMAND: ['PIX_KEY', pixKey],
  RECURRENCE_POLL: ['SUBSCRIPTION', subscription],
  RECURRENCE_CANCELLATION: ['CANCELLATION', subscription],
  CANCELLATION_POLL: ['CANCELLATION', subscription],
  PAYMENT_RELEASE: ['SCHEDULED_PAYMENT', charge],
  CHARGE_COMMAND: ['SCHEDULED_PAYMENT', charge],
  CHARGE_POLL: ['SCHEDULED_PAYMENT', charge],
  SETTLEMENT_RESEND: ['SCHEDULED_PAYMENT', charge],
} as const satisfies Partial<Readonly<Record<DueKind, readonly [string, Read]>>>;

const always = '9999-12-31T23:59:59.999Z';

/** Every job of the kinds of a table, whatever its time. @throws the error of a read that fails */
async function* jobsOf<Kind extends DueKind>(
  store: Store,
  kinds: Readonly<Record<Kind, unknown>>,
): AsyncGenerator<DueWork & { readonly kind: Kind }, void, void> {
  const isOne = (work: DueWork): work is DueWork & { readonly kind: Kind } => work.kind in kinds;
  const lost = (error: unknown): never => {
    throw error;
  };
  for (const family of dueFamilyNames) {
    if (!Object.keys(kinds).some((kind) => familyOf[kind as Kind] === family)) continue;
    for await (const work of dueIn(store, family, { until: always }, lost)) if (isOne(work)) yield work;
  }
}

/**
 * Counts the open work at a connection of a company, by kind: due work, and accepted subscriptions.
 * @param connection undefined: the simulated bank
 */
export async function openAt(
  store: Store,
  companyId: string,
  connection: string | undefined,
): Promise<readonly Open[]> {
  const found = new Map<string, Set<string>>();
  const add = (kind: string, id: string): void => void found.set(kind, (found.get(kind) ?? new Set()).add(id));
  for await (const work of jobsOf(store, opened)) {
    if (work.companyId !== companyId) continue;
    const [kind, read] = opened[work.kind];
    const given = await read(store, companyId, resourceIdOf(work));
    if (given !== undefined && given.connection === connection) add(kind, work.id);
  }
  const partition = listPartition(companyId, byStatus('SUBSCRIPTION', 'ACCEPTED'));
  for await (const { GSI2SK } of queryAll(store, { index: 'GSI2', partition })) {
    const id = typeof GSI2SK === 'string' ? (GSI2SK.split('#')[1] ?? '') : '';
    const given = await subscription(store, companyId, id);
    if (given !== undefined && given.connection === connection) add('SUBSCRIPTION', id);
  }
  return [...found].map(([kind, ids]) => ({ kind, count: ids.size }));
}
