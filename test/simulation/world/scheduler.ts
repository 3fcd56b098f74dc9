import { workers } from '#functions/workers.ts';
import { brasiliaMinuteOfDay, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies } from '#shared/platform/jobs/due-kinds.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { settings } from '#shared/platform/settings.ts';
import { clocks } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { beginsAt } from '#test/model/bank-books.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { dueEntry } from '#test/support/due.ts';
import type { Weather } from './actors.ts';

const minute = 60_000;
/** Clocks of companies are always due, and dead letters are in no index: but by day they are looked at more often. */
const unseen = new Set<WorkerName>(['run-company-jobs', 'sweep-deliveries']);
/** `DAY`: the crowd asks. `NIGHT`: it rests. `QUIET`: it is over, and nothing goes wrong. */
export type Hours = 'DAY' | 'NIGHT' | 'QUIET';
/** So many runs are made although nothing is due. */
const idleShares: Readonly<Record<Hours, number>> = { DAY: 0.05, NIGHT: 0.005, QUIET: 0 };

/** The kind of a minute that is to be closed: no index shows it. */
export const openMinute = 'OPEN_MINUTE';

/** What is due, by the place of its item: `kind` and time. */
export function dueOf() {
  const due = new Map<string, { readonly kind: DueKind | 'CLOCKS' | typeof openMinute; readonly atMs: number }>();
  let closedMs = -Infinity;
  const closed = (ms: number): void => {
    closedMs = ms;
    for (const [place, { kind, atMs }] of due) if (kind === openMinute && atMs <= ms) due.delete(place);
  };
  return {
    due,
    /** Whether an item notes a minute that is not closed. */
    isOpen: ({ PK, SK }: Item): boolean => due.get(`${PK} ${SK}`)?.kind === openMinute,
    changed: (place: string, item: Item | undefined): void => {
      const job = item && dueEntry(item);
      if (item?.['entity'] === 'CHAIN_PROGRESS') closed(closesMs(item['closed']));
      const notedMs = item?.['entity'] === 'CHAIN_NOTE' ? closesMs(place.split('#')[1]) : -Infinity;
      if (notedMs > closedMs) due.set(place, { kind: openMinute, atMs: notedMs });
      else if (item?.['GSI3PK'] === clocks) due.set(place, { kind: 'CLOCKS', atMs: -Infinity });
      else if (job !== undefined) due.set(place, { kind: job.kind, atMs: Date.parse(job.dueAt) - beginsAt });
      else due.delete(place);
    },
    kindsAt: (ms: number, counts: (place: string, kind: string) => boolean): ReadonlySet<string> => {
      const kinds = new Set<string>();
      for (const [place, { kind, atMs }] of due)
        if (atMs <= ms && !kinds.has(kind) && counts(place, kind)) kinds.add(kind);
      return kinds;
    },
  };
}

/** When a minute closes, milliseconds of the world's time. */
function closesMs(minuteOfChain: unknown): number {
  return (
    Date.parse(`${String(minuteOfChain)}:00.000Z`) - beginsAt + (60 + settings().statements.closesAfterSeconds) * 1000
  );
}

type Due = ReturnType<typeof dueOf>;

/** Kinds of work of a worker; those without any run for what no index shows. */
const kindsOf = (name: WorkerName): readonly string[] => {
  const { due: family } = workers[name];
  if (family !== undefined) return dueFamilies[family];
  if (name === 'chain-entries') return [openMinute];
  return name === 'run-company-jobs' ? ['CLOCKS'] : [];
};

/**
 * EventBridge Scheduler: every worker with a schedule, in its hours of Brasilia; late, twice or not at all by chance. A
 * run for which nothing is due is left out most of the time: it costs the run's time and shows nothing.
 */
export function scheduleWorkers(
  time: VirtualTime,
  draws: Draws,
  over: {
    readonly faultSchedule: () => Weather;
    readonly due: Due;
    /** Whether this due work is reason enough for a run. */
    readonly isWorth: (place: string, kind: string) => boolean;
    readonly run: (name: WorkerName) => void;
    readonly hours: () => Hours;
  },
): void {
  const { faultSchedule, due, isWorth, run, hours } = over;
  const names = (Object.keys(workers) as WorkerName[]).filter((name) => workers[name].schedule !== undefined);
  const isHour = (name: WorkerName): boolean => {
    const { schedule } = workers[name];
    if (schedule === undefined || schedule === 'every minute') return true;
    const [from = 0, to = 23] = (schedule.hour ?? '0-23').split('-').map(Number);
    const hour = Math.floor(brasiliaMinuteOfDay(instantFromEpochMs(beginsAt + time.now())) / 60);
    return from <= hour && hour <= to;
  };
  const tick = (): void => {
    const kinds = due.kindsAt(time.now(), isWorth);
    for (const name of names) {
      if (!isHour(name) || draws.chance(faultSchedule().schedule)) continue;
      const hasWork = kindsOf(name).some((kind) => kinds.has(kind));
      const isDay = hours() === 'DAY';
      const isTurn = !isDay && Math.round(time.now() / minute) % (unseen.has(name) ? 20 : 60) === 0;
      const isWorked = hasWork && (isDay || name !== 'run-company-jobs');
      if (!isWorked && !isTurn && !draws.chance(idleShares[hours()])) continue;
      const late = draws.chance(faultSchedule().schedule) ? draws.between(1000, 50_000) : draws.between(0, 900);
      time.at(time.now() + late, () => {
        run(name);
        if (draws.chance(faultSchedule().schedule)) run(name);
      });
    }
    time.at(time.now() + minute, tick);
  };
  time.at(Math.ceil((beginsAt + time.now()) / minute) * minute - beginsAt, tick);
}
