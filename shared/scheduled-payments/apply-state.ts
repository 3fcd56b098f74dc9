import type { ChargeAttempt, RecurringChargeState } from '../bank/ports/recurring-charges.ts';
import { resenderOf } from '../bank/capabilities.ts';
import { report } from '../bank/report.ts';
import { pick } from '../core/pick.ts';
import { creditUnexpected } from '../credits/book.ts';
import { creditKeys, requireUnclaimed } from '../credits/received.ts';
import type { Transition } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { attemptOf, isContradiction, isPaidOtherwise, nextMove, resendOf, withAttempt } from './bank-transitions.ts';
import type { Resender, ScheduledCharge } from './model.ts';
import { isOpenPayment } from './model.ts';
import type { RetryContext } from './retry.ts';
import { retryCharge } from './retry.ts';
import { requireCharge, scheduledPaymentUpdate } from './store.ts';
import { scheduledPaymentTransition } from './transition.ts';

/** A payment with its attempt at the bank. `isCredited`: the Pix that paid it has been credited. */
type Found = { readonly charge: ScheduledCharge; readonly attempt?: ChargeAttempt; readonly isCredited: boolean };
type Move = { readonly found: Found; readonly isMoving: boolean };

/**
 * Applies the bank's state of a cobr's attempts to a payment: every transition between its status and the bank's, in
 * order, each in a transaction, with the bank's time. Applying the same state again changes nothing. A state that
 * contradicts a final status is reported, and money that was paid all the same is credited as unmatched. A resend that
 * the bank created by itself is recorded once, and its transitions are applied in the same way.
 * @returns the payment afterwards
 */
export async function applyChargeAttempts(
  context: RetryContext,
  id: string,
  state: RecurringChargeState,
): Promise<ScheduledCharge> {
  const { bank, companyId } = context;
  const read = () => find(context, id, state);
  let found: Found;
  let isMoving = true;
  do {
    ({ found, isMoving } = await commitTransition<Found, Move>(context, read, async (now) => {
      const can = await bank.capabilities(companyId, now.charge.terms.connection);
      return move(context, now, resenderOf(can));
    }));
  } while (isMoving);
  const { charge, attempt } = found;
  if (attempt !== undefined && isContradiction(charge.payment, attempt))
    await contradict(context, { ...found, attempt });
  // Both sides have it as paid, but by different end-to-end ids: one of them is another payment.
  else if (attempt !== undefined && isPaidOtherwise(charge.payment, attempt))
    report('BankContradictions', { companyId, paymentId: id, said: 'PAID' });
  const resend = resendOf(state, charge.payment);
  if (charge.payment.scheduledRetry?.by === 'bank' && resend !== undefined)
    await recordResend(context, id, resend, state);
  return charge;
}

async function find({ store, companyId }: RetryContext, id: string, state: RecurringChargeState): Promise<Found> {
  const charge = await requireCharge(store, companyId, id);
  const attempt = attemptOf(state, charge.payment);
  if (attempt?.history.at(-1)?.status !== 'PAID') return { charge, ...(attempt && { attempt }), isCredited: false };
  const [received, claim] = await store.read(creditKeys(companyId, attempt.endToEndId));
  requireUnclaimed(companyId, claim);
  return { charge, attempt, isCredited: received !== undefined };
}

function move(
  context: RetryContext,
  found: Found,
  resentBy: Resender,
): Transition<Move> | { readonly unchanged: Move } {
  const { charge, attempt, isCredited } = found;
  if (attempt === undefined || !isOpenPayment(charge.payment)) return { unchanged: { found, isMoving: false } };
  const known = withAttempt(charge, attempt);
  const event = nextMove(charge.payment, attempt, resentBy);
  if (event !== undefined) {
    const received = { at: context.now(), isCredited };
    const transition = scheduledPaymentTransition(context, known, event, 'bankAlone', received);
    return { ...transition, result: { found: { ...found, charge: transition.result }, isMoving: true } };
  }
  if (known === charge) return { unchanged: { found, isMoving: false } };
  const payment = { ...known.payment, version: charge.payment.version + 1 };
  return {
    writes: [scheduledPaymentUpdate(context.companyId, charge.payment, payment)],
    result: { found: { ...found, charge: { ...charge, payment } }, isMoving: false },
  };
}

/**
 * Reports a contradiction; the final status stays. Money that the bank collected belongs to the company: it is credited
 * once, as unexpected money.
 */
async function contradict(
  context: RetryContext,
  { charge: { payment, terms }, attempt }: Found & { readonly attempt: ChargeAttempt },
): Promise<void> {
  const { companyId, now } = context;
  const { endToEndId, history } = attempt;
  const reportedStatus = history.at(-1)?.status;
  report('BankContradictions', { companyId, paymentId: payment.id, said: reportedStatus });
  if (reportedStatus !== 'PAID') return;
  const { accountId, payer } = terms;
  const facts = { accountId, payer, endToEndId, amount: payment.amount, ...pick(terms, 'connection') };
  await creditUnexpected({ ...context, at: now() }, { ...facts, reason: 'TOO_LATE' });
}

async function recordResend(
  context: RetryContext,
  id: string,
  { endToEndId, history }: ChargeAttempt,
  state: RecurringChargeState,
): Promise<void> {
  const at = history[0]?.at ?? context.now();
  const { retry } = await retryCharge(context, id, { endToEndId, at });
  if (retry !== undefined) await applyChargeAttempts(context, retry.payment.id, state);
}
