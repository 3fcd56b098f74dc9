import type { Capabilities } from '../api/capabilities.ts';
import { ToolFailure } from '../failures.ts';
import type { Scenario } from './context.ts';

/** A scenario that the bank of the account cannot take part in, with what it lacks. */
type Refused = { readonly scenario: Pick<Scenario, 'name'>; readonly missing: readonly string[] };

/** Separates the scenarios that the bank of the account can take part in. @throws ToolFailure when it can in none */
export function separate<S extends Pick<Scenario, 'name' | 'needs'>>(
  chosen: readonly S[],
  can: Capabilities,
): { readonly possible: readonly S[]; readonly refused: readonly Refused[] } {
  const judged = chosen.map((scenario) => {
    const missing = (scenario.needs ?? []).filter(({ isMet }) => !isMet(can)).map(({ what }) => what);
    return { scenario, missing };
  });
  const possible = judged.filter(({ missing }) => missing.length === 0).map(({ scenario }) => scenario);
  const refused = judged.filter(({ missing }) => missing.length > 0);
  if (possible.length === 0)
    throw new ToolFailure(
      describeRefused(refused),
      'GET /order/v1/banking/accounts/{accountId}/capabilities shows what the bank can do.',
    );
  return { possible, refused };
}

export function describeRefused(refused: readonly Refused[]): string {
  const lines = refused.map(({ scenario, missing }) => `  ${scenario.name} needs ${missing.join(' and ')}`);
  return `The bank of the account refuses what these scenarios use. They did not run:\n${lines.join('\n')}`;
}
