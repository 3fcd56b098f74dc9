import type { Instant } from '../core/brasilia-time.ts';
import type { Transition } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { uniqueInsert } from '../platform/external-ids.ts';
import { log } from '../platform/log.ts';
import type { ChargeBank } from '../bank/bank.ts';
import { cycleEndOf } from './cycle.ts';
import { withBank } from './instruction.ts';
import type { ScheduledCharge } from './model.ts';
import { chargeNotifications } from './notification.ts';
import { eventsAtCreation, markAccepted, retryOf, withoutScheduledRetry } from './states.ts';
import { chargeInserts, cycleEndWrite, readCharge, scheduledPaymentUpdate } from './store.ts';
import type { ChargeContext } from './transition.ts';
import { decideRetry } from './window.ts';

export type RetryContext = ChargeContext & { readonly bank: ChargeBank };

/** A resend that the bank created by itself, at this time. */
type RetryByBank = { readonly endToEndId: string; readonly at: Instant };

/** `MISSED`: it was past 21:00. No resend follows, and the cycle gets its outcome. */
type RetryResult =
  | { readonly outcome: 'RETRIED'; readonly retry: ScheduledCharge }
  | { readonly outcome: 'MISSED' | 'NOTHING'; readonly retry?: undefined };

/**
 * Creates the resend of a payment that a settlement error canceled, in the transaction that clears `scheduledRetry`:
 * two concurrent runs create only one. The time of the checks is read right before the transaction. The caller submits
 * the resend.
 * @param byBank the resend that the bank created by itself, to be recorded
 */
export async function retryCharge(context: RetryContext, id: string, byBank?: RetryByBank): Promise<RetryResult> {
  const { store, companyId, now } = context;
  const read = () => readCharge(store, companyId, id);
  const result = await commitTransition<ScheduledCharge | undefined, RetryResult>(context, read, async (charge) => {
    const at = byBank?.at ?? now();
    const decision = charge && decideRetry(charge.payment, at, byBank ? 'bank' : 'us');
    if (charge === undefined || decision === 'NONE') return { unchanged: { outcome: 'NOTHING' } };
    const cleared = scheduledPaymentUpdate(companyId, charge.payment, withoutScheduledRetry(charge.payment));
    if (decision === 'MISSED') {
      const freed = cycleEndWrite(companyId, charge.terms, cycleEndOf(charge, charge.payment.status));
      return { writes: [cleared, freed], result: { outcome: 'MISSED' } };
    }
    const retry = await createRetry(context, charge, at, byBank);
    const creation = retryCreation(context, retry, at);
    return { ...creation, writes: [cleared, ...creation.writes] };
  });
  if (result.outcome === 'MISSED') log('warn', 'Resend missed its deadline', { companyId, paymentId: id });
  return result;
}

function retryCreation(context: RetryContext, retry: ScheduledCharge, at: Instant): Transition<RetryResult> {
  const { companyId } = context;
  const { payment } = retry;
  const unique = { kind: 'SCHEDULED_PAYMENT', externalId: payment.externalId, resourceId: payment.id } as const;
  return {
    writes: [...chargeInserts(companyId, retry), uniqueInsert(companyId, unique)],
    notifications: chargeNotifications(eventsAtCreation(payment), retry.terms, { ...context, at }),
    reached: [['SCHEDULED_PAYMENT', payment.status]],
    result: { outcome: 'RETRIED', retry },
  };
}

/** Creates a resend: own ids, a new end-to-end id (BCB, Manual de Padrões, 4.3.3), and the original's terms. */
async function createRetry(
  { ids, bank, companyId }: RetryContext,
  { payment, terms }: ScheduledCharge,
  at: Instant,
  byBank: RetryByBank | undefined,
): Promise<ScheduledCharge> {
  const { fingerprint: _requested, ...kept } = terms;
  const submitted = retryOf(payment, { id: ids.uuid(), externalId: ids.uuid() }, at);
  const more = await withBank(bank, { payment: submitted, terms: kept }, { companyId, at });
  if (byBank === undefined) return { payment: { ...submitted, ...more }, terms: kept };
  const retry = markAccepted(submitted, 'SCHEDULE');
  return { payment: { ...retry, ...more, endToEndId: byBank.endToEndId }, terms: kept };
}
