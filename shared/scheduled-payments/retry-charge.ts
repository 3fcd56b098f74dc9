import type { Clock, Instant } from '../core/brasilia-time.ts';
import { endToEndId } from '../core/identifiers.ts';
import type { ScheduledCharge } from './model.ts';
import { cycleEndOf } from './attempts.ts';
import { eventsAtCreation } from './states.ts';
import { resendOf, decideResend, withoutOwedResend } from './settlement-retry.ts';
import { commit, untilCommitted } from '../platform/commit.ts';
import { uniqueInsert } from '../platform/external-ids.ts';
import { cycleEndWrite } from './cycle-store.ts';
import { chargeInserts, scheduledPaymentUpdate, readCharge } from './store.ts';
import { log } from '../platform/log.ts';
import { countStatus } from '../platform/count-status.ts';
import type { ChargeContext } from './transition.ts';
import { chargeNotifications } from './transition.ts';

export type ResendContext = ChargeContext & { readonly now: Clock; readonly ispb: string };

/** `MISSED`: its 21:00 had come; the debt is written off and the cycle free again. */
type Settled =
  | { readonly outcome: 'RESENT'; readonly resend: ScheduledCharge }
  | { readonly outcome: 'MISSED' | 'NOTHING'; readonly resend?: undefined };

/**
 * Pays the debt of a payment that a settlement error canceled: the resend and the end of the debt are one transaction,
 * so that running twice, or twice at once, makes one. Date, hour and attempt are checked by the time that is read right
 * before that transaction, whenever the run began. The caller tells the bank of the resend.
 *
 * @param told where the bank resends by itself: the resend that it made, to be recorded
 */
export async function settleOwedResend(
  context: ResendContext,
  id: string,
  told?: { readonly endToEndId: string },
): Promise<Settled> {
  const { store, companyId, now, realNow } = context;
  return untilCommitted(async () => {
    const charge = await readCharge(store, companyId, id);
    if (charge === undefined) return { outcome: 'NOTHING' };
    const at = now();
    const verdict = decideResend(charge.payment, at, told ? 'bank' : 'us');
    if (verdict === 'NONE') return { outcome: 'NOTHING' };
    const paid = scheduledPaymentUpdate(companyId, charge.payment, withoutOwedResend(charge.payment));
    if (verdict === 'MISSED') {
      const freed = cycleEndWrite(companyId, charge.terms, cycleEndOf(charge, charge.payment.status));
      const committed = await commit(store, { companyId, at: realNow(), writes: [paid, freed] });
      if (!committed.ok) return undefined;
      log('warn', 'resend missed', { companyId, paymentId: id });
      return { outcome: 'MISSED' };
    }
    const resend = resendFor(context, charge, at, told?.endToEndId);
    const { payment } = resend;
    const unique = { kind: 'SCHEDULED_PAYMENT', externalId: payment.externalId, resourceId: payment.id } as const;
    const committed = await commit(store, {
      companyId,
      at: realNow(),
      writes: [paid, ...chargeInserts(companyId, resend), uniqueInsert(companyId, unique)],
      notifications: chargeNotifications(context, resend, eventsAtCreation(payment), at),
    });
    if (!committed.ok) return undefined;
    countStatus('SCHEDULED_PAYMENT', payment.status);
    return { outcome: 'RESENT', resend };
  });
}

/**
 * Names of its own, and a new end-to-end id (BCB, Manual de Padrões, 4.3.3); the terms are those of what it resends.
 */
function resendFor(
  { ids, ispb }: ResendContext,
  { payment, terms }: ScheduledCharge,
  at: Instant,
  byBank?: string,
): ScheduledCharge {
  const { fingerprint: _requested, ...kept } = terms;
  const names = { id: ids.uuid(), externalId: ids.uuid(), endToEndId: byBank ?? endToEndId(ispb, at, ids) };
  const { untold, ...resend } = resendOf(payment, names, at);
  return { payment: byBank === undefined && untold ? { ...resend, untold } : resend, terms: kept };
}
