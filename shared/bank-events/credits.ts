import type { ReceivedPix } from '../bank/ports/reader.ts';
import { report } from '../bank/report.ts';
import { pick } from '../core/pick.ts';
import { samePixKey } from '../core/pix-key.ts';
import { creditUnexpected } from '../credits/book.ts';
import { applyChargeState } from '../pay-ins/apply-state.ts';
import { readReceived } from '../credits/received.ts';
import { readPayIn } from '../pay-ins/store.ts';
import { isOwnTransfer } from '../payouts/own-transfers.ts';
import { readCharge } from '../scheduled-payments/store.ts';
import { endWaitingSubscription } from '../subscriptions/first-charge.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { applyRecurringCharge, idOfReference } from './recurring.ts';
import { applyReturnsOf } from './returns.ts';
import { keepUnplaced } from './unplaced-credits.ts';

/** Applies a received payment. A payment that is credited already is not read at the bank again. */
export async function applyPix(
  context: BankEventContext,
  { endToEndId }: Extract<BankEvent, { kind: 'PIX' }>,
): Promise<BankEventOutcome> {
  const { store, companyId, reader } = context;
  if ((await readReceived(store, companyId, endToEndId)) !== undefined) return 'SAME';
  const pix = await reader.readReceivedPix(endToEndId);
  return pix?.endToEndId === endToEndId ? applyReceivedPix(context, pix) : 'UNKNOWN';
}

/**
 * Credits a payment as its bank reports it: to the pay-in of its `txid`, with any key; by the attempt of a recurring
 * charge; or as unexpected money to the account that its key names. A payment whose account is unclear is kept for the
 * operator. Also applies the payment's returns.
 */
export async function applyReceivedPix(context: BankEventContext, pix: ReceivedPix): Promise<BankEventOutcome> {
  const { store, companyId } = context;
  const before = await readReceived(store, companyId, pix.endToEndId);
  if (before !== undefined && before.amount !== pix.amount) {
    report('AnswersAboutOthers', { companyId, endToEndId: pix.endToEndId, fields: 'valor' });
    return 'UNKNOWN';
  }
  const end = before === undefined ? await credit(context, pix) : 'SAME';
  const isReturned = await applyReturnsOf(context, pix);
  return isReturned ? 'MOVED' : end;
}

async function credit(context: BankEventContext, pix: ReceivedPix): Promise<BankEventOutcome> {
  const { store, companyId, connection, now } = context;
  const atNow = { ...context, at: now(), alsoEnds: endWaitingSubscription };
  const chargeId = idOfReference(pix.txid ?? '');
  if (chargeId !== undefined) {
    const payIn = await readPayIn(store, companyId, chargeId);
    if (payIn !== undefined) {
      await applyChargeState(atNow, payIn.id, { status: 'ACTIVE', payments: [pix] });
      return 'MOVED';
    }
    const charge = await readCharge(store, companyId, chargeId);
    // The attempt of the charge shows which scheduled payment this Pix pays.
    if (charge !== undefined) return applyRecurringCharge(context, { txid: chargeId.replaceAll('-', '') });
  }
  const accountId = accountOf(context, pix);
  if (accountId === undefined) return (await keepUnplaced(store, connection, pix)) ? 'MOVED' : 'SAME';
  if (await isOwnTransfer(store, companyId, pix.endToEndId)) return 'SAME';
  const facts = pick(pix, 'endToEndId', 'amount', 'payer');
  const unexpected = { ...facts, accountId, connection: connection.id, reason: 'NO_CHARGE' } as const;
  return (await creditUnexpected(atNow, unexpected)) ? 'MOVED' : 'SAME';
}

/**
 * Returns the account of the payment's key. A payment with an unknown key, or none, belongs to the connection's only
 * account; undefined when several accounts are possible.
 */
function accountOf(
  { connection: { accounts } }: BankEventContext,
  { accountId, chave }: ReceivedPix,
): string | undefined {
  if (accountId !== undefined) return accountId;
  const all = Object.entries(accounts);
  const matching =
    chave === undefined ? [] : all.filter(([, { chave: own }]) => own !== undefined && samePixKey(own, chave));
  if (matching.length > 0) return matching.length === 1 ? matching[0]?.[0] : undefined;
  return all.length === 1 ? all[0]?.[0] : undefined;
}
