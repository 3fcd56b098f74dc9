import { workers } from '#functions/workers.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { arrivals, chances, virtualTime } from '#test/model/virtual-time.ts';
import { aws } from './aws.ts';
import type { Consumer, Layout, Payout } from './layout.ts';
import { needsOf, usualHoldMs, waits } from './layout.ts';
import { createBucket, createLambda, createQueue, createTable } from './parts.ts';
import { createWriter } from './transactions.ts';

/** `rate` payouts a second for so many seconds, evenly of so many companies with one account each. */
export type Load = { readonly rate: number; readonly companies: number; readonly seconds: number };

/** Seconds from a request in which its notification is on time. A play goes on for so many seconds after its load. */
const onTimeSeconds = 10;

/** Milliseconds of a wait: those that it always takes, and more by an exponential distribution. */
export function drawMs(random: () => number, { least, more }: (typeof waits)[keyof typeof waits]): number {
  return least - Math.log(1 - random()) * more;
}

/** A payout of one of so many companies, by its number, which takes the shards of its account in turn. */
export function payoutOf(number: number, companies: number, shards = 1, at = 0): Payout {
  const company = `${number % companies}`;
  return { id: `${number}`, company, account: company, shard: Math.floor(number / companies) % shards, at };
}

/** What the payouts of a play share. */
function createWorld(layout: Layout, seed: number) {
  const [time, random] = [virtualTime(), chances(seed)];
  const takes = createTable({ warm: layout.writeUnits, most: layout.writeUnits });
  const lambda = createLambda(time.now);
  const { write, counts: met } = createWriter({ time, random }, usualHoldMs, (needs) => takes(time.now(), needs));
  /** `waiting`: arrived, neither refused nor notified; of them `leftToLists` without a callback. */
  const counts = Object.assign(met, { arrived: 0, waiting: 0, notified: 0, onTime: 0, leftToLists: 0 });
  const pause = (kind: keyof typeof waits): Promise<void> => time.sleep(drawMs(random, waits[kind]));
  const buckets = new Map<string, (now: number) => boolean>();
  /** Whether a limit of requests admits one more. It admits no burst: a lasting load has used it up. */
  const admits = (name: string, rate: number): boolean => {
    const bucket = buckets.get(name) ?? createBucket({ rate, burst: rate }, rate / 10);
    buckets.set(name, bucket);
    return bucket(time.now());
  };
  /** Books a step of a payout: one transaction, which holds the shard of the payout. */
  const book = (step: 'create' | 'PAID', payout: Payout, shedAfterMs?: number) => {
    const { PK: item } = keys.balance(payout.company, payout.account, payout.shard);
    return write(needsOf(payout, step), item, shedAfterMs);
  };
  type Work = (payout: Payout) => Promise<boolean>;
  /** The queue of a worker. A message that failed is hidden for the visibility timeout. */
  const queue = (name: 'apply-callbacks' | 'deliver-notification', consumer: Consumer, work: Work) => {
    const hiddenMs = 6 * workers[name].timeoutSeconds * 1000;
    const begin = (receive: () => Promise<void>) => lambda.begin(name, receive);
    return createQueue({ time, consumer, hiddenMs, groupOf: ({ company }: Payout) => company, work, begin });
  };
  return { layout, time, random, lambda, write, counts, pause, admits, book, queue };
}

/** The way of a created payout: callback of its bank, settlement, notification. Returns what begins it. */
function createWayOut(world: ReturnType<typeof createWorld>): (payout: Payout) => void {
  const { layout, time, lambda, write, counts, pause, admits, book, queue } = world;
  const notify = queue('deliver-notification', layout.notifier, async (payout) => {
    await pause('database');
    await pause('partner');
    if ((await write(needsOf(payout, 'deliver'))) !== undefined) return false;
    counts.waiting -= 1;
    counts.notified += 1;
    if (time.now() - payout.at <= onTimeSeconds * 1000) counts.onTime += 1;
    return true;
  });
  const settle = queue('apply-callbacks', layout.readers, async (payout) => {
    await pause('bank');
    await pause('database');
    if ((await book('PAID', payout)) !== undefined) return false;
    void pause('stream').then(notify.bind(undefined, payout));
    return true;
  });
  return (payout) => {
    const isAdmitted =
      admits('callbacks', layout.throttling.callbacks.rate) &&
      admits('AWS account', aws.gatewayRequests.is) &&
      admits(`callbacks of ${payout.company}`, layout.callbacksAMinute / 60);
    const begun = isAdmitted ? lambda.begin('receive-callbacks', () => pause('database')) : undefined;
    // Polls and lists settle it later.
    if (begun === undefined) counts.leftToLists += 1;
    else void begun.then(settle.bind(undefined, payout));
  };
}

/** Plays a load. Every payout that arrived is refused, or notified, or waits for something at the end. */
export async function play({ rate, companies, seconds }: Load, layout: Layout, seed = 7) {
  const world = createWorld(layout, seed);
  const { time, lambda, counts, pause, admits, book } = world;
  const wayOut = createWayOut(world);
  const refused = new Map<string, number>();
  const requestMs: number[] = [];
  const refuse = (cause: string): void => {
    counts.waiting -= 1;
    refused.set(cause, (refused.get(cause) ?? 0) + 1);
  };
  const create = async (payout: Payout): Promise<void> => {
    await pause('database');
    const refusal = await book('create', payout, layout.shedAfterMs);
    if (refusal === undefined) {
      await pause('bank');
      void pause('settlement').then(wayOut.bind(undefined, payout));
    } else refuse(time.now() - payout.at > aws.gatewaySeconds.is * 1000 ? 'TIME OF THE GATEWAY' : refusal);
    requestMs.push(time.now() - payout.at);
  };
  arrivals(world, { rate, seconds }, (number) => {
    const shard = Math.floor(world.random() * layout.shards);
    const payout = { ...payoutOf(number, companies, 1, time.now()), shard };
    counts.arrived += 1;
    counts.waiting += 1;
    if (!admits(payout.company, layout.throttling.company.rate)) refuse('RATE OF A COMPANY');
    else if (!admits('API', layout.throttling.api.rate)) refuse('RATE OF ALL');
    else if (!admits('AWS account', aws.gatewayRequests.is)) refuse('RATE OF THE AWS ACCOUNT');
    else if (lambda.begin('createPayout', () => create(payout)) === undefined) refuse('EXECUTIONS');
  });
  await time.run((seconds + onTimeSeconds) * 1000);
  return { ...counts, refused, requestMs, executions: lambda.most() };
}
