import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { ResponseBody } from '../protocol.ts';
import { ask, readNow, readPages } from './api.ts';
import { nextDueDate } from './due.ts';

type Subscription = ResponseBody<'getSubscription'>;
type Payment = ResponseBody<'getScheduledPayment'>;

/** Maximum number of calls that finish the due work left by an advance of the clock. */
const mostTurns = 20;
/** Wait before each call: the worker does the due work meanwhile if the bank is not the simulated one. */
const turnMs = 250;

/** Returns the charge with the earliest due date that can still settle. */
function openCharge(payments: readonly Payment[]): Payment | undefined {
  return payments
    .filter(({ status }) => status === 'INITIAL' || status === 'PENDING' || status === 'ACCEPTED')
    .toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1))
    .at(0);
}

/** Returns the request for the next charge. @param chosen Its due date, empty for the next possible one. */
export function nextCharge(subscription: Subscription, payments: readonly Payment[], now: Instant, chosen = '') {
  const { id, fixedAmount } = subscription;
  const dueDate = chosen === '' ? nextDueDate(subscription, payments, now) : chosen;
  const amount = fixedAmount ?? { currency: 'BRL', value: '49.90' };
  const externalId = `${id.slice(0, 8)}-${dueDate}-${String(payments.length + 1)}`;
  return { operation: 'createScheduledPayment', params: { id }, body: { externalId, dueDate, amount } } as const;
}

/**
 * Settles the next charge as the payer's bank would: schedules a charge if none is open, advances the company's clock
 * to nine o'clock of its settlement date, and settles it. Reads everything again, because the page may show an older
 * state.
 * @throws Refusal of the step that the service refused. Earlier steps stay done; a repetition continues after them.
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
