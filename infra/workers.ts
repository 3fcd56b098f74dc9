import type { EnvName } from '../shared/runtime/env.ts';
import type { FunctionAccess } from './constructs/function-access.ts';

export type WorkerName =
  'authorizer' | 'relay-deliveries' | 'deliver-notification' | 'sweep-deliveries' | 'expire-pay-ins' | 'submit-payouts';

/** A function that no route calls: its size, what it may touch, and the variables that it reads. */
export type Worker = {
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly access: FunctionAccess;
  readonly variables: readonly EnvName[];
};

/** The workers, by their folder under functions/workers. What calls each is wired in service-stack.ts. */
export const workers: Readonly<Record<WorkerName, Worker>> = {
  authorizer: {
    description: 'Lets in the bearers of valid tokens and says which company each belongs to.',
    memoryMb: 256,
    timeoutSeconds: 5,
    access: { table: 'gets' },
    variables: ['TABLE_NAME', 'TOKEN_ISSUERS', 'TOKEN_JWKS_URI', 'TOKEN_AUDIENCES', 'TOKEN_SCOPE'],
  },
  'relay-deliveries': {
    description: 'Passes new deliveries from the table stream to the delivery queue.',
    memoryMb: 512,
    timeoutSeconds: 30,
    access: { deliveryQueue: 'sends' },
    variables: ['QUEUE_URL'],
  },
  'deliver-notification': {
    description: 'Calls the partner: one attempt of one delivery.',
    memoryMb: 256,
    timeoutSeconds: 15,
    access: { table: 'writes', secrets: true, deliveryQueue: 'receives' },
    variables: ['TABLE_NAME', 'QUEUE_URL', 'RETRY_DELAYS_SECONDS', 'ALLOW_LOCAL_TARGETS'],
  },
  'sweep-deliveries': {
    description: 'Sends anew what no message carries any more, and releases held deliveries.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'], deadLetterQueue: 'receives' },
    variables: ['TABLE_NAME', 'DEAD_LETTER_QUEUE_URL', 'SWEEP_GRACE_SECONDS', 'RETRY_DELAYS_SECONDS'],
  },
  'expire-pay-ins': {
    description: 'Expires pay-ins whose time has passed.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'] },
    variables: ['TABLE_NAME'],
  },
  'submit-payouts': {
    description: 'Sends accepted payouts to the bank, TED within its hours.',
    memoryMb: 512,
    timeoutSeconds: 50,
    access: { table: 'writes', indexes: ['GSI2'] },
    variables: ['TABLE_NAME'],
  },
};

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
