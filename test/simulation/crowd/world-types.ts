import type { Contract } from '#shared/contract/contract.ts';
import type { OnboardingDependencies } from '#infra/operator/target.ts';
import type { Draws } from '#test/model/bank-books.ts';

/** A request as a partner sends it. `body` a text: sent as it is. */
export type Sent = {
  readonly contract: Contract;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
};
export type Received = {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
};

export type Company = {
  readonly companyId: string;
  readonly clientId: string;
  /**
   * `TOOLS`: the simulated bank, which the simulation tools and the company's clock move. `BANK`: a model bank with
   * books of its own, which moves by itself.
   */
  readonly kind: 'TOOLS' | 'BANK';
  readonly accounts: readonly string[];
  /** `LOST`: the answer never came. */
  readonly send: (sent: Sent) => Promise<Received | 'LOST'>;
};

export type ReceivedAtBank = {
  readonly endToEndId: string;
  readonly amount: number;
  /** The bank gives so much of it back to its payer. Returns the return's id. */
  readonly giveBack: (amount: number) => string;
};

export type CrowdWorld = {
  readonly draws: Draws;
  readonly companies: readonly Company[];
  /** Milliseconds of the world's time. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Until then no partner sends a new request. */
  readonly restsUntil: () => number;
  readonly at: (ms: number, work: () => void) => void;
  /** The machine's clock, as an instant. */
  readonly realNow: () => string;
  /** Addresses of the company's receivers, with different behaviours. */
  readonly endpointsOf: (companyId: string) => readonly string[];
  /** The last confirmation code that the holder of this address got. */
  readonly codeFor: (address: string) => string | undefined;
  readonly hasOperators: boolean;
  /** An operator's command, as a process of its own that may die. Undefined: it died or failed. */
  readonly operate: <T>(name: string, work: (deps: OnboardingDependencies) => Promise<T>) => Promise<T | undefined>;
  /** Reports what must not be: it ends the run. */
  readonly finding: (invariant: string, text: string, ids: readonly string[]) => void;
  /** Commands that the company's bank would carry out again, and which are open for long, by our references. */
  readonly openCommands: (companyId: string) => readonly string[];
  /** Payments that others made to the company, as its bank has them. */
  readonly received: (companyId: string) => readonly ReceivedAtBank[];
  readonly seePayIn: (companyId: string, conciliationId: string) => void;
  readonly seeRecurrence: (companyId: string, providerId: string) => void;
};
