import type { ReceivedPix } from '../bank/api-pix/reading.ts';
import { applyChargeState, creditUnexpected } from '../pay-ins/apply-state.ts';
import { readReceived } from '../pay-ins/received.ts';
import { readPayIn } from '../pay-ins/store.ts';
import { readCharge } from '../scheduled-payments/store.ts';
import type { NewsContext, NewsEnd } from './context.ts';
import type { News } from './news.ts';
import { applyRecurringCharge, idOfReference } from './recurring.ts';
import { applyReturnsOf } from './returns.ts';

/** A payment that came in, if it was not credited yet: what the company has already costs its bank no call. */
export async function applyPix(context: NewsContext, { endToEndId }: Extract<News, { kind: 'PIX' }>): Promise<NewsEnd> {
  const { store, companyId, reader } = context;
  if ((await readReceived(store, companyId, endToEndId)) !== undefined) return 'SAME';
  const pix = await reader.readReceivedPix(endToEndId);
  return pix?.endToEndId === endToEndId ? applyReceivedPix(context, pix) : 'UNKNOWN';
}

/**
 * Credits a payment as its bank told of it: to the pay-in that expects it, by the attempt of a recurring charge, or as
 * unmatched to the account of its key. A payment to a key of somebody else is unknown.
 */
export async function applyReceivedPix(context: NewsContext, pix: ReceivedPix): Promise<NewsEnd> {
  const { store, companyId } = context;
  const { endToEndId, txid } = pix;
  const accountId = accountOf(context, pix);
  if (accountId === undefined) return 'UNKNOWN';
  const before = await readReceived(store, companyId, endToEndId);
  const end =
    before === undefined ? await credit(context, pix, { accountId, chargeId: idOfReference(txid ?? '') }) : 'SAME';
  const isReturned = await applyReturnsOf(context, pix);
  return isReturned ? 'MOVED' : end;
}

type Target = { readonly accountId: string; readonly chargeId: string | undefined };

async function credit(context: NewsContext, pix: ReceivedPix, { accountId, chargeId }: Target): Promise<NewsEnd> {
  const { store, companyId, now } = context;
  const atNow = { ...context, at: now() };
  if (chargeId !== undefined) {
    const payIn = await readPayIn(store, companyId, chargeId);
    if (payIn !== undefined) {
      await applyChargeState(atNow, payIn.id, { status: 'ACTIVE', payments: [pix] });
      return 'MOVED';
    }
    const charge = await readCharge(store, companyId, chargeId);
    // The attempt says which of several payments it is.
    if (charge !== undefined) return applyRecurringCharge(context, { txid: chargeId.replaceAll('-', '') });
  }
  return (await creditUnexpected(atNow, accountId, pix)) ? 'MOVED' : 'SAME';
}

/** The account that a payment came to: a bank that names no key has one account of the company. */
export function accountOf({ connection: { accounts } }: NewsContext, { chave }: ReceivedPix): string | undefined {
  const all = Object.entries(accounts);
  const matching = chave === undefined ? all : all.filter(([, account]) => account.chave === chave);
  return matching.length === 1 || chave !== undefined ? matching[0]?.[0] : undefined;
}
