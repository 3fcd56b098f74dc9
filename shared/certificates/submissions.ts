import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Submitted } from '../core/resubmission.ts';
import type { CertificatePayload, CertifiedOutcome, CertifiedSubmission } from './contract.ts';

/**
 * Returns the submissions of a payment, with their verdicts. The first one, by the request, keeps no answer: it may
 * have been lost. The last one has the bank's decision, whatever way that came.
 * @param first when the request submitted it; empty if it did not
 */
export function submissionsOf(
  first: readonly Instant[],
  { dueSubmissions, acceptedAt }: Submitted,
  outcome: CertifiedOutcome,
): Pick<z.output<typeof CertificatePayload>, 'submissionsCount' | 'submissions'> {
  const { count, latest } = dueSubmissions ?? { count: 0, latest: [] };
  const times = [...first, ...latest];
  const submissions = times.map((at, index): z.output<typeof CertifiedSubmission> => {
    if (index === times.length - 1 && outcome !== 'NOT_KNOWN') return { at, verdict: outcome };
    return { at, verdict: at === acceptedAt ? 'ACCEPTED' : 'NOT_KNOWN' };
  });
  return { submissionsCount: first.length + count, submissions };
}
