import { setTimeout as sleep } from 'node:timers/promises';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { journey2 } from '#test/acceptance/samples.ts';
import type { Benched } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf, percentile } from '../figures.ts';
import type { LightReceiver } from '../light-receiver.ts';
import { startLightReceiver } from '../light-receiver.ts';
import { loadWith, until } from '../load.ts';

const endpoints = 50;
const hanging = 5;
/** Events a second, evenly over all endpoints that answer. */
const aSecond = 15;

/** How long the notifications of 45 endpoints take while five others never answer, beside the same while they do. */
export async function measureHanging(run: BenchRun, benched: Benched): Promise<Figure[]> {
  const receiver = await startLightReceiver((body) => /"id":"([0-9a-f-]{36})"/u.exec(body)?.[1]);
  run.atEnd(receiver.stop);
  const seconds = run.choose({ full: 6, quick: 3, smoke: 1 });
  const paths = Array.from({ length: endpoints }, (_, place) => `/endpoint-${place}`);
  const [stuck, healthy] = [paths.slice(0, hanging), paths.slice(hanging)];
  const normal: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    run.tell(`50 endpoints, round ${round + 1}`);
    receiver.hang([]);
    const before = await given(benched, receiver, healthy, seconds * aSecond);
    normal.push(percentile(await waitsOf(benched, receiver, before, seconds), 0.99));
    run.tell(`50 endpoints of which 5 hang, round ${round + 1}`);
    const others = await given(benched, receiver, healthy, seconds * aSecond);
    const toStuck = await given(benched, receiver, stuck, seconds * 2 * hanging);
    receiver.hang(stuck);
    const rejected = toStuck.map(async (id, place) => {
      await sleep((place / toStuck.length) * seconds * 1000);
      await reject(benched, id);
    });
    const waits = waitsOf(benched, receiver, others, seconds);
    beside.push(percentile(await waits, 0.99));
    await Promise.all(rejected);
  }
  return [
    figureOf(beside, {
      what: 'p99 of 45 endpoints beside 5 that hang',
      unit: 'ms',
      against: { what: 'none hangs', rounds: normal },
      target: { of: 'ratio', atMost: 2 },
    }),
  ];
}

/** Subscriptions whose rejection is told to these paths in turn. */
async function given(
  { partner, accountId }: Benched,
  { url }: LightReceiver,
  paths: readonly string[],
  count: number,
): Promise<readonly string[]> {
  const made: string[] = [];
  const create = async (place: number): Promise<void> => {
    const webhookUrl = `${url}${paths[place % paths.length] ?? ''}`;
    made.push((await partner.call(CreateSubscription, { body: journey2(accountId, { webhookUrl }) })).body.id);
  };
  await loadWith(create, { connections: 10, durationMs: Infinity, atMost: count });
  return made;
}

async function reject({ partner }: Benched, id: string): Promise<void> {
  await partner.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } });
}

/** From the answer of each move to its arrival, milliseconds, the moves evenly over that many seconds. */
async function waitsOf(
  benched: Benched,
  { arrivedWith }: LightReceiver,
  ids: readonly string[],
  seconds: number,
): Promise<readonly number[]> {
  const waits = ids.map(async (id, place) => {
    await sleep((place / ids.length) * seconds * 1000);
    await reject(benched, id);
    const answered = performance.now();
    await until('A notification', () => arrivedWith.has(id), 60_000);
    return (arrivedWith.get(id) ?? Number.NaN) - answered;
  });
  return Promise.all(waits);
}
