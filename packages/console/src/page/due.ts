import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';
import type { ResponseBody } from '../protocol.ts';

type Subscription = Pick<ResponseBody<'getSubscription'>, 'startDate' | 'frequencyType'>;
type Payment = Pick<ResponseBody<'getScheduledPayment'>, 'dueDate'>;

const monthsOf = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUAL: 6, ANNUAL: 12 };

/** Returns the first day of a cycle that is after the due dates of all payments and can still settle. */
export function nextDueDate(
  { startDate, frequencyType }: Subscription,
  payments: readonly Payment[],
  now: Instant,
): LocalDate {
  const today = brasiliaDate(now);
  const earliest = isAfterExecution(now) ? plusDays(today, 1) : today;
  const last = payments
    .map(({ dueDate }) => dueDate)
    .toSorted()
    .at(-1);
  for (let cycle = 0; ; cycle += 1) {
    const day =
      frequencyType === 'WEEKLY'
        ? plusDays(startDate, 7 * cycle)
        : plusMonths(startDate, monthsOf[frequencyType] * cycle);
    if (day >= earliest && (last === undefined || day > last)) return day;
  }
}

type PayIn = Pick<ResponseBody<'listPayIns'>['data'][number], 'id' | 'expireDateTime'>;
type OpenPayment = Pick<ResponseBody<'getScheduledPayment'>, 'id' | 'subscriptionId' | 'status' | 'settlementDate'>;

/** Due work of the service. */
type Job = { readonly at: Instant; readonly kind: 'payInExpires' | 'paymentSettles'; readonly link: readonly string[] };

/** Returns the next job: the expiry of a pay-in, or the settlement of a scheduled payment. */
export function nextJob(now: Instant, payIns: readonly PayIn[], payments: readonly OpenPayment[]): Job | undefined {
  const expiries = payIns.map(({ id, expireDateTime: at }): Job => ({
    at,
    kind: 'payInExpires',
    link: ['pay-ins', id],
  }));
  const settlements = payments
    .filter(({ status }) => status === 'INITIAL' || status === 'PENDING' || status === 'ACCEPTED')
    .map(({ id, subscriptionId, settlementDate }): Job => ({
      at: instantAt(settlementDate, '00:00'),
      kind: 'paymentSettles',
      link: ['subscriptions', subscriptionId, 'payments', id],
    }));
  return [...expiries, ...settlements]
    .filter(({ at }) => at > now)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .at(0);
}

/** The next 20:59 of Brasilia: a minute before the last resend of the day. */
export function next2059(now: Instant): Instant {
  const today = brasiliaDate(now);
  const at = instantAt(today, '20:59');
  return at > now ? at : instantAt(plusDays(today, 1), '20:59');
}
