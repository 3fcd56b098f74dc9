import { isFinalRecurrence } from '../bank/ports/recurrences.ts';
import type { Listed, ReceivedPix, SentPix } from '../bank/ports/reader.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { parentOrderId } from '../core/identifiers.ts';
import { pick } from '../core/pick.ts';
import type { LogFields } from '../platform/log.ts';
import { errorFields, log } from '../platform/log.ts';
import { readReceived } from '../pay-ins/received.ts';
import { endsAtMs, isTimeUp } from '../platform/jobs/run.ts';
import { readPayout } from '../payouts/store.ts';
import { findSubscription } from '../subscriptions/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import { applyReceivedPix } from './credits.ts';
import { bookFee } from './fees.ts';
import { applySentPix } from './payouts.ts';
import { applyFoundRecurrence, applyListedCharge, idOfReference } from './recurring.ts';
import { unappliedReceived, unappliedSent } from './unapplied.ts';

/** Result of reading lists. `missed`: changes that a callback should have caused before. */
export type ListReport = {
  missed: number;
  failed: number;
  /** Pages that were not read; further pages may follow them. */
  unread: number;
  /** End of the window of the listed payments. */
  readonly readAt: Instant;
  /** Payments at the bank that the company does not know: a possible cause of a difference in balances. */
  readonly unknown: { readonly direction: string; readonly id: string; readonly amount: number }[];
  /** Unclaimed recurrences: recs that have not ended and that no subscription has. */
  readonly unknownRecurrences: { readonly idRec: string; readonly locationId?: number }[];
};

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** Window of an hourly reading: the last hour and the two hours before it, because lists lag behind writes. */
export const hourlySeconds = 3 * hourSeconds;
export const dailySeconds = 3 * daySeconds;
/** Time from the creation of a cobr to the end of its last attempt after the due date, plus a margin. */
const chargeSeconds = 60 * daySeconds;

type Window = { readonly from: Instant; readonly to: Instant };

/** Milliseconds that the run still has. */
export type Time = { readonly remainingMs: () => number };

/**
 * Reads lists at the bank and applies what is new. `HOURLY`: payments of the last three hours. `DAILY`: payments of the
 * last three days, and recs and cobrs. A list, page or item that fails is counted and logged, and the others are still
 * applied.
 */
export async function readLists(
  context: BankEventContext,
  extent: 'HOURLY' | 'DAILY',
  time: Time = { remainingMs: () => Infinity },
): Promise<ListReport> {
  const { reader, connection, now } = context;
  const to = now();
  const back = (seconds: number): Window => ({ from: plusSeconds(to, -seconds), to });
  const seconds = extent === 'HOURLY' ? hourlySeconds : dailySeconds;
  const report = await readPayments(context, plusSeconds(to, -seconds), time);
  const run = { ...context, report, time };
  if (extent === 'HOURLY') return report;
  // The bank lists recs and cobrs by their creation, not by their last change.
  await eachOf(run, 'rec', { from: connection.createdAt, to }, reader.listRecurrences, async (rec) => {
    const id = await findSubscription(context.store, context.companyId, rec.idRec);
    if (id !== undefined) count(report, await applyFoundRecurrence(context, id, rec.state));
    else if (!isFinalRecurrence(rec.state)) report.unknownRecurrences.push(pick(rec, 'idRec', 'locationId'));
  });
  await eachOf(run, 'cobr', back(chargeSeconds), reader.listRecurringCharges, async (cobr) => {
    const id = idOfReference(cobr.txid);
    if (id !== undefined) count(report, await applyListedCharge(context, id, cobr));
  });
  return report;
}

/** Reads the payments received and sent since `from`, and applies the new ones. */
export async function readPayments(context: BankEventContext, from: Instant, time: Time): Promise<ListReport> {
  const { reader, now } = context;
  const window = { from, to: now() };
  const report: ListReport = {
    missed: 0,
    failed: 0,
    unread: 0,
    readAt: window.to,
    unknown: [],
    unknownRecurrences: [],
  };
  const run = { ...context, report, time };
  const received = (pix: ReceivedPix) => applyReceived(context, report, pix);
  const sent = (payment: SentPix) => applySent(context, report, payment);
  await eachOf(run, 'pix', window, reader.listReceived, received, (items) => unappliedReceived(context, items));
  await eachOf(run, 'enviados', window, reader.listSent, sent, (items) => unappliedSent(context, items));
  return report;
}

/** Failed pages in a row after which a list is left to the next run. */
const failuresInARow = 3;

type Reading = { readonly companyId: string; readonly report: ListReport; readonly time: Time };

/**
 * Applies the items of a list that `unapplied` returns for each page. An item or page that fails is counted and logged, and the others are still
 * applied.
 */
async function eachOf<Item>(
  { companyId, report, time }: Reading,
  list: string,
  { from, to }: Window,
  listed: Listed<Item>,
  apply: (item: Item) => Promise<void>,
  unapplied: (items: readonly Item[]) => Promise<readonly Item[]> = (items) => Promise.resolve(items),
): Promise<void> {
  const fail = (message: string, page: number, failed: number, fields: LogFields): void => {
    report.failed += failed;
    log('error', message, { companyId, list, page, ...fields });
  };
  let pages = 1;
  let failures = 0;
  for (let page = 0; page < pages && failures < failuresInARow; page += 1) {
    if (isTimeUp(time)) {
      report.unread += 1;
      fail('Cannot read the rest of a list: the run is out of time', page, 1, { pages });
      return;
    }
    try {
      const found = await listed(from, to, page, time.remainingMs() - endsAtMs);
      pages = found.pages;
      failures = 0;
      const { items, unreadable = 0, unreadableIds = [] } = found;
      if (unreadable > 0)
        fail('List contained unreadable items', page, unreadable, { count: unreadable, ids: unreadableIds.join(' ') });
      for (const item of await unapplied(items))
        await apply(item).catch((error: unknown) => {
          fail('Cannot apply an item of a list', page, 1, errorFields(error));
        });
    } catch (error) {
      failures += 1;
      report.unread += 1;
      fail('Cannot read a page of a list', page, 1, errorFields(error));
    }
  }
}

function count(report: ListReport, end: BankEventOutcome): void {
  if (end === 'MOVED') report.missed += 1;
}

async function applyReceived(context: BankEventContext, report: ListReport, pix: ReceivedPix): Promise<void> {
  const { endToEndId, amount, fee } = pix;
  const end = await applyReceivedPix(context, pix);
  if (end === 'UNKNOWN') report.unknown.push({ direction: 'RECEIVED', id: endToEndId, amount });
  // Banks send no callback for a Pix without a `txid`, so none was missed.
  else if (pix.txid !== undefined) count(report, end);
  if (end === 'UNKNOWN' || fee === undefined || fee <= 0) return;
  // The fee belongs to the account that was credited. The key of the payment may not name it.
  const accountId = (await readReceived(context.store, context.companyId, endToEndId))?.accountId;
  if (accountId !== undefined) await bookFee(context, { direction: 'RECEIVED', endToEndId, accountId, amount: fee });
}

async function applySent(context: BankEventContext, report: ListReport, sent: SentPix): Promise<void> {
  const { reference = '', endToEndId, amount, fee, state } = sent;
  const end = await applySentPix(context, sent);
  if (end === 'UNKNOWN') report.unknown.push({ direction: 'SENT', id: endToEndId ?? reference, amount });
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
