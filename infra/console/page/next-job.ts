import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import type { Answered } from '../operations.ts';

type PayIn = Pick<Answered<'listPayIns'>['data'][number], 'id' | 'expireDateTime'>;
type Payment = Pick<Answered<'getScheduledPayment'>, 'id' | 'subscriptionId' | 'status' | 'settlementDate'>;

/** A moment at which the service has something to do by itself, and for what. */
type Job = { readonly at: Instant; readonly what: string; readonly link: readonly string[] };

/** The first job after now, of what is open: a pay-in expires, the day comes on which a payment settles. */
export function nextJob(now: Instant, payIns: readonly PayIn[], payments: readonly Payment[]): Job | undefined {
  const expiries = payIns.map(({ id, expireDateTime: at }): Job => ({
    at,
    what: 'a pay-in expires',
    link: ['pay-ins', id],
  }));
  const settlements = payments
    .filter(({ status }) => status === 'INITIAL' || status === 'PENDING' || status === 'ACCEPTED')
    .map(({ id, subscriptionId, settlementDate }): Job => ({
      at: instantAt(settlementDate, '00:00'),
      what: 'the day on which a payment settles',
      link: ['subscriptions', subscriptionId, 'payments', id],
    }));
  return [...expiries, ...settlements]
    .filter(({ at }) => at > now)
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .at(0);
}

/** The next 20:59 of Brasilia: a minute before the last resend of the day. */
export function next2059(now: Instant): Instant {
  const today = brasiliaDate(now);
  const at = instantAt(today, '20:59');
  return at > now ? at : instantAt(plusDays(today, 1), '20:59');
}
