import { strControlNumber } from '../core/identifiers.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import { tedSendingTime } from './ted-calendar.ts';
import { payoutDueAgain, payoutNoLongerDue, readPayout, tedSendingWrites } from './store.ts';
import type { BankContext } from './submit.ts';
import { submitPayout } from './submit.ts';

/** `SUBMITTED`: the bank has it. `POSTPONED`: the window is closed. `UNAVAILABLE`: tried again later. */
type Submitted = 'SUBMITTED' | 'POSTPONED' | 'UNAVAILABLE' | 'NOTHING_TO_DO';

/** How many control numbers are drawn that other TEDs have: by then the day's numbers are used up. */
const maxDraws = 5;

/**
 * Hands a payout that is due to the bank, which is asked first for what it may have already. A TED is handed over in
 * its hours only, whether it has its control number or gets it now. Running twice, or twice at once, sends it once: the
 * bank knows it by its reference.
 *
 * @param remainingMs what is left of the run's time, milliseconds
 */
export async function submitDuePayout(context: BankContext, id: string, remainingMs: () => number): Promise<Submitted> {
  const { store, companyId, at } = context;
  const order = await readPayout(store, companyId, id);
  // The index is read with a delay: what moved meanwhile needs nothing any more.
  if (order?.payout.status !== 'PENDING') return 'NOTHING_TO_DO';
  const { payout } = order;
  const sendAt = payout.paymentMethod === 'TED' ? tedSendingTime(at) : at;
  if (sendAt !== at) {
    await store.writeOne(payoutDueAgain(companyId, payout, { at: sendAt }));
    return 'POSTPONED';
  }
  const sent = isUnsentTed(payout) ? await send(context, order) : order;
  if (sent === undefined) return 'NOTHING_TO_DO';
  const submitted = await submitPayout(context, sent, { time: 'AGAIN', remainingMs });
  await store.writeOne(
    submitted ? payoutNoLongerDue(companyId, payout) : payoutDueAgain(companyId, payout, { failedAt: at }),
  );
  return submitted ? 'SUBMITTED' : 'UNAVAILABLE';
}

/**
 * The number is written down before the bank sees it. Undefined when the payout changed meanwhile: the next run sees to
 * it.
 */
async function send(
  { store, companyId, at, ids }: BankContext,
  { payout, payments }: PayoutWithPayments,
): Promise<PayoutWithPayments | undefined> {
  for (let draws = 0; draws < maxDraws; draws += 1) {
    const controlNumber = strControlNumber(at, ids);
    const written = await store.write(tedSendingWrites(companyId, payout, controlNumber, at), ids.uuid());
    if (written.ok) return { payout: { ...payout, controlNumber, version: payout.version + 1 }, payments };
    if (written.failed.some(({ index }) => index === 0)) return undefined;
  }
  throw new Error('Every control number that was drawn is taken.');
}

function isUnsentTed({ paymentMethod, controlNumber }: Payout): boolean {
  return paymentMethod === 'TED' && controlNumber === undefined;
}
