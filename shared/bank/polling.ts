import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays, plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import type { PollKind } from '../platform/jobs/due-kinds.ts';

/**
 * Times of polls for accepted commands: `first`, minutes after the command was committed; then every `every` minutes.
 */
const pollMinutes: Readonly<
  Record<Exclude<PollKind, 'CHARGE_POLL'>, { readonly first: readonly number[]; readonly every: number }>
> = {
  PAYOUT_POLL: { first: [2, 4, 8, 15, 30], every: 60 },
  REFUND_POLL: { first: [2, 4, 8, 15, 30], every: 60 },
  CANCELLATION_POLL: { first: [], every: 60 },
  RECURRENCE_POLL: { first: [5, 30, ...Array.from({ length: 24 }, (_, hour) => 90 + 60 * hour)], every: 24 * 60 },
};

/** Times of day in Brasilia at which a recurring charge is polled, from its settlement date on. */
const chargePollHours = ['08:30', '12:00', '18:30', '21:15'] as const;

/** Returns the next time at which a command is polled. @param since when the command was committed */
export function nextPoll(kind: keyof typeof pollMinutes, since: Instant, now: Instant): Instant {
  const { first, every } = pollMinutes[kind];
  const soon = first.map((minutes) => plusSeconds(since, minutes * 60)).find((at) => at > now);
  if (soon !== undefined) return soon;
  const last = plusSeconds(since, (first.at(-1) ?? 0) * 60);
  const periods = Math.floor(Math.max(0, secondsBetween(last, now)) / (every * 60)) + 1;
  return plusSeconds(last, periods * every * 60);
}

/** Returns the next time at which a recurring charge is polled: every day from its settlement date on. */
export function nextChargePoll(settlementDate: LocalDate, now: Instant): Instant {
  const today = brasiliaDate(now);
  const day = settlementDate > today ? settlementDate : today;
  const hours = [day, plusDays(day, 1)].flatMap((date) => chargePollHours.map((hour) => instantAt(date, hour)));
  return hours.find((at) => at > now) ?? instantAt(plusDays(day, 2), chargePollHours[0]);
}
