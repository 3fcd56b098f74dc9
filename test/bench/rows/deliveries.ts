import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { brl, payout } from '#test/acceptance/samples.ts';
import type { Benched } from '../benched-environment.ts';
import { startBenched } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median, percentile, tidy } from '../figures.ts';
import type { Posting } from '../floor/signed-posts.ts';
import type { LightReceiver } from '../light-receiver.ts';
import { startLightReceiver } from '../light-receiver.ts';
import { loadWith, until } from '../load.ts';
import { peers } from '../peers.ts';
import type { Computing } from './computing.ts';
import { countComputing, measureParts, tellComputing } from './computing.ts';
import { measureHanging } from './hanging.ts';

const connections = 10;
const withinMs = 120_000;
const threads = { main: 'main', notifier: 'DeliverNotif', tool: 'ForceOrder', relay: 'RelayDeliv' } as const;
/** Of a second, on the machine for which the targets were set. */
const postsThere = peers.find(({ name }) => name === 'Signed POSTs alone')?.perSecond ?? Number.NaN;
const signedPosts = 'signed POSTs alone';

/** Row 2: from the move to the partner. */
export async function measureDeliveries(run: BenchRun): Promise<readonly Figure[]> {
  const benched = await startBenched(run);
  // A body begins with the order that it tells of, or with the event around it.
  const receiver = await startLightReceiver((body) => /"(?:id|orderId)":"([0-9a-f-]{36})"/u.exec(body)?.[1]);
  run.atEnd(receiver.stop);
  const events = [{ type: 'PAYOUT' as const, endpoint: `${receiver.url}/payouts` }];
  await benched.partner.call(ReplaceWebhookSettings, { body: { events } });
  const waits = await firstBytes(run, benched, receiver);
  const count = run.choose({ full: 2000, quick: 200, smoke: 10 });
  const together = await endToEnd(run, benched, receiver, count);
  const hanging = run.scale === 'smoke' ? [] : await measureHanging(run, benched);
  const further = await openPayouts(benched, count / 2);
  const parts = await measureParts(run, benched, { one: 'an event', threads, measured: together.computing }, () =>
    payAll(benched, receiver, further),
  );
  return [...endToEndFigures(together, count, waits), ...hanging, ...parts];
}

/** Payouts whose end is not told yet. */
async function openPayouts({ partner, accountId }: Benched, count: number): Promise<readonly string[]> {
  const made: string[] = [];
  const create = async (): Promise<void> => {
    made.push((await partner.call(CreatePayout, { body: payout(accountId, { amount: brl('0.01') }) })).body.id);
  };
  await loadWith(create, { connections: 20, durationMs: Infinity, atMost: count });
  return made;
}

async function pay({ partner }: Benched, id: string): Promise<void> {
  const { status, text } = await partner.answer(ForceOrderStatus, { body: { id, status: 'PAID' } });
  if (status !== 200) throw new Error(`A payout did not become paid: ${status} ${text}`);
}

/** All of them by as many connections as are measured, until the last is told. */
async function payAll(benched: Benched, { arrivedWith }: LightReceiver, ids: readonly string[]): Promise<void> {
  const limits = { connections, durationMs: Infinity, atMost: ids.length };
  await loadWith((place) => pay(benched, ids[place] ?? ''), limits);
  await until('The notifications', () => ids.every((id) => arrivedWith.has(id)), withinMs);
}

type Waits = { readonly middle: readonly number[]; readonly slowest: readonly number[] };

/** How long after the answer of the move its notification arrives, while nothing else happens. */
async function firstBytes(run: BenchRun, benched: Benched, receiver: LightReceiver): Promise<Waits> {
  const rounds: number[] = [];
  const slowest: number[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    run.tell(`first bytes, round ${round + 1}`);
    const waits: number[] = [];
    for (const id of await openPayouts(benched, run.choose({ full: 100, quick: 30, smoke: 3 }))) {
      await pay(benched, id);
      const answered = performance.now();
      await until('A notification', () => receiver.arrivedWith.has(id), withinMs);
      waits.push((receiver.arrivedWith.get(id) ?? Number.NaN) - answered);
      // Whatever polls has fallen asleep again.
      await sleep(30);
    }
    rounds.push(percentile(waits, 0.5));
    slowest.push(percentile(waits, 0.99));
  }
  return { middle: rounds, slowest };
}

async function endToEnd(run: BenchRun, benched: Benched, receiver: LightReceiver, count: number) {
  const rates: { readonly all: number; readonly first: number; readonly last: number }[] = [];
  const least: number[] = [];
  const computing: Computing<keyof typeof threads>[] = [];
  for (let round = 0; round < Math.min(run.rounds, 2); round += 1) {
    run.tell(`${count} payouts to be paid, round ${round + 1}`);
    const open = await openPayouts(benched, count);
    run.tell(`${count} deliveries, round ${round + 1}`);
    const computed = countComputing(benched, threads);
    const started = performance.now();
    const from = receiver.arrivals.length;
    await payAll(benched, receiver, open);
    const arrivals = receiver.arrivals.slice(from, from + count);
    rates.push({ all: rateOf(count, started, arrivals.at(-1)), ...quarters(arrivals) });
    computing.push(computed(count));
    least.push(await postsAlone(run, receiver, 5 * count));
  }
  return { rates, least, computing };
}

function endToEndFigures(
  { rates, least, computing }: Awaited<ReturnType<typeof endToEnd>>,
  count: number,
  waits: Waits,
): Figure[] {
  const posts = median(least);
  const shown = computing.map(tellComputing).at(-1) ?? '';
  return [
    figureOf(waits.middle, {
      what: 'first byte after the answer, idle, p50',
      unit: 'ms',
      target: { of: 'median', atMost: 10 },
      byFloor: timeByPosts(median(waits.middle), 10, posts),
      beside: `p99 ${tidy(median(waits.slowest))} ms`,
    }),
    figureOf(
      rates.map(({ all }) => all),
      {
        what: `${count} events, from the first move to the last arrival`,
        unit: 'deliveries/s',
        against: { what: signedPosts, rounds: least },
        target: { of: 'median', atLeast: 250 },
        byFloor: {
          value: tidy(median(rates.map(({ all }) => all)) / posts),
          target: tidy(250 / postsThere),
          of: 'POSTs',
        },
        beside: `the moves included, by ${connections} connections; computing of an event: ${shown}`,
      },
    ),
    figureOf(
      rates.map(({ last }) => last),
      {
        what: 'the last quarter of them',
        unit: 'arrivals/s',
        against: { what: 'the second quarter', rounds: rates.map(({ first }) => first) },
        target: { of: 'ratio', atLeast: 0.8 },
      },
    ),
    figureOf(
      computing.map(({ notifier }) => notifier),
      {
        what: "notifier's own computing",
        unit: 'ms a delivery',
        target: { of: 'median', atMost: 2 },
        byFloor: timeByPosts(median(computing.map(({ notifier }) => notifier)), 2, posts),
      },
    ),
  ];
}

/** How many signed POSTs alone take that time, here and on the machine of the target. */
function timeByPosts(ms: number, target: number, posts: number): Figure['byFloor'] {
  return { value: tidy((ms * posts) / 1000), target: tidy((target * postsThere) / 1000), of: "POSTs' time" };
}

function rateOf(count: number, started: number, ended = Number.NaN): number {
  return count / ((ended - started) / 1000);
}

/** Arrivals a second in the second and in the last quarter: the first waits for functions to start. */
function quarters(arrivals: readonly number[]): { readonly first: number; readonly last: number } {
  const quarter = Math.floor(arrivals.length / 4);
  const rate = (from: number): number => rateOf(quarter, arrivals[from] ?? Number.NaN, arrivals[from + quarter]);
  return { first: rate(quarter - 1), last: rate(arrivals.length - quarter - 1) };
}

async function postsAlone(run: BenchRun, receiver: LightReceiver, count: number): Promise<number> {
  run.tell('signed POSTs alone');
  const poster = fork(fileURLToPath(import.meta.resolve('../floor/signed-posts.ts')));
  poster.send({ url: `${receiver.url}/floor`, count, connections: 50 } satisfies Posting);
  const [perSecond] = (await once(poster, 'message')) as [number];
  poster.disconnect();
  return perSecond;
}
