import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Actor } from '../world/actors.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Five failures of the partner, and two workers that died without a record. */
const mostAttempts = 7;
const mostFailures = 5;

/** The worker of each claim. */
export type Claimants = Map<string, Actor | undefined>;

/** Every write of a delivery: a final status stays, attempts are bounded, an unexpired claim ends with an outcome. */
export function checkDelivery(
  { before, after }: Change,
  { now, actor, claimants }: { readonly now: string; readonly actor: Actor | undefined; readonly claimants: Claimants },
  finding: Finding,
): void {
  if (after?.['entity'] !== 'DELIVERY') return;
  const is = parseDelivery(after);
  const report = (invariant: string, text: string): void => {
    finding(invariant, `delivery ${is.id}: ${text}`, [is.id]);
  };
  const failed = is.attempts.filter(({ outcome }) => outcome === 'FAILED').length;
  if (failed > mostFailures || is.attempts.length > mostAttempts)
    report('at most five attempts', `${failed} failures of ${is.attempts.length} attempts`);
  if (before === undefined) return;
  const was = parseDelivery(before);
  const isEnd = was.status === 'DELIVERED' || was.status === 'FAILED';
  if (isEnd && is.status !== was.status) report('a final delivery status stays', `${was.status} to ${is.status}`);
  if (
    was.attempts.some(({ claimId, outcome }, place) => {
      const kept = is.attempts[place];
      return kept?.claimId !== claimId || kept.outcome !== outcome;
    })
  )
    report('a recorded attempt stays', 'another attempt replaced it');
  if (is.claim !== undefined && is.claim.id !== was.claim?.id) claimants.set(is.claim.id, actor);
  const { claim } = was;
  if (claim === undefined || is.claim?.id === claim.id) return;
  const recorded = is.attempts.find(({ claimId }) => claimId === claim.id);
  if (recorded === undefined) report('each claim leaves an attempt', `claim ${claim.id} of ${claim.at} has no attempt`);
  if (recorded !== undefined && recorded.outcome !== 'UNKNOWN' && claimants.get(claim.id) !== actor)
    report(
      'only the claim holder records an outcome',
      `${actor?.name ?? 'no invocation'} recorded the outcome of another worker`,
    );
  if (claim.leaseUntil <= now) return;
  if (recorded === undefined || recorded.outcome === 'UNKNOWN')
    report(
      'an unexpired claim ends only with an outcome',
      `the claim ended before ${claim.leaseUntil} without an outcome`,
    );
}
