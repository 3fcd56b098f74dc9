import type { Clock } from '../../../shared/domain/brasilia-time.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { movePayIn } from '../../../shared/operations/move-pay-in.ts';
import { eachDue } from '../../../shared/persistence/due.ts';
import { connectStore } from '../../../shared/persistence/connect.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import { nowMs, systemClock } from '../../../shared/runtime/clock.ts';
import { env } from '../../../shared/runtime/env.ts';
import { randomIds } from '../../../shared/runtime/ids.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { emit } from '../../../shared/runtime/metrics.ts';

export type ExpiryDeps = { readonly store: Store; readonly ids: Ids; readonly now: Clock; readonly ispb: string };

/**
 * Lets pay-ins expire whose time has passed (section 3, by the service). Cost follows companies and what is due. An order
 * that moved meanwhile has left the index or is refused by the table of moves; one that fails is tried again next minute.
 */
export async function expirePayIns({
  store,
  ids,
  now,
  ispb,
}: ExpiryDeps): Promise<{ expired: number; failed: number }> {
  const count = { expired: 0, failed: 0 };
  await eachDue(store, 'PAY_IN_EXPIRY', now(), async (companyId, id) => {
    try {
      const order = await readOrder(store, companyId, id);
      const at = now();
      if (order?.kind !== 'PAY_IN' || order.payIn.status !== 'PENDING' || order.payIn.expireDateTime > at) return;
      const context = { store, ids, at, ispb, companyId, requestId: ids.uuid() };
      const { committed } = await movePayIn(context, order, 'EXPIRED', 'service');
      if (committed.ok) count.expired += 1;
    } catch (error) {
      count.failed += 1;
      log('error', 'pay-in not expired', { companyId, orderId: id, ...errorFields(error) });
    }
  });
  return count;
}

/** Runs every minute. */
export async function handler(): Promise<{ expired: number; failed: number }> {
  const deps = { store: connectStore(env('TABLE_NAME')), ids: randomIds, now: systemClock, ispb: env('SERVICE_ISPB') };
  const count = await expirePayIns(deps);
  if (count.expired + count.failed > 0) log('info', 'pay-ins expired', count);
  emit(nowMs(), { worker: 'expire-pay-ins' }, [
    { name: 'PayInsExpired', unit: 'Count', value: count.expired },
    { name: 'WorkFailed', unit: 'Count', value: count.failed },
  ]);
  return count;
}
