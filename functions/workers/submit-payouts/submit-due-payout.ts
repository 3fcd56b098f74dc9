import { strControlNumber } from '../../../shared/domain/identifiers.ts';
import type { Payout, PayoutWithPayments } from '../../../shared/domain/payout.ts';
import { tedSendingTime } from '../../../shared/domain/ted-calendar.ts';
import type { BankContext } from '../../../shared/operations/submit-payout.ts';
import { submitPayout } from '../../../shared/operations/submit-payout.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import { submissionDone, submissionDue, tedSent } from '../../../shared/persistence/payouts.ts';

/** `SUBMITTED`: the bank has it. `POSTPONED`: the window is closed. `UNAVAILABLE`: tried again later. */
export type Submitted = 'SUBMITTED' | 'POSTPONED' | 'UNAVAILABLE' | 'NOTHING_TO_DO';

/**
 * Hands a payout to the bank that stands in the due index: a TED whose window has opened gets its control number first,
 * everything else was handed over before, perhaps without success, and the bank knows it by its reference. Running twice,
 * or twice at once, sends it once.
 */
export async function submitDuePayout(context: BankContext, id: string): Promise<Submitted> {
  const { store, companyId, at } = context;
  const order = await readOrder(store, companyId, id);
  // The index is read with a delay: what moved meanwhile needs nothing any more.
  if (order?.kind !== 'PAYOUT' || order.payout.status !== 'PENDING') return 'NOTHING_TO_DO';
  const { payout } = order;
  if (isUnsentTed(payout)) {
    const sendAt = tedSendingTime(at);
    if (sendAt !== at) {
      await store.writeOne(submissionDue(companyId, payout, { at: sendAt }));
      return 'POSTPONED';
    }
  }
  const sent = isUnsentTed(payout) ? await send(context, order) : order;
  if (sent === undefined) return 'NOTHING_TO_DO';
  const submitted = await submitPayout(context, sent);
  await store.writeOne(
    submitted ? submissionDone(companyId, payout) : submissionDue(companyId, payout, { failedAt: at }),
  );
  return submitted ? 'SUBMITTED' : 'UNAVAILABLE';
}

/** The number is written down before the bank sees it. Undefined when the payout changed meanwhile: the next run sees to it. */
async function send(
  context: BankContext,
  { payout, payments }: PayoutWithPayments,
): Promise<PayoutWithPayments | undefined> {
  const { store, companyId, at, ids } = context;
  const controlNumber = strControlNumber(at, ids);
  const written = await store.writeOne(tedSent(companyId, payout, controlNumber, at));
  return written.ok ? { payout: { ...payout, controlNumber, version: payout.version + 1 }, payments } : undefined;
}

function isUnsentTed({ paymentMethod, controlNumber }: Payout): boolean {
  return paymentMethod === 'TED' && controlNumber === undefined;
}
