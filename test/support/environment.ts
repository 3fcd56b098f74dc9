import { appendFileSync } from 'node:fs';
import type { TestContext } from 'vitest';
import { inject } from 'vitest';
import type { Company, DeadLetters } from './environment-sandbox.ts';

/** What not every environment lets a test judge. */
export const CAPABILITIES = {
  crash: 'processes can be killed and started again on the same data',
  'dead-letters': 'the dead-letter queue can be looked into',
  'gateway-responses': 'the gateway answers by itself as the template says',
  'signing-key': 'tokens can be made with the key of the issuer',
  'retry-timing': 'attempts come seconds apart, so that all five can be waited for',
  speed: 'hundreds of requests take seconds',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** The system under test, reached through HTTP alone. */
export type Environment = {
  /** For people: what is being judged. */
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly companies: readonly [Company, Company];
  /** Address of this machine as the system's functions can call it. */
  readonly receiverHost: string;
  readonly capabilities: readonly Capability[];
  readonly deadLetters?: DeadLetters;
  /** Private key of the token issuer (JWK), where it is known. */
  readonly signingKeyFile?: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    environment: Environment;
    /** A pay-in of the first company that was made at the beginning of the run to expire a minute later. */
    expiring: { readonly id: string; readonly expireDateTime: string };
    /** Collects what was not judged, one JSON line each. */
    notJudged: string;
  }
}

/** The environment that this run judges; made once a run by environment-setup.ts. */
export function theEnvironment(): Environment {
  return inject('environment');
}

/**
 * Says what a test needs of its environment. Where that is missing the test ends here, and the end of the run names it
 * together with the reason: nothing is left out in silence.
 */
export function needs(context: TestContext, capability: Capability, reason: string): void {
  if (theEnvironment().capabilities.includes(capability)) return;
  const test = [context.task.file.name, context.task.name].join(' > ');
  appendFileSync(inject('notJudged'), `${JSON.stringify({ test, capability, reason })}\n`);
  context.skip(`${capability}: ${reason}`);
}
