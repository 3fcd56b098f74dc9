import type { Clock } from '../core/brasilia-time.ts';
import { brasiliaDate } from '../core/brasilia-time.ts';
import type { ScheduledPayment } from './model.ts';
import { isOpenPayment } from './model.ts';
import { untilCommitted } from '../platform/commit.ts';
import type { PaymentEntry } from '../subscriptions/model.ts';
import { readEntries } from './list.ts';
import type { PaymentSweep } from '../subscriptions/store.ts';
import { readSweep, sweepDelete, sweepUpdate } from '../subscriptions/store.ts';
import { readCharge, readPayments } from './store.ts';
import { moveScheduledPayment } from './transition.ts';
import type { ChargeContext } from './transition.ts';

export type SweepContext = ChargeContext & {
  readonly now: Clock;
  /** Whether another page may be begun. */
  readonly mayGoOn: () => boolean;
};

/** Entries that are looked at together: one query and one read of so many payments. */
const pageSize = 50;
/** Payments that are canceled at the same time. */
const atOnce = 10;

/**
 * Cancels the open payments of a subscription that was canceled, page by page; those that settle on the day of the
 * cancellation go on (BCB, Manual de Padrões, 6.4.6). Each is one transaction with its notification, and a page that
 * was done is remembered: whoever dies or runs out of time is followed by the next run, and two at once cancel each
 * payment once.
 *
 * @returns how many were canceled, and whether nothing is left
 */
export async function sweepPayments(
  context: SweepContext,
  subscriptionId: string,
): Promise<{ readonly canceled: number; readonly isDone: boolean }> {
  const { store, companyId, ids, mayGoOn } = context;
  const sweep = await readSweep(store, companyId, subscriptionId);
  if (sweep === undefined) return { canceled: 0, isDone: true };
  let behind = sweep.swept;
  let canceled = 0;
  while (mayGoOn()) {
    const wanted = { companyId, subscriptionId, ascending: true, limit: pageSize, behind };
    const entries = await readEntries(store, wanted);
    const canceledNow = await cancelPage(context, sweep, entries);
    canceled += canceledNow;
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) {
      await store.write([sweepDelete(companyId, sweep)], ids.uuid());
      return { canceled, isDone: true };
    }
    await store.writeOne(sweepUpdate(companyId, sweep, last));
    behind = last;
  }
  return { canceled, isDone: false };
}

async function cancelPage(
  context: SweepContext,
  { canceledAt }: PaymentSweep,
  entries: readonly PaymentEntry[],
): Promise<number> {
  const { store, companyId } = context;
  const today = brasiliaDate(canceledAt);
  const payments = await readPayments(
    store,
    companyId,
    entries.map(({ id }) => id),
  );
  const isSwept = (payment: ScheduledPayment): boolean => isOpenPayment(payment) && payment.settlementDate !== today;
  const open = payments.filter(isSwept).values();
  let canceled = 0;
  const work = async (): Promise<void> => {
    for (const { id } of open) if (await cancelOne(context, id)) canceled += 1;
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return canceled;
}

/** False for one that became final meanwhile. */
async function cancelOne(context: SweepContext, id: string): Promise<boolean> {
  const { store, companyId, now } = context;
  return untilCommitted(async () => {
    const charge = await readCharge(store, companyId, id);
    if (charge === undefined) throw new Error('A listed scheduled payment is not there.');
    if (!isOpenPayment(charge.payment)) return false;
    const facts = { trigger: 'AUTHORIZATION_CANCELED', at: now() } as const;
    const { committed } = await moveScheduledPayment(context, charge, facts, 'service');
    return committed.ok || undefined;
  });
}
