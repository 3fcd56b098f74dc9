import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { ScanOptions } from './reconciliation/paced-scan.ts';
import type { SandboxFile } from './sandbox-file.ts';
import type { PlanGateway } from './usage-plan.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';

/** Keeps the secrets of API clients where the service brings its own issuer; on AWS the identity provider does. */
export type SecretRegistry = { readonly register: (clientId: string, secret: string) => Promise<void> };

/** What onboarding needs. */
export type OnboardingDependencies = {
  readonly store: Store;
  readonly ids: Ids;
  readonly now: Clock;
  readonly registry?: SecretRegistry | undefined;
  /** Where a local environment says whom it knows. */
  readonly sandbox?: SandboxFile | undefined;
  /** ISPB of the institution that keeps the accounts, where the environment knows it. */
  readonly ispb?: string | undefined;
};

/** What commands need: what onboarding does, and a look at everything. */
export type OperatorDependencies = OnboardingDependencies & {
  /**
   * Every item of a company, or of all, in no order. Reads the whole table: for an operator's comparison, not for a
   * request.
   */
  readonly itemsOf: (options: ScanOptions) => AsyncIterable<Item>;
  /** The API Gateway of the shell's AWS credentials, made when it is needed. */
  readonly plans: () => PlanGateway;
};
