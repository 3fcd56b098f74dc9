import { lateAfterSeconds } from '#functions/workers.ts';
import { windowSeconds } from '#shared/bank-events/list-readings.ts';
import { maxShards } from '#shared/platform/ledger/balance.ts';
import { quantile } from '#test/bench/page.ts';
import { arrivals, chances, virtualTime } from '#test/model/virtual-time.ts';
import { aws } from './aws.ts';
import type { Consumer, Layout, Place } from './layout.ts';
import { jobCalls, needsOf, pageItems, usualHoldMs, waits } from './layout.ts';
import { createOnDemand, createQueue, createTable } from './parts.ts';
import { drawMs, payoutOf } from './play.ts';
import { createWriter } from './transactions.ts';

/** Plays the balance of one account without other limits. A payout is two transactions, its settlement apart. */
export async function playBalance({ shards, shedAfterMs }: Layout, rate: number, seconds: number, holdMs: number) {
  const [time, random] = [virtualTime(), chances(7)];
  const { write, counts } = createWriter({ time, random }, holdMs, () => undefined);
  const tookMs: number[] = [];
  let [refused, busyMs] = [0, 0];
  const isDone = async (shard: string, shed?: number): Promise<boolean> => {
    const began = time.now();
    const refusal = await write([], shard, shed);
    busyMs += time.now() - began;
    if (refusal === undefined) tookMs.push(time.now() - began);
    else refused += 1;
    return refusal === undefined;
  };
  const payOut = async (): Promise<void> => {
    const shard = `${Math.floor(random() * shards)}`;
    if (!(await isDone(shard, shedAfterMs))) return;
    await time.sleep(waits.settlement.least);
    await isDone(shard);
  };
  arrivals({ time, random }, { rate, seconds }, () => void payOut());
  await time.run((seconds + 30) * 1000);
  const refusedShare = refused / (refused + tookMs.length);
  // The mean of concurrent transactions, and the conflicts in five minutes.
  const [inFlight, conflicts] = [busyMs / 1000 / seconds, (counts.conflicts / seconds) * 300];
  return { refusedShare, p50: quantile(tookMs, 0.5), p99: quantile(tookMs, 0.99), inFlight, conflicts };
}

/** Payouts a second of one account without a refusal, of whose transactions 99 % take a second at most. */
async function balanceCeiling(layout: Layout): Promise<number> {
  let [clean, above] = [5, 500];
  while (above / clean > 1.05) {
    const rate = Math.sqrt(clean * above);
    const { refusedShare, p99 } = await playBalance(layout, rate, 20, usualHoldMs);
    if (refusedShare === 0 && p99 <= 1000) clean = rate;
    else above = rate;
  }
  return clean;
}

/** Payouts a second, evenly of all companies, until the hottest partition of a place has no units left. */
function partitionCeilings(companies: number, shards: number): Readonly<Record<Place, number>> {
  const payouts = Math.max(companies, 128 * maxShards);
  const units: Record<Place, Map<string, number>> = { table: new Map(), GSI2: new Map(), GSI3: new Map() };
  for (let number = 0; number < payouts; number += 1)
    for (const { of, key, units: more } of needsOf(payoutOf(number, companies, shards)))
      units[of].set(key, (units[of].get(key) ?? 0) + more);
  const ceiling = (of: Place) => (aws.partitionWriteUnits.is * payouts) / Math.max(...units[of].values());
  return { table: ceiling('table'), GSI2: ceiling('GSI2'), GSI3: ceiling('GSI3') };
}

/**
 * Payments a second of all companies, or of one, whose windows are read before the alarm rings. The slices of a window
 * are read concurrently, page after page: one call of the bank and one of the database each.
 */
function listCeiling({ dueJobs }: Layout, seconds: number): number {
  const pageMs = waits.database.least + waits.bank.least + waits.bank.more;
  const payments = (dueJobs.batch * dueJobs.concurrency * pageItems * 1000) / pageMs;
  return (payments * lateAfterSeconds.BANK_LIST) / seconds;
}

/** Messages a second that a consumer takes from a full queue. */
async function consumerCeiling(
  consumer: Consumer,
  messageMs: (random: () => number) => number,
  companies = 100,
): Promise<number> {
  const [time, random] = [virtualTime(), chances(7)];
  const messages = 20 * consumer.batch * consumer.concurrency;
  let done = 0;
  const work = async (): Promise<boolean> => {
    await time.sleep(messageMs(random));
    done += 1;
    return true;
  };
  const groupOf = (number: number): string => `${number % companies}`;
  const send = createQueue({ time, consumer, hiddenMs: 0, groupOf, work, begin: (receive) => receive() });
  for (let number = 0; number < messages; number += 1) send(number);
  await time.run(Infinity, () => done === messages);
  return (messages / time.now()) * 1000;
}

/** Due jobs of one family a second, when each of so many companies has more than can be done. */
export async function dueCeiling({ dueJobs }: Layout, companies: number, job: keyof typeof jobCalls): Promise<number> {
  const { bank, database } = jobCalls[job];
  const jobMs = (random: () => number) => bank * drawMs(random, waits.bank) + database * waits.database.least;
  return consumerCeiling(dueJobs, jobMs, companies);
}

/** Units of the table that a payout takes. */
const ofTable = needsOf(payoutOf(0, 1)).filter(({ of }) => of === 'table');
const unitsOfPayout = ofTable.reduce((sum, { units }) => sum + units, 0);

/** Minutes until a new table has the units of so many payouts a second. */
export function minutesToGrow({ writeUnits: most }: Layout, rate: number): number {
  const takes = createOnDemand({ warm: aws.newTableWriteUnits.is, most });
  const isGrown = (minute: number): boolean =>
    Array.from({ length: rate }, () => takes(minute * 60_000, unitsOfPayout)).every(Boolean);
  return Array.from({ length: 24 * 60 }, (_, minute) => minute).find(isGrown) ?? Infinity;
}

/** Share of 1 000 companies whose settlements lack units while one more writes 1 500 due jobs a second. */
export function burstShare(layout: Layout): number {
  const [companies, jobs, seconds] = [1000, 1500, 10];
  const takes = createTable({ warm: layout.writeUnits, most: layout.writeUnits });
  const hit = new Set<string>();
  for (let number = 0; number < seconds * jobs; number += 1) {
    const now = (number / jobs) * 1000;
    takes(now, needsOf({ ...payoutOf(number, 1), company: 'burst' }, 'deliver'));
    const payout = payoutOf(number, companies);
    if (takes(now, needsOf(payout, 'PAID')) === 'GSI3' && now > (seconds * 1000) / 2) hit.add(payout.company);
  }
  return hit.size / companies;
}

/** A limit in payouts a second, and what happens above it. */
export type Ceiling = readonly [part: string, rate: number, above: string];

/** What limits the payouts of so many companies with one account each. */
export async function ceilingsOf(layout: Layout, companies: number): Promise<readonly Ceiling[]> {
  const { table, GSI2, GSI3 } = partitionCeilings(companies, layout.shards);
  const { throttling, callbacksAMinute, readers, notifier, relay, writeUnits } = layout;
  const bookMs = waits.database.least + usualHoldMs;
  const readersRate = await consumerCeiling(readers, (random) => drawMs(random, waits.bank) + bookMs);
  const notifierRate = await consumerCeiling(notifier, (random) => drawMs(random, waits.partner) + bookMs);
  const deliveryMs = bookMs + waits.partner.least + waits.partner.more;
  // A table that is new has the fewest shards. A relay takes a batch as long as records take to come.
  const shards = aws.newTableWriteUnits.is / aws.partitionWriteUnits.is;
  const relayed = (shards * relay.concurrency * relay.batch * 1000) / waits.stream.least;
  const executions = layout.executions - readers.concurrency - notifier.concurrency;
  return [
    // The hourly reading of the same hour has its slices in the same queue.
    [
      'daily lists',
      listCeiling(layout, windowSeconds.DAILY + windowSeconds.HOURLY),
      'balances are compared late, lost callbacks are found late',
    ],
    ['hourly lists', listCeiling(layout, windowSeconds.HOURLY), 'lost callbacks are found late'],
    ['balance', companies * (await balanceCeiling(layout)), 'requests of the account get 429 after a second'],
    ['company’s requests', companies * throttling.company.rate, '429'],
    ['account’s partition', table, 'requests of the account wait for half a second, then 503'],
    ['new table', aws.newTableWriteUnits.is / unitsOfPayout, '503 to all, until it has grown'],
    ['company’s callbacks', (companies * callbacksAMinute) / 60, '429 to its bank: polls and lists settle late'],
    ['all callbacks', throttling.callbacks.rate, '429 to all banks: polls and lists settle late'],
    ['callback readers', readersRate, 'settlements of all are late'],
    ['notifier', notifierRate, 'notifications of all are late'],
    ['company’s share', (companies * layout.companyShare * 1000) / deliveryMs, 'the rest waits for its drain'],
    ['stream relay', relayed, 'notifications of all are late'],
    ['due index', GSI3, 'writes of all companies in the partition wait, then 503'],
    ['company’s list', GSI2, 'its writes wait, then 503'],
    ['all requests', throttling.api.rate, '429 to all'],
    ['table', writeUnits / unitsOfPayout, '503 to all'],
    ['company’s settings', (companies * aws.partitionReadUnits.is) / 2, 'its notifications are late'],
    ['executions', (executions * 1000) / (bookMs + waits.bank.least + waits.bank.more), 'errors to all'],
    ['AWS account’s requests', aws.gatewayRequests.is / 2, '429 to all, and to all banks'],
  ];
}
