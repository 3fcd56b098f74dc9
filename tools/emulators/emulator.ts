import type { BackgroundProcess } from './background.ts';

/** The region of production; an emulator has all of them. */
export const region = 'sa-east-1';

/** The account of an access key that names none. */
export const account = '000000000000';

/** Emulators take this access key for the account's root. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/**
 * How long a stack is waited for, in seconds. An emulator deletes and creates resources one by one: a stack of 400
 * takes a minute on a busy machine. The limit only ends a wait for something that never comes.
 */
export const stackWait = { maxWaitTime: 900, minDelay: 1, maxDelay: 1 };

/** The stacks of the stage Local; the second uses the first. */
export const stacks = { data: 'Local-Data', service: 'Local-Service' } as const;

/** A running emulator of AWS on this machine, empty at first. */
export type Emulator = BackgroundProcess & {
  readonly name: string;
  readonly endpoint: string;
  /** Variables with which CDK CLI, AWS SDK and tests take it for AWS. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: string;
  /** Value of the environment variable that marks its processes (loopback.ts). */
  readonly mark: string;
  /** The address of a stage of a REST API. */
  readonly apiAddress: (apiId: string, stage: string) => string;
  /** Repairs differences from AWS after the deployment. */
  readonly correct: () => Promise<void>;
  /** Stacks of `correct`, deleted before those of the app. */
  readonly correctionStacks: readonly string[];
  /** Parts that the acceptance suite can judge there (test/support/environment.ts). */
  readonly capabilities: readonly string[];
};

/** AWS settings of a developer's shell must not reach an emulator or its clients. */
export const noOtherAws = {
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_ENDPOINT_URL: undefined,
  AWS_ENDPOINT_URL_DYNAMODB: undefined,
  AWS_ENDPOINT_URL_S3: undefined,
  AWS_ENDPOINT_URL_SQS: undefined,
  NODE_EXTRA_CA_CERTS: undefined,
} as const;

/** Returns the variables with which a program takes an endpoint for AWS. */
export function asAws(endpoint: string): Readonly<Record<string, string | undefined>> {
  return {
    ...noOtherAws,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
