import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Weather } from './actors.ts';

type Outage = { readonly name: WorkerName; readonly fromMs: number; untilMs: number };

const minute = 60_000;
/** How long a worker is out of order: a throttle, a bad release until somebody sees it, one of a weekend. */
const lengthsMs = [10 * minute, 120 * minute, 26 * 60 * minute] as const;

/** Workers that cannot begin for a while: each of their invocations fails at once. */
export function outagesOf(
  time: VirtualTime,
  draws: Draws,
  over: {
    readonly weather: () => Weather;
    readonly names: readonly WorkerName[];
    readonly met: (what: string) => void;
  },
) {
  const outages: Outage[] = [];
  const turn = (): void => {
    if (draws.chance(over.weather().outage)) {
      const name = draws.one(over.names);
      over.met(`fault ${name}: out of order`);
      outages.push({ name, fromMs: time.now(), untilMs: time.now() + draws.one(lengthsMs) });
    }
    time.at(time.now() + 30 * minute, turn);
  };
  return {
    begin: turn,
    isOut: (name: WorkerName): boolean => outages.some((one) => one.name === name && time.now() < one.untilMs),
    /** Whether any worker was out of order between two moments. */
    wasAny: (fromMs: number, untilMs: number): boolean =>
      outages.some((one) => one.fromMs <= untilMs && fromMs < one.untilMs),
    heal: (): void => {
      for (const one of outages) one.untilMs = Math.min(one.untilMs, time.now());
    },
  };
}
