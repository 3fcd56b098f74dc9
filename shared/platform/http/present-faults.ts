import type { Contract } from '#shared/contract/contract.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Detail } from '#shared/core/errors.ts';

/** The dependencies that an endpoint must have if its contract has rules of the present. */
type PresentDependencies = ({ readonly now: Clock } | { readonly realNow: Clock }) & {
  readonly settings: { readonly allowLocalTargets: boolean; readonly keyRules: { readonly phonesAbroad: boolean } };
};
export type DependenciesOf<C extends Contract> = C extends {
  readonly presentRules: NonNullable<Contract['presentRules']>;
}
  ? PresentDependencies
  : unknown;

/** The faults of a body by the rules that need clock and configuration. */
export function presentFaults({ presentRules }: Contract, body: unknown, dependencies: unknown): readonly Detail[] {
  if (presentRules === undefined || typeof body !== 'object' || body === null) return [];
  // `endpoint` demands these dependencies of every contract with rules of the present.
  const given = dependencies as PresentDependencies;
  const now = 'now' in given ? given.now : given.realNow;
  const found: Detail[] = [];
  const { allowLocalTargets, keyRules } = given.settings;
  const present = { now: now(), allowLocalTargets, phonesAbroad: keyRules.phonesAbroad };
  presentRules(body as Readonly<Record<string, unknown>>, present, (field, issue, description) => {
    found.push({ field, issue, description });
  });
  return found;
}
