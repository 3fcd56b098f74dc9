import type { BackgroundProcess } from './commands.ts';

/** The region of production; an emulator has all of them. */
export const region = 'sa-east-1';

/** The account that emulators give to an access key which names none. */
export const account = '000000000000';

/** An access key that an emulator takes for the account's root. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** The stacks of the stage Local, as the CDK names them; the second uses the first. */
export const stacks = { data: 'Local-Data', service: 'Local-Service' } as const;

/** An emulator of AWS that runs on this machine, empty at first. */
export type Emulator = BackgroundProcess & {
  readonly name: string;
  readonly endpoint: string;
  /** Environment of programs that are to take it for AWS: CDK CLI, AWS SDK, tests. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: string;
  /** Mark of every process that it started: loopback.ts. */
  readonly mark: string;
  /** What the CDK app leaves out because the emulator refuses it. */
  readonly withoutMathAlarms: boolean;
  /** Where it serves a stage of a REST API. */
  readonly apiAddress: (apiId: string, stage: string) => string;
  /** Repairs what differs from AWS so that the service would feel it, once the app is deployed. */
  readonly correct: () => Promise<void>;
  /** Stacks that `correct` made, to be deleted before those of the app. */
  readonly correctionStacks: readonly string[];
  /**
   * What the acceptance suite can judge there; the suite names each test that needs more (test/support/environment.ts).
   */
  readonly capabilities: readonly string[];
};

/** What a developer's shell may say about AWS must not reach an emulator, nor what runs against it. */
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

/** Environment of a program that is to take an endpoint for AWS. */
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
