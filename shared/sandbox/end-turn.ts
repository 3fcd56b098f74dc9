import type { Instant } from '../core/brasilia-time.ts';
import type { CaughtUp, TurnedClock } from './clock.ts';
import { companyTime } from './clock.ts';
import { clockTurnDone, parseClockTurn } from './clock-turns.ts';
import { parseOffsetMs } from './clock-store.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import { catchUp } from './advance-clock.ts';
import type { JobContext } from '../jobs/jobs.ts';

/** What is answered to whoever turned a clock. `replayed`: it was answered before. */
type EndedTurn = { readonly clock: TurnedClock; readonly done: CaughtUp; readonly replayed: boolean };
type TurnContext = Omit<JobContext, 'now'>;

/**
 * Does what the turn of a clock made due. With the id of a turn that a key remembers, the end is written down: of
 * several calls with one key, also where the first one died, all give the answer of the one that ended first.
 */
export async function endTurn(
  context: TurnContext,
  id: string | undefined,
  clock: TurnedClock,
  until: Instant = clock.now,
): Promise<EndedTurn> {
  const { store, companyId } = context;
  const done = await catchUp(context, until);
  if (id === undefined) return { clock, done, replayed: false };
  const kept = await store.writeOne(clockTurnDone(companyId, id, done));
  if (kept.ok) return { clock, done, replayed: false };
  const first = parseClockTurn(requireTurn(kept.failed[0]?.item)).done;
  if (first === undefined) throw new CorruptItem('A turn of a clock that was ended has no end.');
  return { clock, done: first, replayed: true };
}

/** The first answer of a turn again; where its call died, or is under way, goes on with what is due still. */
export async function repeatTurn(context: TurnContext, id: string): Promise<EndedTurn> {
  const { store, companyId, realNow } = context;
  const [item, clockItem] = await store.read([keys.clockTurn(companyId, id), keys.companyClock(companyId)]);
  const { done, ...clock } = parseClockTurn(requireTurn(item));
  if (done !== undefined) return { clock, done, replayed: true };
  // Real time may have been given back since: then less is due than the turn made due.
  const present = companyTime(realNow(), parseOffsetMs(clockItem));
  return endTurn(context, id, clock, present < clock.now ? present : clock.now);
}

function requireTurn(item: Item | undefined): Item {
  if (item === undefined) throw new CorruptItem('A key leads to a turn of a clock that is not there.');
  return item;
}
