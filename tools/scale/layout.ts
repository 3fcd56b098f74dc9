import { callbacksAtOnce } from '#infra/aws/constructs/bank-callbacks.ts';
import { deliveriesAtOnce, relaying } from '#infra/aws/constructs/delivery-pipeline.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings, Rate } from '#infra/settings.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { jobsAtOnce, maxJobWorkers } from '#shared/platform/jobs/due-kinds.ts';
import { maxShards } from '#shared/platform/ledger/balance.ts';
import { knownWaitsMs } from '#shared/platform/table/contention.ts';
import { duePartitionOf } from '#shared/platform/table/due-keys.ts';
import { keys, listPartition } from '#shared/platform/table/keys.ts';
import type { IndexedList } from '#shared/platform/table/list-kinds.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import { aws } from './aws.ts';

/** Messages of one receive, and concurrent receives. */
export type Consumer = { readonly batch: number; readonly concurrency: number };

/** The settings that decide how much the service carries. */
export type Layout = {
  /** Shards of each account's balance. */
  readonly shards: number;
  /** Milliseconds after which a request that meets conflicts gets 429. Absent: 503 after the waits of the retries. */
  readonly shedAfterMs?: number;
  /** Due jobs of one family. */
  readonly dueJobs: Consumer;
  readonly throttling: Readonly<Record<'api' | 'company' | 'callbacks', Rate>>;
  /** Ids a minute in the callbacks of one company's bank. */
  readonly callbacksAMinute: number;
  readonly readers: Consumer;
  readonly notifier: Consumer;
  /** Concurrent calls of a company that has a burst. */
  readonly companyShare: number;
  /** Records of the table's stream that the relay takes at a time from one shard, and how often concurrently. */
  readonly relay: Consumer;
  /** Concurrent executions of the AWS account. */
  readonly executions: number;
  /** Write units a second of the table, and of each index, that have grown. */
  readonly writeUnits: number;
};

const { prod } = environments;

/** `prod` with the settings by which it takes 1 000 callbacks and 2 000 deliveries a second. */
export const wideSettings: EnvironmentSettings = {
  ...prod,
  functions: { ...prod.functions, reserved: { ...prod.functions.reserved, 'deliver-notification': 250 } },
  deliveries: { ...prod.deliveries, maxConcurrency: 250, companyShare: 120 },
  bankCallbacks: { throttling: { rate: 1_200, burst: 2_400 }, readers: 50, idsAMinute: 90_000 },
};

/** Returns the layout of an environment with these settings. */
function layoutOf({ api, data, deliveries, bankCallbacks, functions }: EnvironmentSettings): Layout {
  const { throttling, idsAMinute, readers } = bankCallbacks;
  return {
    shards: 1,
    shedAfterMs: knownWaitsMs,
    dueJobs: { batch: jobsAtOnce, concurrency: maxJobWorkers },
    throttling: { api: api.throttling, company: api.companyThrottling ?? api.throttling, callbacks: throttling },
    callbacksAMinute: idsAMinute,
    readers: { batch: callbacksAtOnce, concurrency: readers },
    notifier: { batch: deliveriesAtOnce, concurrency: deliveries.maxConcurrency },
    companyShare: deliveries.companyShare,
    relay: { batch: relaying.batchSize, concurrency: relaying.parallelizationFactor },
    executions: functions.executions,
    writeUnits: Math.min(aws.tableWriteUnits.is, data.maxWriteUnits ?? Infinity),
  };
}

const today = layoutOf(prod);

/** What is deployed, the same with accounts that have the most shards, and the same with other settings. */
export const layouts: Readonly<Record<'today' | 'sharded' | 'wide', Layout>> = {
  today,
  sharded: { ...today, shards: maxShards },
  wide: layoutOf(wideSettings),
};

/**
 * Milliseconds of what the service waits for: the least, and the mean of what comes on top. As docs/benchmarks.md
 * assumes, 6 for a call of the database, and 300 for a partner on average, here also for a bank.
 */
export const waits = {
  database: { least: 6, more: 0 },
  bank: { least: 250, more: 50 },
  partner: { least: 150, more: 150 },
  /** The time from the bank's acceptance of a payment to its callback. */
  settlement: { least: 2000, more: 0 },
  /** The time from a commit to the message of its delivery. */
  stream: { least: 200, more: 0 },
} as const;

/** Milliseconds for which a transaction holds its items. */
export const usualHoldMs = 10;
/** Payments on a page of a bank's list. */
export const pageItems = 100;
/** Calls that a due job makes one after the other: of the bank (a lookup and a submission), of the database. */
export const jobCalls = { submission: { bank: 2, database: 10 }, charge: { bank: 1, database: 10 } } as const;

export type Payout = {
  readonly id: string;
  readonly company: string;
  readonly account: string;
  readonly shard: number;
  readonly at: number;
};
type Step = 'create' | 'PAID' | 'deliver';
export type Place = 'table' | 'GSI2' | 'GSI3';
/** Write units of the partition of a key. */
export type Need = { readonly of: Place; readonly key: string; readonly units: number };

type KeyOf = (payout: Payout) => string;
/** An item that a step writes: its kilobytes, its partition, and its entries in indexes, of one unit each. */
type Write = readonly [step: Step, item: string, kilobytes: number, table: KeyOf, GSI2?: KeyOf | 0, GSI3?: KeyOf | 0];

/** A partition that no other payout has. */
const own: KeyOf = ({ id }) => id;
const account: KeyOf = (payout) => keys.balance(payout.company, payout.account, payout.shard).PK;
const list =
  (kind: IndexedList): KeyOf =>
  ({ company }) =>
    listPartition(company, kind);
const due =
  (kind: DueKind): KeyOf =>
  ({ company, id }) =>
    duePartitionOf(company, kind, id);

/** A payout with its notification, item by item, as "In production" of docs/capacity.md. */
const writes: readonly Write[] = [
  ['create', 'IDEMPOTENCY', 1, own],
  ['create', 'UNIQUE', 1, own, list('PAYOUT'), own],
  ['create', 'BALANCE', 1, account],
  ['create', 'LEDGER_ENTRY', 1, account],
  ['create', 'PAYOUT', 2, own, 0, due('PAYOUT_SUBMISSION')],
  ['PAID', 'BALANCE', 1, account],
  ['PAID', 'LEDGER_ENTRY', 1, account],
  ['PAID', 'PAYOUT', 2, own, list(byStatus('PAYOUT', 'PAID')), due('PAYOUT_SUBMISSION')],
  ['PAID', 'DELIVERY', 1, own, 0, due('DELIVERY')],
  ['PAID', 'DELIVERY_BODY', 2, own, list('DELIVERY'), own],
  ['deliver', 'DELIVERY', 1, own],
  ['deliver', 'DELIVERY', 1, own, 0, due('DELIVERY')],
];

/** Units that a step, or all of a payout, takes. A delivery is changed by plain writes, all else by transactions. */
export function needsOf(payout: Payout, step?: Step): readonly Need[] {
  return writes.flatMap(([at, , kilobytes, table, GSI2 = 0, GSI3 = 0]): readonly Need[] => {
    if (step !== undefined && at !== step) return [];
    const factor = at === 'deliver' ? 1 : aws.transactionFactor.is;
    const needs: Need[] = [{ of: 'table', key: table(payout), units: kilobytes * factor }];
    if (GSI2 !== 0) needs.push({ of: 'GSI2', key: GSI2(payout), units: 1 });
    if (GSI3 !== 0) needs.push({ of: 'GSI3', key: GSI3(payout), units: 1 });
    return needs;
  });
}
