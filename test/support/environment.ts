import type { TestContext } from 'vitest';
import { inject } from 'vitest';
import type { Waits } from '../acceptance/begin-waits.ts';
import type { BankName } from '@banking-order/fake-bank';
import type { Company } from '@banking-order/partner-tools';
import type { DeadLetters } from './environment-sandbox.ts';
import { leaveOpen } from './not-judged.ts';

/** What not every environment lets a test judge. */
export const capabilityNames = {
  'dead-letters': 'the dead-letter queue can be looked into',
  'gateway-responses': 'the gateway answers by itself as the template says',
  'denial-texts': 'what the gateway answers to a denied token holds what the authorizer said of it',
  'repeated-headers': 'the gateway passes on every header of a name that comes twice',
  'signing-key': 'tokens can be made with the key of the issuer',
  'retry-timing': 'attempts come seconds apart, so that all five can be waited for',
  'beside-the-api': 'a receiver and pages for people are served beside the API',
  speed: 'hundreds of requests take seconds',
  ted: 'the bank of the first company takes TEDs',
  'key-owners': 'the bank of the first company says whether a key is the receiver’s before it pays',
  'simulated-bank': 'companies have the simulated bank, which tools move from any status to any other',
  latency: 'waiting times are those of the service, not of what it runs on',
} as const;
export type Capability = keyof typeof capabilityNames;

/** The system under test, reached through HTTP alone. */
export type Environment = Waits & {
  /** For people: what is being judged. */
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly companies: readonly [Company, Company];
  /** With a bank of its own, as the first one, where the environment has one: its clock can be turned. */
  readonly turned?: Company;
  /** The bank of the first company on this machine; absent: the simulated one. */
  readonly bank?: BankName;
  /** Address of this machine as the system's functions can call it. */
  readonly receiverHost: string;
  readonly capabilities: readonly Capability[];
  readonly deadLetters?: DeadLetters;
  /** Private key of the token issuer (JWK), where it is known. */
  readonly signingKeyFile?: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker of the suite: files that run at the same time never share one. */
    environments: readonly Environment[];
  }
}

/**
 * The environment that this file judges, and no other file at the same time; made once a run by environment-setup.ts.
 */
export function theEnvironment(): Environment {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const environment = inject('environments')[worker - 1];
  if (environment === undefined) throw new Error(`There is no environment for worker ${worker} of the suite.`);
  return environment;
}

/** Says what a test needs of its environment: where that is missing, the test is left open by name. */
export function needs(context: TestContext, capability: Capability, reason: string): void {
  if (!theEnvironment().capabilities.includes(capability)) leaveOpen(context, capability, reason);
}
