import { submitOnce } from '../bank/bank.ts';
import { isFinalRecurrence } from '../bank/ports/recurrences.ts';
import type { UnsettledLocation } from '../bank/recurrence-locations.ts';
import { leaveLocation, listUnsettled, recurrenceLocations, settleLocation } from '../bank/recurrence-locations.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { errorFields, log } from '../platform/log.ts';
import { findSubscription } from '../subscriptions/store.ts';
import type { BankEventContext } from './context.ts';

/** Seconds after creation within which a repeated request uses its location again. Then the location is given up. */
const repeatedSeconds = 3600;
/** Seconds, longer than any request runs: a request that was running when its location was left has ended by then. */
const requestSeconds = 600;
/** Seconds by which the clocks of bank and service may differ. */
const marginSeconds = 600;
/** Seconds. A location whose rec is not listed by then has none. */
const listedSeconds = 86_400;

/**
 * Outcome of a run. `unclaimed`: canceled recs. `failed`: locations that a later run tries again. `pending`: ids of
 * locations that are not settled yet.
 */
type UnclaimedReport = { unclaimed: number; failed: number; readonly pending: Set<number> };

/**
 * Cancels recs whose request never became a subscription. These are recs at a location that this service created and
 * stored more than an hour ago. One run gives the location up: it deletes the stored location, so that a repetition of
 * the request creates a new one. A later run cancels the rec if it still has no subscription. No other rec is touched.
 */
export async function endUnclaimed(context: BankEventContext): Promise<UnclaimedReport> {
  const { store, companyId, connection, now } = context;
  const report: UnclaimedReport = { unclaimed: 0, failed: 0, pending: new Set() };
  const unsettled = await listUnsettled(store, connection, now());
  const recAt = listedRecs(context, unsettled[0]?.createdAt);
  for (const unsettledLocation of unsettled)
    try {
      const end = await settle(context, unsettledLocation, recAt);
      if (end !== 'PENDING') await settleLocation(store, connection, unsettledLocation);
      else report.pending.add(unsettledLocation.id);
      if (end === 'ORPHANED') report.unclaimed += 1;
    } catch (error) {
      report.failed += 1;
      report.pending.add(unsettledLocation.id);
      log('warn', 'Cannot cancel an unclaimed recurrence', { companyId, ...errorFields(error) });
    }
  return report;
}

type RecAt = (locationId: number) => Promise<string | undefined>;

async function settle(
  context: BankEventContext,
  unsettledLocation: UnsettledLocation,
  recAt: RecAt,
): Promise<'PENDING' | 'SETTLED' | 'ORPHANED'> {
  const { store, companyId, connection, now } = context;
  const kept = await recurrenceLocations(store, connection).read(unsettledLocation.reference);
  const isStored = kept?.id === unsettledLocation.id;
  const known = unsettledLocation.idRec ?? (isStored ? kept.idRec : undefined);
  if (known !== undefined && (await findSubscription(store, companyId, known)) !== undefined) return 'SETTLED';
  if (plusSeconds(unsettledLocation.createdAt, repeatedSeconds) > now()) return 'PENDING';
  if (isStored) {
    await leaveLocation(store, connection, unsettledLocation, { leftAt: now(), idRec: known });
    return 'PENDING';
  }
  // This location was never the stored one: no rec was requested at it.
  if (unsettledLocation.leftAt === undefined) return 'SETTLED';
  if (plusSeconds(unsettledLocation.leftAt, requestSeconds) > now()) return 'PENDING';
  const idRec = known ?? (await recAt(unsettledLocation.id));
  if (idRec === undefined)
    return plusSeconds(unsettledLocation.createdAt, listedSeconds) > now() ? 'PENDING' : 'SETTLED';
  if ((await findSubscription(store, companyId, idRec)) !== undefined) return 'SETTLED';
  await cancel(context, unsettledLocation, idRec);
  return 'ORPHANED';
}

async function cancel(context: BankEventContext, unsettledLocation: UnsettledLocation, idRec: string): Promise<void> {
  const { bank, companyId, connection, now } = context;
  const order = { reference: unsettledLocation.reference, recurrenceId: idRec };
  const again = { repetition: 'REFUSED', mayRepeat: () => Promise.resolve(false) } as const;
  const options = { again, whenUnknown: 'ASK' } as const;
  const command = { companyId, connection: connection.id, at: now() };
  const canceled = await submitOnce(bank.recurrences.cancel, order, command, options);
  if (canceled.outcome !== 'DONE' || !isFinalRecurrence(canceled.state))
    throw new Error(`The bank did not cancel the recurrence: ${canceled.outcome}.`);
  log('info', 'Unclaimed recurrence canceled', { companyId, idRec });
}

/** Finds the rec at a location in the bank's list, which is read at the first search. */
function listedRecs({ reader, now }: BankEventContext, oldest: Instant | undefined): RecAt {
  let listed: Promise<ReadonlyMap<number, string>> | undefined;
  const list = async (): Promise<ReadonlyMap<number, string>> => {
    const found = new Map<number, string>();
    const to = plusSeconds(now(), marginSeconds);
    const from = plusSeconds(oldest ?? to, -marginSeconds);
    let pages = 1;
    for (let page = 0; page < pages; page += 1) {
      const { items, pages: all } = await reader.listRecurrences(from, to, page);
      pages = all;
      for (const { idRec, locationId } of items) if (locationId !== undefined) found.set(locationId, idRec);
    }
    return found;
  };
  return async (locationId) => (await (listed ??= list())).get(locationId);
}
