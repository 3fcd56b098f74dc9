import type { Rate } from '#infra/settings.ts';
import { shardOf } from '#shared/platform/jobs/due-kinds.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { aws } from './aws.ts';
import type { Consumer, Need, Place } from './layout.ts';

/** Returns the second of a time in milliseconds since the beginning, as all times here. */
const secondOf = (now: number): number => Math.floor(now / 1000);

/** Throttling by tokens: `rate` a second, at most `burst` kept. @param tokens those of the beginning */
export function createBucket({ rate, burst }: Rate, tokens: number): (now: number) => boolean {
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1000);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Units a second that a table or index begins with, and at most gets. */
type Units = { readonly warm: number; readonly most: number };

/** Units of an on-demand table or index: twice the peak of half an hour ago, within `warm` and `most`. */
export function createOnDemand({ warm, most }: Units): (now: number, units: number) => boolean {
  let [second, used] = [0, 0];
  const peaks: { readonly second: number; readonly units: number }[] = [];
  return (now, units) => {
    if (secondOf(now) !== second) {
      if (used > (peaks.at(-1)?.units ?? 0)) peaks.push({ second, units: used });
      [second, used] = [secondOf(now), 0];
    }
    const before = peaks.findLast((peak) => peak.second <= second - aws.peakMinutes.is * 60)?.units ?? 0;
    if (used + units > Math.min(most, Math.max(warm, aws.peakFactor.is * before))) return false;
    // Negative units come back from a write that failed elsewhere.
    used += units;
    return true;
  };
}

/** A partition in one second: its units, its keys, and whether it had none left for one of them. */
type Used = { second: number; units: number; keys: Set<string>; isHot: boolean };
type Partition = Used & { hotSeconds: number; halves?: readonly [Partition, Partition] };

/** AWS says "sustained" and no time. Here a partition is split soon, so that a short play shows what remains hot. */
const splitAfterSeconds = 3;

function createPartition(splits: number): Partition {
  const partition: Partition = { second: 0, units: 0, keys: new Set(), isHot: false, hotSeconds: 0 };
  if (splits > 0) partition.halves = [createPartition(splits - 1), createPartition(splits - 1)];
  return partition;
}

/** The partition that has a key now. Split for heat does not help a single key: its items are in the order of time. */
function partitionOf(root: Partition, key: string, now: number): Partition {
  const hash = shardOf(key, 2 ** 32);
  let at = root;
  for (let bit = 0; at.halves !== undefined; bit += 1) at = at.halves[(hash >>> bit) & 1 ? 1 : 0];
  if (at.second === secondOf(now)) return at;
  const hotSeconds = at.isHot ? at.hotSeconds + 1 : 0;
  if (hotSeconds >= splitAfterSeconds && at.keys.size > 1) at.halves = [createPartition(0), createPartition(0)];
  Object.assign(at, { second: secondOf(now), units: 0, keys: new Set(), isHot: false, hotSeconds });
  return at.halves === undefined ? at : partitionOf(root, key, now);
}

/** A table with its indexes. A write needs units of all of them: an index without units refuses writes of the table. */
export function createTable(units: Units): (now: number, needs: readonly Need[]) => Place | undefined {
  const splits = Math.max(0, Math.ceil(Math.log2(units.warm / aws.partitionWriteUnits.is)));
  const create = () => ({ takes: createOnDemand(units), root: createPartition(splits) });
  const all: Readonly<Record<Place, ReturnType<typeof create>>> = { table: create(), GSI2: create(), GSI3: create() };
  /** Takes all units or none. Returns the place that lacks some. */
  return (now, needs) => {
    const taken: (() => void)[] = [];
    for (const { of, key, units: wanted } of needs) {
      const partition = partitionOf(all[of].root, key, now);
      partition.keys.add(key);
      const isHot = partition.units + wanted > aws.partitionWriteUnits.is;
      if (isHot) partition.isHot = true;
      if (isHot || !all[of].takes(now, wanted)) {
        for (const giveBack of taken) giveBack();
        return of;
      }
      partition.units += wanted;
      taken.push(() => {
        partition.units -= wanted;
        all[of].takes(now, -wanted);
      });
    }
    return undefined;
  };
}

/** The executions of an account's functions. */
export function createLambda(now: () => number) {
  const functions = new Map<string, { running: number; ready: number; readonly begins: (now: number) => boolean }>();
  const [rate, burst] = [aws.newExecutionsIn10Seconds.is / 10, aws.newExecutionsIn10Seconds.is];
  let [running, most] = [0, 0];
  return {
    /** Begins an execution. Undefined above the limit of the account, or of a function's new environments. */
    begin: (name: string, work: () => Promise<void>): Promise<void> | undefined => {
      const called = functions.get(name) ?? { running: 0, ready: 0, begins: createBucket({ rate, burst }, burst) };
      functions.set(name, called);
      if (running >= aws.executions.is || (called.running >= called.ready && !called.begins(now()))) return undefined;
      called.running += 1;
      called.ready = Math.max(called.ready, called.running);
      running += 1;
      most = Math.max(most, running);
      return work().finally(() => {
        called.running -= 1;
        running -= 1;
      });
    },
    /** Maximum of concurrent executions so far. */
    most: (): number => most,
  };
}

type QueueOptions<T> = {
  readonly time: VirtualTime;
  readonly consumer: Consumer;
  /** Milliseconds until a message that failed is received again; until then it is in flight. */
  readonly hiddenMs: number;
  readonly groupOf: (message: T) => string;
  /** Does the work of a message. False when it failed. */
  readonly work: (message: T) => Promise<boolean>;
  /** Begins an execution of the function that receives messages, as `begin` of the executions. */
  readonly begin: (receive: () => Promise<void>) => Promise<void> | undefined;
};

/** A standard queue with message groups, and the function that receives its messages. Returns what sends one. */
export function createQueue<T>(options: QueueOptions<T>): (message: T) => void {
  const { time, consumer, groupOf } = options;
  const lines = new Map<string, T[]>();
  const flying = new Map<string, number>();
  let [inFlight, receives] = [0, 0];
  const fly = (message: T, more: 1 | -1): void => {
    flying.set(groupOf(message), (flying.get(groupOf(message)) ?? 0) + more);
    inFlight += more;
  };
  const send = (message: T): void => {
    const line = lines.get(groupOf(message));
    if (line === undefined) lines.set(groupOf(message), [message]);
    else line.push(message);
    poll();
  };
  /** Takes the first message of a group that is not noisy, else of any. The group is next after all others. */
  const next = (): T[] => {
    const noisy = Math.max(aws.noisyMessages.is, inFlight * aws.noisyShare.is);
    const isQuiet = (group: string): boolean => (flying.get(group) ?? 0) < noisy;
    const group = lines.keys().find(isQuiet) ?? lines.keys().next().value ?? '';
    const line = lines.get(group) ?? [];
    const taken = line.splice(0, inFlight < aws.inFlight.is ? 1 : 0);
    lines.delete(group);
    if (line.length > 0) lines.set(group, line);
    for (const message of taken) fly(message, 1);
    return taken;
  };
  const handle = async (message: T): Promise<void> => {
    const isDone = await options.work(message);
    const free = (): void => {
      fly(message, -1);
      if (!isDone) send(message);
    };
    if (isDone) free();
    else time.at(time.now() + options.hiddenMs, free);
  };
  const receive = async (): Promise<void> => {
    await Promise.all(Array.from({ length: consumer.batch }).flatMap(next).map(handle));
  };
  const poll = (): void => {
    while (receives < consumer.concurrency && lines.size > 0 && inFlight < aws.inFlight.is) {
      receives += 1;
      // A refused execution is tried again.
      void (options.begin(receive) ?? time.sleep(100)).then(() => {
        receives -= 1;
        poll();
      });
    }
  };
  return send;
}
