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
import { figureOf, percentile } from '../figures.ts';
import type { Posting } from '../floor/signed-posts.ts';
import type { LightReceiver } from '../light-receiver.ts';
import { startLightReceiver } from '../light-receiver.ts';
import { loadWith, until } from '../load.ts';
import { threadName, threadsOf } from '../processes.ts';
import { measureHanging } from './hanging.ts';

const connections = 10;
const withinMs = 120_000;

/** Row 2: from the move to the partner. */
export async function measureDeliveries(run: BenchRun): Promise<readonly Figure[]> {
  const benched = await startBenched(run);
  // A body begins with the order that it tells of, or with the event around it.
  const receiver = await startLightReceiver((body) => /"(?:id|orderId)":"([0-9a-f-]{36})"/u.exec(body)?.[1]);
  run.atEnd(receiver.stop);
  const events = [{ type: 'PAYOUT' as const, endpoint: `${receiver.url}/payouts` }];
  await benched.partner.call(ReplaceWebhookSettings, { body: { events } });
  return [
    await firstBytes(run, benched, receiver),
    ...(await endToEnd(run, benched, receiver)),
    ...(run.scale === 'smoke' ? [] : await measureHanging(run, benched)),
  ];
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

/** How long after the answer of the move its notification arrives, while nothing else happens. */
async function firstBytes(run: BenchRun, benched: Benched, receiver: LightReceiver): Promise<Figure> {
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
  return figureOf(rounds, {
    what: 'first byte after the answer, idle, p50',
    unit: 'ms',
    target: { of: 'median', atMost: 10 },
    beside: `p99 ${figureOf(slowest, { what: '', unit: '' }).median} ms`,
  });
}

async function endToEnd(run: BenchRun, benched: Benched, receiver: LightReceiver): Promise<Figure[]> {
  const count = run.choose({ full: 2000, quick: 200, smoke: 10 });
  const rates: { readonly all: number; readonly first: number; readonly last: number }[] = [];
  const least: number[] = [];
  const notifier: number[] = [];
  const shares: string[] = [];
  for (let round = 0; round < Math.min(run.rounds, 2); round += 1) {
    run.tell(`${count} payouts to be paid, round ${round + 1}`);
    const open = await openPayouts(benched, count);
    run.tell(`${count} deliveries, round ${round + 1}`);
    const before = threadsOf(benched.processId);
    const engineBefore = benched.used().engine;
    const started = performance.now();
    const from = receiver.arrivals.length;
    await loadWith((place) => pay(benched, open[place] ?? ''), { connections, durationMs: Infinity, atMost: count });
    await until('The notifications', () => open.every((id) => receiver.arrivedWith.has(id)), withinMs);
    const arrivals = receiver.arrivals.slice(from, from + count);
    rates.push({ all: rateOf(count, started, arrivals.at(-1)), ...quarters(arrivals) });
    const threads = usedByThread(benched, before, count);
    notifier.push(threads.notifier);
    shares.push(`${threads.told}, engine ${((benched.used().engine - engineBefore) / count).toFixed(1)} ms`);
    least.push(await postsAlone(run, receiver, 5 * count));
  }
  return [
    figureOf(
      rates.map(({ all }) => all),
      {
        what: `${count} events, from the first move to the last arrival`,
        unit: 'deliveries/s',
        against: { what: 'signed POSTs alone', rounds: least },
        target: { of: 'median', atLeast: 250 },
        beside: `the moves included, by ${connections} connections; computing of an event: ${shares.at(-1) ?? ''}`,
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
    figureOf(notifier, {
      what: "notifier's own computing",
      unit: 'ms a delivery',
      target: { of: 'median', atMost: 2 },
    }),
  ];
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

/** Computing of the environment's threads since `before`, by an event, milliseconds. */
function usedByThread({ processId }: Benched, before: ReadonlyMap<number, number>, count: number) {
  const spent = [...threadsOf(processId)].map(([thread, ms]) => {
    const name = thread === processId ? 'main' : threadName(processId, thread);
    return { name, ms: (ms - (before.get(thread) ?? 0)) / count };
  });
  const of = (name: string): number =>
    spent.filter((one) => one.name.startsWith(name)).reduce((sum, { ms }) => sum + ms, 0);
  const shown = { main: of('main'), notifier: of('DeliverNotif'), relay: of('RelayDeliv'), tool: of('ForceOrder') };
  return {
    notifier: shown.notifier,
    told: Object.entries(shown)
      .map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`)
      .join(', '),
  };
}

async function postsAlone(run: BenchRun, receiver: LightReceiver, count: number): Promise<number> {
  run.tell('signed POSTs alone');
  const poster = fork(fileURLToPath(import.meta.resolve('../floor/signed-posts.ts')));
  poster.send({ url: `${receiver.url}/floor`, count, connections: 50 } satisfies Posting);
  const [perSecond] = (await once(poster, 'message')) as [number];
  poster.disconnect();
  return perSecond;
}
