import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';

export type Said = ChargeAttempt['history'][number]['status'];

export const attemptDay = '2026-01-20';
export const attemptNumber = 'E6070119020260120120012345678901';
/** When an attempt got each of its statuses. */
export const attemptTimes: Readonly<Record<Said, string>> = {
  REQUESTED: '2026-01-15T15:00:01.000Z',
  SCHEDULED: '2026-01-16T12:00:00.000Z',
  PAID: '2026-01-20T11:00:00.000Z',
  REJECTED: '2026-01-20T11:00:00.000Z',
  EXPIRED: '2026-01-20T11:00:00.000Z',
  CANCELED: '2026-01-20T11:00:00.000Z',
};
/** The first attempt of a charge as a bank says it, after these statuses; `more` replaces fields. */
export const attempt = (statuses: readonly Said[], more: Partial<ChargeAttempt> = {}): ChargeAttempt => ({
  ...{ kind: 'FIRST_ATTEMPT', day: attemptDay, endToEndId: attemptNumber },
  history: statuses.map((status) => ({ status, at: attemptTimes[status] })),
  ...more,
});
