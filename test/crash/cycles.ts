import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { drawsOf } from '#test/model/bank-books.ts';
import { chances } from '#test/model/virtual-time.ts';
import type { Checked } from './checks/all.ts';
import { checkCycle, checkQuiet } from './checks/all.ts';
import { deliveriesIn, readItems } from './checks/table.ts';
import type { Environment, Kill } from './environment.ts';
import { openEnvironment } from './environment.ts';
import type { Found, Journal } from './journal.ts';
import { openJournal } from './journal.ts';
import { startReceivers } from './receivers.ts';
import { repeatKeys } from './repetition.ts';
import type { Traffic } from './traffic.ts';
import { startTraffic } from './traffic.ts';

type CrashOptions = {
  /** Of the data of the environment. */
  readonly folder: string;
  readonly cycles: number;
  /** Draws the requests, the instants and what is killed. Time is real: no two runs are the same. */
  readonly seed: number;
  /** No cycle begins later than this. */
  readonly minutes: number;
  /** Every so many cycles everything becomes quiet and is looked at, as at the end. */
  readonly quietEvery: number;
  readonly print: (line: string) => void;
};

export type CrashReport = {
  readonly cycles: number;
  readonly kills: Readonly<Record<Kill, number>>;
  readonly requests: Readonly<Traffic['count']>;
  /** Keys that were used again after a death. */
  readonly repeated: number;
  readonly resources: number;
  readonly deliveries: readonly Delivery[];
  /** What the receivers got. */
  readonly calls: number;
  readonly restartSeconds: readonly number[];
  readonly found: readonly Found[];
};

const companiesCount = 3;
/** A death comes once so many requests were answered since the last one, and at any instant after that. */
const answersBefore = 40;
const killedWithinMs = 2500;
const longestTrafficMs = 60_000;
/** What was answered is read after the first deaths, then after every fourth: what reads has to start first. */
const firstChecked = 3;
const checkedEvery = 4;
/** How often a company gets another secret in a cycle. */
const rotates = 0.1;

/** The local environment under the simulated world's partners, killed at random instants and read from outside. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const { folder, cycles, seed, minutes, quietEvery, print } = options;
  const draws = drawsOf(chances(seed));
  // Of their own, so that the same seed dies in the same ways: how many others are drawn, time decides.
  const deaths = drawsOf(chances(seed + 1_000_000));
  const journal = openJournal();
  const kills = { process: 0, group: 0 };
  const restartSeconds: number[] = [];
  await using undo = new AsyncDisposableStack();
  const environment = await openEnvironment(folder, draws, companiesCount);
  undo.defer(() => environment.stop());
  const { companies, operator } = environment;
  const receivers = await startReceivers(companies);
  undo.defer(() => receivers.stop());
  const traffic = startTraffic({ draws, journal, partners: environment.partners, endpointsOf: receivers.addressesOf });
  undo.defer(traffic.abandon);
  const { known, count } = traffic;
  const checked: Checked = {
    folder,
    partners: environment.readers,
    operator,
    known,
    receivers,
    journal,
    seen: new Map(),
  };
  const endsAt = Date.now() + minutes * 60_000;
  let repeated = 0;
  while (journal.cycle() < cycles && Date.now() < endsAt && journal.found.length === 0) {
    const cycle = journal.begin();
    const { killed, answered, seconds } = await die(environment, traffic, deaths, journal);
    kills[killed] += 1;
    restartSeconds.push(seconds);
    const again = await repeatKeys(traffic, companies, draws, journal);
    repeated += again;
    if (cycle <= firstChecked || cycle % checkedEvery === 0) await checkCycle(checked, draws);
    if (cycle % quietEvery === 0 && cycle < cycles) await checkQuiet(checked, false);
    print(
      `cycle ${cycle}: killed the ${killed} after ${answered} responses, ready in ${seconds.toFixed(1)} s, repeated ${again} keys`,
    );
  }
  if (journal.found.length === 0) {
    await traffic.end();
    await checkQuiet(checked, true);
  }
  const deliveries: Delivery[] = [];
  for (const id of companies) deliveries.push(...deliveriesIn(await readItems(operator(), id)).deliveries);
  return {
    ...{ cycles: journal.cycle(), kills, requests: count, repeated, deliveries, restartSeconds, found: journal.found },
    resources: checked.seen.size,
    calls: companies.reduce((sum, id) => sum + receivers.callsOf(id).length, 0),
  };
}

/** Traffic, a death at a random instant, and another start: nothing is under way then but the service's own work. */
async function die(
  { companies, kill, restart }: Environment,
  traffic: Traffic,
  draws: Draws,
  journal: Journal,
): Promise<{ readonly killed: Kill; readonly answered: number; readonly seconds: number }> {
  const { count } = traffic;
  const before = count.answered;
  const endsAt = Date.now() + longestTrafficMs;
  traffic.flow();
  for (const place of companies.keys()) if (draws.chance(rotates)) traffic.rotate(place);
  while (count.answered < before + answersBefore && Date.now() < endsAt) await sleep(10);
  await sleep(draws.between(0, killedWithinMs));
  const killed = draws.one<Kill>(['process', 'group']);
  journal.note(`kill -9 of the ${killed}`);
  traffic.breakOff();
  const answered = count.answered - before;
  await kill(killed);
  const seconds = await restart();
  journal.note('ready again');
  await traffic.halt();
  return { killed, answered, seconds };
}
