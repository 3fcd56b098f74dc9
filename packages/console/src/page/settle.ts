import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { ResponseBody } from '../protocol.ts';
import { ask, readNow, readPages } from './api.ts';
import { nextDueDate } from './due.ts';

type Subscription = ResponseBody<'getSubscription'>;
type Payment = ResponseBody<'getScheduledPayment'>;

/** Calls that finish what one turn of the clock left, at most. */
const mostTurns = 20;
/** A worker does what another bank than the simulated one has to do. */
const turnMs = 250;

/** A charge that can still be settled. */
function openCharge(payments: readonly Payment[]): Payment | undefined {
  return payments
    .filter(({ status }) => status === 'INITIAL' || status === 'PENDING' || status === 'ACCEPTED')
    .toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1))
    .at(0);
}

/** The request for the next charge, on a day that may be another one. */
export function nextCharge(subscription: Subscription, payments: readonly Payment[], now: Instant, chosen = '') {
  const { id, fixedAmount } = subscription;
  const dueDate = chosen === '' ? nextDueDate(subscription, payments, now) : chosen;
  const amount = fixedAmount ?? { currency: 'BRL', value: '49.90' };
  const externalId = `${id.slice(0, 8)}-${dueDate}-${String(payments.length + 1)}`;
  return { operation: 'createScheduledPayment', params: { id }, body: { externalId, dueDate, amount } } as const;
}

/**
 * Goes to the next charge and lets the payer's bank pay it: schedules it if there is none, turns the company's clock to
 * nine o'clock of its day, and settles it. All is read anew: what the page shows may be older than its last click.
 * @throws Refusal of the step that the service refused; those before it stay done, and a repetition goes on.
 */
export async function settleNext(id: string): Promise<void> {
  const [subscription, payments, now] = await Promise.all([
    ask({ operation: 'getSubscription', params: { id } }),
    readPages((query) => ask({ operation: 'listScheduledPayments', params: { id }, query })),
    readNow(),
  ]);
  const charge = openCharge(payments) ?? (await ask(nextCharge(subscription, payments, now)));
  const params = { id, paymentId: charge.id };
  const { settlementDate } = await ask({ operation: 'getScheduledPayment', params });
  const nine = instantAt(settlementDate, '09:00');
  if (nine > now) await turnTo(nine);
  const force = (status: string) => ask({ operation: 'forceScheduledPaymentStatus', body: { id: charge.id, status } });
  const { status } = await ask({ operation: 'getScheduledPayment', params });
  if (status !== 'ACCEPTED') await force('ACCEPTED');
  await force('COMPLETED');
}

async function turnTo(now: Instant): Promise<void> {
  let { remaining } = await ask({ operation: 'setClock', body: { now } });
  for (let turn = 0; remaining > 0 && turn < mostTurns; turn += 1) {
    await new Promise((done) => setTimeout(done, turnMs));
    ({ remaining } = await ask({ operation: 'setClock', body: { advanceSeconds: 0 } }));
  }
}
