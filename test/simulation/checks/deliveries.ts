import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Actor } from '../world/actors.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Five failures of the partner, and two workers that died without a word. */
const mostAttempts = 7;
const mostFailures = 5;

/** The worker of each claim. */
export type Claimants = Map<string, Actor | undefined>;

/** Every write of a delivery: its end stays, its attempts are bounded, and an open claim is its worker's alone. */
export function checkDelivery(
  { before, after }: Change,
  { now, actor, claimants }: { readonly now: string; readonly actor: Actor | undefined; readonly claimants: Claimants },
  finding: Finding,
): void {
  if (after?.['entity'] !== 'DELIVERY') return;
  const is = parseDelivery(after);
  const said = (invariant: string, text: string): void => {
    finding(invariant, `delivery ${is.id}: ${text}`, [is.id]);
  };
  const failed = is.attempts.filter(({ outcome }) => outcome === 'FAILED').length;
  if (failed > mostFailures || is.attempts.length > mostAttempts)
    said('five attempts at most', `${failed} failures of ${is.attempts.length} attempts`);
  if (before === undefined) return;
  const was = parseDelivery(before);
  const isEnd = was.status === 'DELIVERED' || was.status === 'FAILED';
  if (isEnd && is.status !== was.status) said('the end of a notification stays', `${was.status} to ${is.status}`);
  if (
    was.attempts.some(({ claimId, outcome }, place) => {
      const kept = is.attempts[place];
      return kept?.claimId !== claimId || kept.outcome !== outcome;
    })
  )
    said('an attempt that was recorded stays', 'another one stands in its place');
  if (is.claim !== undefined && is.claim.id !== was.claim?.id) claimants.set(is.claim.id, actor);
  const { claim } = was;
  if (claim === undefined || is.claim?.id === claim.id) return;
  const recorded = is.attempts.find(({ claimId }) => claimId === claim.id);
  if (recorded === undefined) said('a claim leaves an attempt', `none of ${claim.id}, of ${claim.at}`);
  if (recorded !== undefined && recorded.outcome !== 'UNKNOWN' && claimants.get(claim.id) !== actor)
    said('an outcome is of the call under its claim', `${actor?.name ?? 'nobody'} recorded that of another worker`);
  if (claim.leaseUntil <= now) return;
  if (recorded === undefined || recorded.outcome === 'UNKNOWN')
    said("an open claim is its worker's", `it ends before ${claim.leaseUntil} without an outcome`);
}
