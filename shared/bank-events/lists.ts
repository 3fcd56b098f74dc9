import { isFinalRecurrence } from '../bank/ports/recurrences.ts';
import type { Listed, ListedClaim, ReceivedPix, SentPix } from '../bank/ports/reader.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { parentOrderId } from '../core/identifiers.ts';
import { pick } from '../core/pick.ts';
import type { LogFields } from '../platform/log.ts';
import { errorFields, log } from '../platform/log.ts';
import type { ReceivedPix as Credited } from '../credits/received.ts';
import { readReceived } from '../credits/received.ts';
import { readPayIn } from '../pay-ins/store.ts';
import { endsAtMs, isTimeUp } from '../platform/jobs/run.ts';
import { readPayout } from '../payouts/store.ts';
import { findSubscription } from '../subscriptions/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import { applyReceivedPix } from './credits.ts';
import { applyClaim, unappliedClaims } from './claims.ts';
import { bookFee } from './fees.ts';
import type { ListName, Window } from './list-readings.ts';
import { paymentLists } from './list-readings.ts';
import { applySentPix } from './payouts.ts';
import { applyFoundRecurrence, applyListedCharge, idOfReference } from './recurring.ts';
import { unappliedReceived, unappliedSent } from './unapplied.ts';

/** Result of reading lists. `missed`: changes that a callback should have caused before. */
export type ListReport = {
  missed: number;
  failed: number;
  /** Unclaimed recurrences: recs that have not ended and that no subscription has. */
  readonly unknownRecurrences: { readonly idRec: string; readonly locationId?: number }[];
};

export function emptyReport(): ListReport {
  return { missed: 0, failed: 0, unknownRecurrences: [] };
}

/** A list, or the payments to bare keys. */
type ListedAs = ListName | 'keys';

/** Milliseconds that the run still has. */
export type Time = { readonly remainingMs: () => number };

/** Reads the payments received and sent since `from` to their end, and applies the new ones. */
export async function readPayments(context: BankEventContext, from: Instant, time: Time): Promise<ListReport> {
  const report = emptyReport();
  const to = context.now();
  for (const list of paymentLists) await readPages(context, { list, from, to }, report, { time });
  return report;
}

/** Failed pages in a row after which a list is left to a later run. */
const failuresInARow = 3;

type PageOptions = {
  readonly time: Time;
  /** The first page, from 0. */
  readonly page?: number;
  /** The largest number of pages that are read. A longer window is not read at all. */
  readonly most?: number;
};

/**
 * Applies the items of a list, page after page. An item or page that fails is counted and logged, and the others are
 * still applied.
 * @returns the number of pages, and the first page that was not read
 */
export async function readPages(
  context: BankEventContext,
  { list, from, to }: Pick<Window, 'from' | 'to'> & { readonly list: ListedAs },
  report: ListReport,
  { time, page: first = 0, most = Infinity }: PageOptions,
): Promise<{ readonly pages: number; readonly unread?: number }> {
  const { companyId } = context;
  const fail = (message: string, page: number, failed: number, fields: LogFields): void => {
    report.failed += failed;
    log('error', message, { companyId, list, page, ...fields });
  };
  const listed = listOf(context, report, list);
  let pages = first + 1;
  let failures = 0;
  let unread: number | undefined;
  for (let page = first; page < pages && failures < failuresInARow; page += 1) {
    if (isTimeUp(time)) return { pages, unread: unread ?? page };
    try {
      const found = await listed(from, to, page, time.remainingMs() - endsAtMs);
      pages = found.pages;
      failures = 0;
      if (pages > most) return { pages, unread: 0 };
      const { unreadable = 0, unreadableIds = [] } = found;
      if (unreadable > 0)
        fail('List contained unreadable items', page, unreadable, { count: unreadable, ids: unreadableIds.join(' ') });
      for (const apply of await found.unapplied())
        await apply().catch((error: unknown) => {
          fail('Cannot apply an item of a list', page, 1, errorFields(error));
        });
    } catch (error) {
      failures += 1;
      unread ??= page;
      fail('Cannot read a page of a list', page, 1, errorFields(error));
    }
  }
  return { pages, ...(unread !== undefined && { unread }) };
}

/** Returns the query of a list. `unapplied` looks up the items of the page, and returns how each new one is applied. */
function listOf(context: BankEventContext, report: ListReport, list: ListedAs) {
  const { reader, store, companyId } = context;
  const all = <Item>(items: readonly Item[]): Promise<readonly Item[]> => Promise.resolve(items);
  const query =
    <Item>(listed: Listed<Item>, apply: (item: Item) => Promise<void>, unapplied: typeof all<Item> = all) =>
    async (...window: Parameters<Listed<Item>>) => {
      const { items, ...page } = await listed(...window);
      return { ...page, unapplied: async () => (await unapplied(items)).map((item) => () => apply(item)) };
    };
  switch (list) {
    case 'pix': {
      const apply = (pix: ReceivedPix) => applyReceived(context, report, pix);
      return query(reader.listReceived, apply, (items) => unappliedReceived(context, items));
    }
    case 'keys': {
      const apply = (pix: ReceivedPix) => applyReceived(context, report, pix);
      return query(reader.listReceivedToKeys, apply, (items) => unappliedReceived(context, items));
    }
    case 'enviados': {
      const apply = (sent: SentPix) => applySent(context, report, sent);
      return query(reader.listSent, apply, (items) => unappliedSent(context, items));
    }
    case 'rec':
      return query(reader.listRecurrences, async (rec) => {
        const id = await findSubscription(store, companyId, rec.idRec);
        if (id !== undefined) count(report, await applyFoundRecurrence(context, id, rec.state));
        else if (!isFinalRecurrence(rec.state)) report.unknownRecurrences.push(pick(rec, 'idRec', 'locationId'));
      });
    case 'infracoes': {
      const apply = async (claim: ListedClaim) => {
        const { claimId, endToEndId } = claim;
        // Banks send no callback for a claim, so none was missed.
        if ((await applyClaim(context, claim)) === 'UNKNOWN')
          log('warn', 'List contained a claim of an unknown payment', { companyId, claimId, endToEndId });
      };
      return query(reader.listClaims, apply, (items) => unappliedClaims(context, items));
    }
    case 'cobr':
      return query(reader.listRecurringCharges, async (cobr) => {
        const id = idOfReference(cobr.txid);
        if (id !== undefined) count(report, await applyListedCharge(context, id, cobr));
      });
  }
}

function count(report: ListReport, end: BankEventOutcome): void {
  if (end === 'MOVED') report.missed += 1;
}

/** A payment at the bank that the company does not know is a possible cause of a difference in balances. */
function logUnknown({ companyId, connection }: BankEventContext, payment: LogFields): void {
  log('warn', 'List contained an unknown payment', { companyId, connectionId: connection.id, ...payment });
}

async function applyReceived(context: BankEventContext, report: ListReport, pix: ReceivedPix): Promise<void> {
  const { endToEndId, amount, fee } = pix;
  const end = await applyReceivedPix(context, pix);
  if (end === 'UNKNOWN') logUnknown(context, { direction: 'RECEIVED', id: endToEndId, amount });
  // Banks send no callback for a Pix without a `txid`, so none was missed.
  else if (pix.txid !== undefined) count(report, end);
  if (end === 'UNKNOWN' || fee === undefined || fee <= 0) return;
  // The fee belongs to the account that was credited. The key of the payment may not name it.
  const received = await readReceived(context.store, context.companyId, endToEndId);
  if (received === undefined) return;
  const { accountId } = received;
  const order = await ownPayIn(context, received);
  await bookFee(context, { direction: 'RECEIVED', endToEndId, accountId, amount: fee, ...order });
}

/** Returns the pay-in of received money; nothing where it came by a payout of another account of the company. */
async function ownPayIn(
  { store, companyId }: BankEventContext,
  { orderId, accountId }: Credited,
): Promise<{ readonly orderId?: string }> {
  if (orderId === undefined) return {};
  const payIn = await readPayIn(store, companyId, orderId);
  return payIn?.accountId === accountId ? { orderId } : {};
}

async function applySent(context: BankEventContext, report: ListReport, sent: SentPix): Promise<void> {
  const { reference = '', endToEndId, amount, fee, state } = sent;
  const end = await applySentPix(context, sent);
  if (end === 'UNKNOWN') logUnknown(context, { direction: 'SENT', id: endToEndId ?? reference, amount });
  else count(report, end);
  const id = idOfReference(reference);
  if (
    end === 'UNKNOWN' ||
    id === undefined ||
    endToEndId === undefined ||
    state.status !== 'PAID' ||
    fee === undefined ||
    fee <= 0
  )
    return;
  const order = await readPayout(context.store, context.companyId, parentOrderId(id));
  if (order === undefined) return;
  const { accountId, id: orderId } = order.payout;
  await bookFee(context, { direction: 'SENT', endToEndId, accountId, orderId, amount: fee });
}
