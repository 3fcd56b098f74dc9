import type { DueFamily, DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueQueueVariable } from '#shared/platform/jobs/due-kinds.ts';
import type { EnvName } from '#shared/platform/env.ts';
import type { SimulationWorkerName, WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { FunctionAccess } from './access.ts';

/** One value for each worker of an environment. */
export type OfWorkers<T> = Readonly<Record<Exclude<WorkerName, SimulationWorkerName>, T>> &
  Readonly<Partial<Record<SimulationWorkerName, T>>>;

/** Minutes and hours in Brasilia at which a job runs, in cron syntax (`0-20`). Default: every minute, every hour. */
export type Times = { readonly minute?: string; readonly hour?: string };

/** A function that no route calls: its size, its access and the environment variables that it reads. */
type Worker = {
  readonly description: string;
  /** Impact on partners when it fails: the text of its alarms. */
  readonly impact: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly access: FunctionAccess;
  readonly variables: readonly EnvName[];
  /** Absent for a worker that is called by events only. */
  readonly schedule?: 'every minute' | Times;
  /** The family of due jobs that it does, from a queue of its own, which its schedule fills. */
  readonly due?: DueFamily;
  readonly simulation?: true;
};

/** The alarm of a kind rings when its oldest due job is late by more than these seconds. */
export const lateAfterSeconds: Readonly<Record<DueKind, number>> = {
  DELIVERY: 15 * 60,
  BACKLOG: 15 * 60,
  DELIVERY_RESEND: 15 * 60,
  PAY_IN_EXPIRY: 15 * 60,
  PAYOUT_SUBMISSION: 10 * 60,
  PAYOUT_POLL: 15 * 60,
  SETTLEMENT_RESEND: 10 * 60,
  PAYMENT_RELEASE: 30 * 60,
  CHARGE_COMMAND: 15 * 60,
  PAYMENT_SWEEP: 30 * 60,
  RECURRENCE_END: 30 * 60,
  CHARGE_POLL: 15 * 60,
  REFUND_SUBMISSION: 15 * 60,
  RECURRENCE_CANCELLATION: 15 * 60,
  CREDIT_RETURN: 15 * 60,
  DISPUTE_DEFENCE: 15 * 60,
  KEY_COMMAND: 15 * 60,
  MED_BLOCK: 10 * 60,
  DISPUTE_REMINDER: 30 * 60,
  REFUND_POLL: 15 * 60,
  CANCELLATION_POLL: 15 * 60,
  RECURRENCE_POLL: 15 * 60,
  KEY_CODE: 5 * 60,
  BANK_READING: 30 * 60,
  BANK_LIST: 45 * 60,
  RECEIVED_POLL: 10 * 60,
};

/** Settings shared by the workers that run every minute. The jobs about the bank are in `shared/jobs/jobs.ts`. */
const everyMinute = {
  memoryMb: 512,
  timeoutSeconds: 50,
  schedule: 'every minute',
} as const satisfies Partial<Worker>;

/** Settings of the worker of a family's due jobs: every minute it queues them, and its queue calls it. */
const dueJobs = (family: DueFamily) =>
  ({
    ...everyMinute,
    access: { table: 'writes', indexes: ['GSI3'], dueQueue: family },
    variables: ['TABLE_NAME', 'SETTINGS', dueQueueVariable(family)],
    due: family,
  }) as const satisfies Partial<Worker>;

/** The workers, by their folder under functions/workers. `ServiceStack` (infra/aws/stacks.ts) adds what calls them. */
export const workers: Readonly<
  Record<Exclude<WorkerName, SimulationWorkerName>, Worker> &
    Record<SimulationWorkerName, Worker & { readonly simulation: true }>
> = {
  authorizer: {
    description: 'Checks the bearer token of a request and returns the company of its client.',
    impact: 'Partners with valid tokens get 503: the authorizer cannot check tokens.',
    // Twice the processor of 256: every partner's first call waits for its start.
    memoryMb: 512,
    timeoutSeconds: 5,
    access: { table: 'gets', issuerKeys: 'keeps' },
    variables: ['TABLE_NAME', 'SETTINGS'],
  },
  'relay-deliveries': {
    description: 'Sends new deliveries, drains and codes of PIX keys from the table stream to their queues.',
    impact: 'Notifications and codes of PIX keys start late: they are not queued.',
    memoryMb: 512,
    timeoutSeconds: 30,
    access: {
      stream: true,
      deliveryQueue: 'sends',
      drainQueue: 'sends',
      keyCodeQueue: 'sends',
      relayFailures: 'sends',
    },
    variables: ['QUEUE_URL', 'DRAIN_QUEUE_URL', dueQueueVariable('KEY_CODES')],
  },
  'deliver-notification': {
    description: 'Calls partners: one attempt for each message of the delivery queue.',
    impact: 'Notifications are late: the notifier fails, and each failure uses up a receive of the message.',
    memoryMb: 512,
    timeoutSeconds: 15,
    access: { table: 'writes', indexes: ['GSI2'], secrets: true, deliveryQueue: 'receives' },
    variables: ['TABLE_NAME', 'QUEUE_URL', 'SETTINGS'],
  },
  'drain-backlogs': {
    description: 'Calls partners whose endpoints are slow, were down, or have a backlog: one drain for each company.',
    impact: 'Deliveries that wait for a slow or recovered endpoint are not sent.',
    // A whole processor: a drain has up to a hundred concurrent calls.
    memoryMb: 1769,
    timeoutSeconds: 900,
    access: { table: 'writes', indexes: ['GSI2'], secrets: true, drainQueue: 'receives' },
    variables: ['TABLE_NAME', 'SETTINGS'],
  },
  'sweep-deliveries': {
    description: 'Queues overdue deliveries again, requests overdue drains again, and runs resends.',
    impact: 'Lost or held notifications are not sent again.',
    ...dueJobs('DELIVERIES'),
    access: { ...dueJobs('DELIVERIES').access, indexes: ['GSI1', 'GSI3'], deadLetterQueue: 'receives' },
    variables: [...dueJobs('DELIVERIES').variables, 'DEAD_LETTER_QUEUE_URL'],
  },
  'expire-pay-ins': {
    description: 'Expires pay-ins after their expiry time.',
    impact: 'Pay-ins stay open after their expiry, and partners get no notification of it.',
    ...dueJobs('PAY_INS'),
    access: { ...dueJobs('PAY_INS').access, bank: true },
  },
  'submit-payouts': {
    description: 'Sends payouts to the bank, TED within its hours, and queries their outcome.',
    impact: 'Due payouts are not sent to the bank.',
    ...dueJobs('PAYOUTS'),
    access: { ...dueJobs('PAYOUTS').access, bank: true },
  },
  'resend-settlement-errors': {
    description: 'Resends scheduled payments that settlement errors canceled today, until 21:00.',
    impact: 'Charges that settlement errors canceled are not resent today: partners do not receive the money.',
    ...dueJobs('RESENDS'),
    access: { ...dueJobs('RESENDS').access, bank: true },
    schedule: { hour: '0-20' },
  },
  'advance-scheduled-payments': {
    description:
      'Opens windows of scheduled payments, finishes commands to the bank, queries their outcome, sweeps canceled subscriptions, ends subscriptions after their end date.',
    impact: 'Scheduled payments do not reach the bank in time, or continue although their subscription was canceled.',
    ...dueJobs('PAYMENTS'),
    access: { ...dueJobs('PAYMENTS').access, bank: true },
  },
  'submit-commands': {
    description:
      'Sends refunds, cancellations of recurrences and PIX keys to the bank when the request could not, queries their outcome, blocks money for disputes, and reminds partners of them.',
    impact:
      'Refunds, cancellations of subscriptions and PIX keys do not reach the bank; disputed money stays available, and partners are not reminded of disputes.',
    ...dueJobs('COMMANDS'),
    access: { ...dueJobs('COMMANDS').access, bank: true, hashSecret: true },
  },
  'send-key-codes': {
    description: 'Sends the codes that confirm PIX keys, by e-mail and phone.',
    impact: 'Holders get no confirmation codes: their PIX keys cannot be confirmed.',
    ...dueJobs('KEY_CODES'),
    access: { ...dueJobs('KEY_CODES').access, codeSecrets: true, codes: 'sends' },
  },
  'chain-entries': {
    description: 'Chains the entries of statements by their hashes, and signs where the chains end, minute by minute.',
    impact: 'Statements have no proofs of their latest entries, or an entry was missed when its minute closed.',
    ...everyMinute,
    access: { table: 'writes', stream: true, relayFailures: 'sends', signs: true, roots: 'puts' },
    variables: ['TABLE_NAME', 'SETTINGS', 'SIGNING_KEY', 'ROOTS_BUCKET'],
  },
  'receive-callbacks': {
    description: 'Receives the callbacks of banks and queues every id in them, known and unknown ids apart.',
    impact: 'Bank events are applied late, by the hourly lists: callbacks are not accepted.',
    memoryMb: 512,
    timeoutSeconds: 20,
    access: { table: 'writes', callbackQueues: 'sends' },
    variables: ['TABLE_NAME', 'CALLBACK_QUEUE_URL', 'CALLBACK_UNKNOWN_QUEUE_URL', 'SETTINGS'],
  },
  'apply-callbacks': {
    description: 'Queries the bank about each callback and applies the response.',
    impact: 'Bank events are applied late: partners get late notifications of received and sent payments.',
    memoryMb: 512,
    timeoutSeconds: 30,
    access: { table: 'writes', indexes: ['GSI3'], bank: true, callbackQueues: 'receives' },
    variables: ['TABLE_NAME', 'CALLBACK_QUEUE_URL', 'CALLBACK_UNKNOWN_QUEUE_URL', 'SETTINGS'],
  },
  'read-bank-lists': {
    description: 'Reads the lists of banks: applies bank events without a callback, books fees, compares balances.',
    impact:
      'Bank events without a callback are not applied, and a balance that differs from the bank stays undetected.',
    ...dueJobs('BANK_LISTS'),
    // More processor: ten pages are parsed concurrently.
    memoryMb: 1024,
    // The comparison of balances reads each bank up to thirty times.
    timeoutSeconds: 300,
    access: { ...dueJobs('BANK_LISTS').access, bank: true, callbackDomain: 'reads' },
    variables: [...dueJobs('BANK_LISTS').variables, 'CALLBACK_HOST'],
  },
  'run-company-jobs': {
    description: 'Runs work that is due by the simulated clocks of companies. Not in production.',
    impact: 'Due work of partners with a simulated clock does not run until they advance the clock.',
    ...everyMinute,
    access: { table: 'writes', indexes: ['GSI2', 'GSI3'], hashSecret: true },
    variables: ['TABLE_NAME', 'SETTINGS'],
    simulation: true,
  },
};

export const workerNames = Object.keys(workers) as readonly WorkerName[];

/** The API's functions. All are built from the same dependencies, so they read the same variables. */
export const endpointFunction = {
  memoryMb: 512,
  timeoutSeconds: 10,
  variables: ['TABLE_NAME', 'SETTINGS', 'ERROR_PAGES'],
} as const satisfies Pick<Worker, 'memoryMb' | 'timeoutSeconds' | 'variables'>;
