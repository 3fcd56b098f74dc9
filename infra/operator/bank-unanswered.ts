import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import { askAgainAt } from '#shared/core/resubmission.ts';
import { batchTotals } from '#shared/payouts/model.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { concurrently } from '#shared/platform/concurrently.ts';
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

/** A command without a final outcome. */
export type OpenCommand = Unanswered & {
  /** Absent: the simulated bank. */
  readonly connection?: string;
  /** Money of an account that is reserved for it; absent where none is. */
  readonly amount?: Centavos;
};

type Waiting = Pick<OpenCommand, 'connection' | 'amount' | 'since'>;
/** Reads a command that waits for its outcome; undefined once the outcome is known. */
type Read = (store: Store, companyId: string, id: string) => Promise<Waiting | undefined>;

function waiting(since: Instant | undefined, at: Given, amount?: Centavos): Waiting | undefined {
  return since === undefined ? undefined : { since, ...pick({ ...at, amount }, 'connection', 'amount') };
}

const openPayout: Read = async (store, companyId, id) => {
  const { payout, payments = [] } = (await readPayout(store, companyId, id)) ?? {};
  if (payout?.status !== 'PENDING') return undefined;
  return waiting(payout.sendAt, payout, payments.length === 0 ? payout.amount : batchTotals(payments).pendingAmount);
};
const openRefund: Read = async (...job) => {
  const { refund, payIn } = (await readOpenRefund(...job)) ?? {};
  return waiting(refund?.createdAt, payIn, refund?.amount);
};
const openReturn: Read = async (...job) => {
  const { returned, credit } = (await readOpenReturn(...job)) ?? {};
  return waiting(returned?.createdAt, credit, returned?.amount);
};
const openDefence: Read = async (...job) => {
  const { defence, dispute } = (await readOpenDefence(...job)) ?? {};
  return waiting(defence?.createdAt, dispute);
};
const openKey: Read = async (...job) => {
  const key = await readKeyOfCommand(...job);
  return waiting(key?.askedAt, key);
};
const openEnd: Read = async (store, companyId, id) => {
  const { subscription, cancellations = [] } = (await readSubscription(store, companyId, id, 'LATEST')) ?? {};
  const since = openCancellation(cancellations)?.createdAt ?? (await readWithdrawal(store, companyId, id))?.createdAt;
  return waiting(since, subscription);
};
const openCharge: Read = async (store, companyId, id) => {
  const { payment, terms } = (await readCharge(store, companyId, id)) ?? {};
  return waiting(payment?.pendingCommands === undefined ? undefined : payment.updatedAt, terms);
};

/**
 * Commands without a response. A bank responds within `answeredSeconds`, as a rule within `usualSeconds`; the next
 * lookup is due by `nextAt`.
 */
const unknown = { usualSeconds: 300, answeredSeconds: 3600, nextAt: askAgainAt };
/** Longest time until the next lookup of a command that the bank accepted. */
const acceptedAgainSeconds = 3600;
/** Commands that the bank accepted. Some payments wait there until a person acts. */
const accepted = {
  usualSeconds: 86_400,
  answeredSeconds: 86_400,
  nextAt: (at: Instant) => plusSeconds(at, acceptedAgainSeconds),
};
/** Returns of credits: one kind of job looks them up, before the bank accepts them and afterwards. */
const either = { ...accepted, usualSeconds: 3600, answeredSeconds: 3600 };

/** Due work by kind: commands until their outcome is known, and accepted ones until they are settled. */
const owed = {
  PAYOUT_SUBMISSION: { ...unknown, read: openPayout },
  REFUND_SUBMISSION: { ...unknown, read: openRefund },
  RECURRENCE_CANCELLATION: { ...unknown, read: openEnd },
  CHARGE_COMMAND: { ...unknown, read: openCharge },
  PAYOUT_POLL: { ...accepted, read: openPayout },
  REFUND_POLL: { ...accepted, read: openRefund },
  CREDIT_RETURN: { ...either, read: openReturn },
  DISPUTE_DEFENCE: { ...unknown, read: openDefence },
  KEY_COMMAND: { ...unknown, read: openKey },
} as const satisfies Partial<Readonly<Record<DueKind, object>>>;

/** Commands that are read at the same time. */
const readAtOnce = 10;

/**
 * Reads the commands without a final outcome at this time, oldest first.
 * @param most reads so many commands; `isWhole`: there are no others
 */
export async function openCommands(
  store: Store,
  at: Instant,
  most = Infinity,
): Promise<{ readonly found: readonly OpenCommand[]; readonly isWhole: boolean }> {
  let isWhole = true;
  const jobs = async function* () {
    let count = 0;
    for await (const job of jobsOf(store, owed, plusSeconds(at, acceptedAgainSeconds))) {
      // A command that was looked up just now is due again at `nextAt`.
      if (job.dueAt > owed[job.kind].nextAt(at)) continue;
      count += 1;
      isWhole = count <= most;
      if (!isWhole) return;
      yield job;
    }
  };
  const found = await concurrently(jobs(), readAtOnce, async ({ kind: command, companyId, id }) => {
    const open = await owed[command].read(store, companyId, id);
    return open === undefined || open.since > at ? [] : [{ companyId, command, ...namesOf(id), ...open }];
  });
  return { found: found.flat().toSorted((a, b) => (a.since < b.since ? -1 : 1)), isWhole };
}

/** Whether a command has waited longer than a bank usually takes. */
export function isOverdue({ command, since }: Pick<OpenCommand, 'command' | 'since'>, at: Instant): boolean {
  return plusSeconds(since, owed[command].usualSeconds) <= at;
}

/**
 * Lists commands without a final outcome, oldest first: those that a bank has not acknowledged for an hour, returns of
 * credits after an hour, and other commands that it accepted a day ago. No command expires by age: it stays open, and
 * its money reserved, until the bank reports the outcome.
 * @param options `olderThan`: seconds, instead of the hour and the day
 */
export async function showUnanswered(
  { store, now }: Pick<OnboardingDependencies, 'store' | 'now'>,
  { olderThan }: { readonly olderThan?: number | undefined } = {},
): Promise<readonly Unanswered[]> {
  const at = now();
  const { found } = await openCommands(store, at);
  return found
    .filter(({ command, since }) => plusSeconds(since, olderThan ?? owed[command].answeredSeconds) <= at)
    .map(({ connection: _connection, amount: _amount, ...shown }) => shown);
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
type ReadGiven = (store: Store, companyId: string, id: string) => Promise<Given>;

const payIn: ReadGiven = readPayIn;
const payout: ReadGiven = async (...parameters) => (await readPayout(...parameters))?.payout;
const subscription: ReadGiven = async (...parameters) =>
  (await readSubscription(...parameters, 'LATEST'))?.subscription;
const credit: ReadGiven = async (...parameters) => (await readCredit(...parameters))?.credit;
const dispute: ReadGiven = async (...parameters) => (await readDispute(...parameters))?.dispute;
const pixKey: ReadGiven = readKeyOfCommand;
const charge: ReadGiven = async (...parameters) => (await readCharge(...parameters))?.terms;

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
} as const satisfies Partial<Readonly<Record<DueKind, readonly [string, ReadGiven]>>>;

const always: Instant = '9999-12-31T23:59:59.999Z';

/** Every job of the kinds of a table that is due until then. @throws the error of a read that fails */
async function* jobsOf<Kind extends DueKind>(
  store: Store,
  kinds: Readonly<Record<Kind, unknown>>,
  until: Instant,
): AsyncGenerator<DueWork & { readonly kind: Kind }, void, void> {
  const isOne = (work: DueWork): work is DueWork & { readonly kind: Kind } => work.kind in kinds;
  const lost = (error: unknown): never => {
    throw error;
  };
  for (const family of dueFamilyNames) {
    if (!Object.keys(kinds).some((kind) => familyOf[kind as Kind] === family)) continue;
    for await (const work of dueIn(store, family, { until }, lost)) if (isOne(work)) yield work;
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
  for await (const work of jobsOf(store, opened, always)) {
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
