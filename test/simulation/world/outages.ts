import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Weather } from './actors.ts';

/** As many nights and the turns in them have one outage by day. */
const dawnShare = 10;

type Outage = { readonly name: WorkerName; readonly fromMs: number; untilMs: number };

const minute = 60_000;
/** Those without which no notification leaves are half of them. */
const deliveryWorkers = ['relay-deliveries', 'deliver-notification'] as const;
/** How long a worker is out of order: a throttle, a bad release until it is found, one of a weekend. */
const lengthsMs = [10 * minute, 120 * minute, 26 * 60 * minute] as const;

/** Workers that cannot begin for a while: each of their invocations fails immediately. */
export function outagesOf(
  time: VirtualTime,
  draws: Draws,
  over: {
    readonly faultSchedule: () => Weather;
    readonly names: readonly WorkerName[];
    readonly met: (occurrence: string) => void;
  },
) {
  const outages: Outage[] = [];
  const start = (): void => {
    const name = draws.one(draws.chance(0.5) ? deliveryWorkers : over.names);
    over.met(`fault ${name}: unavailable`);
    outages.push({ name, fromMs: time.now(), untilMs: time.now() + draws.one(lengthsMs) });
  };
  const turn = (): void => {
    if (draws.chance(over.faultSchedule().outage)) start();
    time.at(time.now() + 30 * minute, turn);
  };
  return {
    begin: turn,
    /** A day begins, which is shorter than the time between two turns. */
    dawn: (): void => {
      if (draws.chance(dawnShare * over.faultSchedule().outage))
        time.at(time.now() + draws.between(0, 10 * minute), start);
    },
    isOut: (name: WorkerName): boolean => outages.some((one) => one.name === name && time.now() < one.untilMs),
    /** Whether any worker was out of order between two moments. */
    wasAny: (fromMs: number, untilMs: number): boolean =>
      outages.some((one) => one.fromMs <= untilMs && fromMs < one.untilMs),
    heal: (): void => {
      for (const one of outages) one.untilMs = Math.min(one.untilMs, time.now());
    },
  };
}
