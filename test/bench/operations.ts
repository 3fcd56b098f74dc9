import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { endpointFunction, workers } from '#functions/workers.ts';
import { startEngine } from '#test/support/engine.ts';
import type { Capacity } from '#test/table/measured-capacity.ts';
import { measureCapacity } from '#test/table/measured-capacity.ts';
import type { Table } from './page.ts';
import { median } from './page.ts';

/** What one run of an operation took: units, sequential database calls, and CPU of the function in milliseconds. */
type Operation = Capacity & { readonly sequential: number; readonly cpuMs: number };
/** A database call that succeeded: its place among all beginnings and ends. */
type Call = { readonly began: number; readonly ended: number };

/**
 * List prices in us-east-1 of 2026-11-25 (docs/price.md), US dollars a million; of a log line a byte is a million
 * bytes.
 */
const price = {
  request: 3.5,
  invocation: 0.2,
  gigabyteSecond: 13.3334,
  writeUnit: 0.625,
  readUnit: 0.125,
  queueRequest: 0.5,
  logByte: 0.5 / 1000,
} as const;

/** What a local run cannot measure. */
const assumed = {
  /** An invocation writes so much. */
  logBytes: 2000,
  /** A message is sent, received and deleted. */
  queueRequests: 3,
  /** A database call, in place of that of the embedded engine. */
  databaseMs: 6,
  /** A function has one core at this memory, and less in proportion. */
  memoryOfACoreMb: 1769,
  partnerMs: 300,
} as const;

/** Operations of the table of dollars, by their names in docs/capacity.md. */
const priced = [
  'Create payout',
  'Force payout to PAID',
  'Get payout',
  'Create batch of 90',
  'Create pay-in',
  'Force pay-in to PAID',
  'Request refund',
  'Create subscription, journey 2',
  'Create subscription, journey 3',
  'Force subscription status',
  'Schedule a payment',
  'Force scheduled payment to COMPLETED',
  'Create PIX key',
  'Get balance',
  'Statement, 20 entries of 33',
  'List deliveries, a page that is the last',
  'One attempt of a delivery',
];
/** Operations of a resource's whole life, until its notification is delivered. */
const journeys: Readonly<Record<string, readonly string[]>> = {
  'A payout, paid and delivered': ['Create payout', 'Force payout to PAID', 'One attempt of a delivery'],
  'A pay-in, paid and delivered': ['Create pay-in', 'Force pay-in to PAID', 'One attempt of a delivery'],
};

/** Runs every operation of docs/capacity.md `rounds` times, each time on a table of its own. CPU is the median. */
export async function measureOperations(rounds: number): Promise<readonly Operation[]> {
  const runs: (readonly Operation[])[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await measureOnce());
  // The first round meets code that is not compiled yet.
  const [first = [], ...others] = runs;
  const warm = rounds > 1 ? others : [first];
  return first.map((one, place) => ({ ...one, cpuMs: median(warm.map((run) => run[place]?.cpuMs ?? Number.NaN)) }));
}

async function measureOnce(): Promise<readonly Operation[]> {
  await using ends = new AsyncDisposableStack();
  const engine = await startEngine('bench');
  ends.defer(engine.stop);
  let calls: Call[] = [];
  let tick = 0;
  const client = {
    send: async (command: never): Promise<unknown> => {
      const began = (tick += 1);
      const response: unknown = await engine.client.send(command);
      // A refused write is repeated: the tests' clock stands still, and a balance takes one entry at a time.
      calls.push({ began, ended: (tick += 1) });
      return response;
    },
  } as unknown as DynamoDBDocumentClient;
  const spent: { readonly sequential: number; readonly cpuMs: number }[] = [];
  const capacities = await measureCapacity({ ...engine, client }, async (run) => {
    calls = [];
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    spent.push({ sequential: longestChain(calls), cpuMs: (user + system) / 1000 });
  });
  return capacities.flatMap((capacity, place) => {
    const one = spent[place];
    return one === undefined ? [] : [{ ...capacity, ...one }];
  });
}

/** The most calls of which each begins after the one before has ended. */
export function longestChain(calls: readonly Call[]): number {
  const chains: number[] = [];
  const inOrder = calls.toSorted((one, other) => one.began - other.began);
  for (const { began } of inOrder) {
    const before = chains.filter((_, place) => (inOrder[place]?.ended ?? Infinity) < began);
    chains.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...chains);
}

/** Table 1: units of an operation, and dollars of a million of it. */
export function unitsTable(operations: readonly Operation[]): Table {
  const row = (name: string, names: readonly string[]): readonly (string | number)[] => {
    const parts = names.map((one) => operations.find((operation) => operation.name === one));
    if (parts.includes(undefined)) throw new Error(`docs/capacity.md has no operation "${names.join('", "')}".`);
    const sum = (measure: (one: Operation) => number): number =>
      parts.reduce((all, one) => all + (one ? measure(one) : 0), 0);
    return [name, sum((one) => one.readUnits), sum((one) => one.writeUnits), sum(dollarsOfAMillion).toFixed(2)];
  };
  return [
    ['Operation', 'Read units', 'Write units', 'USD a million'],
    ...priced.map((name) => row(name, [name])),
    ...Object.entries(journeys).map(([name, names]) => row(name, names)),
  ];
}

function dollarsOfAMillion({ name, sequential, cpuMs, readUnits, writeUnits }: Operation): number {
  const isDelivery = name === 'One attempt of a delivery';
  const { memoryMb } = isDelivery ? workers['deliver-notification'] : endpointFunction;
  const waitMs = sequential * assumed.databaseMs + (isDelivery ? assumed.partnerMs : 0);
  const billedMs = Math.ceil(cpuMs * Math.max(1, assumed.memoryOfACoreMb / memoryMb) + waitMs);
  return (
    (isDelivery ? assumed.queueRequests * price.queueRequest : price.request) +
    price.invocation +
    (memoryMb / 1024) * (billedMs / 1000) * price.gigabyteSecond +
    readUnits * price.readUnit +
    writeUnits * price.writeUnit +
    assumed.logBytes * price.logByte
  );
}

/** Operations of docs/capacity.md that no request starts, or that repeat another one. */
const notRequests =
  /^(?:\(|One attempt|The (?:next|same|bank)|Work a|Run |Send (?:its|that) code|Simulated bank|A minute|Cancel it|.*another|.*the \d+th)/u;

/** Table 2: operations of endpoints by their sequential database calls; of one call or two how many there are. */
export function callsTable(operations: readonly Operation[]): Table {
  const requests = operations.filter(({ name }) => !notRequests.test(name));
  const byCalls = Map.groupBy(requests, ({ sequential }) => sequential);
  return [
    ['Calls', 'Operations'],
    ...[...byCalls]
      .toSorted(([one], [other]) => one - other)
      .map(([calls, some]) => {
        const names = [...new Set(some.map(({ name }) => name))];
        return [calls, calls > 2 ? names.join(', ') : `${String(names.length)} operations`];
      }),
  ];
}
