import type { EnvName } from '../shared/runtime/env.ts';
import type { FunctionAccess } from './constructs/function-access.ts';
import type { Times } from './constructs/scheduled-work.ts';

export type WorkerName =
  'authorizer' | 'relay-deliveries' | 'deliver-notification' | 'sweep-deliveries' | 'expire-pay-ins' | 'submit-payouts';

/** A function that no route calls: its size, what it may touch, and the variables that it reads. */
export type Worker = {
  readonly description: string;
  /** What it means for partners when it fails: the text of its alarms. */
  readonly impact: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly access: FunctionAccess;
  readonly variables: readonly EnvName[];
  /** When it runs by itself; what is called by an event has none. */
  readonly schedule?: 'every minute' | Times;
};

/** The workers, by their folder under functions/workers. What calls each is wired in service-stack.ts. */
export const workers: Readonly<Record<WorkerName, Worker>> = {
  authorizer: {
    description: 'Lets in the bearers of valid tokens and says which company each belongs to.',
    impact: 'Partners with valid tokens are turned away with 503: callers cannot be identified.',
    memoryMb: 256,
    timeoutSeconds: 5,
    access: { table: 'gets' },
    variables: ['TABLE_NAME', 'TOKEN_ISSUERS', 'TOKEN_JWKS_URI', 'TOKEN_AUDIENCES', 'TOKEN_SCOPE'],
  },
  'relay-deliveries': {
    description: 'Passes new deliveries from the table stream to the delivery queue.',
    impact: 'Notifications start late: new deliveries are not queued.',
    memoryMb: 512,
    timeoutSeconds: 30,
    access: { stream: true, deliveryQueue: 'sends', relayFailures: 'sends' },
    variables: ['QUEUE_URL'],
  },
  'deliver-notification': {
    description: 'Calls the partner: one attempt of one delivery.',
    impact: 'Notifications are late, and crashes use up their receives: the notifier itself fails.',
    memoryMb: 256,
    timeoutSeconds: 15,
    access: { table: 'writes', secrets: true, deliveryQueue: 'receives' },
    variables: ['TABLE_NAME', 'QUEUE_URL', 'RETRY_DELAYS_SECONDS', 'ALLOW_LOCAL_TARGETS'],
  },
  'sweep-deliveries': {
    description: 'Sends anew what no message carries any more, and releases held deliveries.',
    impact: 'Notifications that were lost on the way, or held, are not sent anew.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'], deadLetterQueue: 'receives' },
    variables: ['TABLE_NAME', 'DEAD_LETTER_QUEUE_URL', 'SWEEP_GRACE_SECONDS'],
    schedule: 'every minute',
  },
  'expire-pay-ins': {
    description: 'Expires pay-ins whose time has passed.',
    impact: 'Pay-ins stay open after their end, and partners are not told that they expired.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'] },
    variables: ['TABLE_NAME', 'SERVICE_ISPB'],
    schedule: 'every minute',
  },
  'submit-payouts': {
    description: 'Sends accepted payouts to the bank, TED within its hours.',
    impact: 'Payouts are not sent to the bank, although their time has come.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'] },
    variables: ['TABLE_NAME', 'SERVICE_ISPB', 'PIX_HOST'],
    schedule: 'every minute',
  },
};

export const workerNames = Object.keys(workers) as readonly WorkerName[];

/** The API's functions. All are built from the same dependencies, so they read the same variables. */
export const endpointFunction = {
  memoryMb: 512,
  timeoutSeconds: 10,
  variables: [
    'TABLE_NAME',
    'ALLOW_LOCAL_TARGETS',
    'SERVICE_ISPB',
    'PIX_HOST',
    'PIX_CITY',
    'FIRST_CHARGE_EXPIRES_SECONDS',
    'PIX_TRANSACTION_LIMIT_CENTAVOS',
  ],
} as const satisfies Pick<Worker, 'memoryMb' | 'timeoutSeconds' | 'variables'>;
