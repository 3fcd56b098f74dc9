import type { Item, Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often things go wrong, from 0 to 1. */
export type Faults = { readonly crash: number; readonly unavailable: number; readonly indexLag: number };

/** One invocation of a function: it lives until it ends, crashes or runs out of time. Its calls go through `step`. */
type Actor = {
  readonly step: <T>(effect: () => T | Promise<T>, canFail?: boolean) => Promise<T>;
  readonly sleep: (ms: number) => Promise<void>;
};

export type ActorWorld = {
  readonly time: VirtualTime;
  readonly chance: () => number;
  readonly faults: () => Faults;
  /** Ends all living actors together. */
  readonly living: Set<() => void>;
};

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const maxLatencyMs = 40;

/**
 * Runs an invocation. Before and after the effect of every call it may die: then nothing of it happens any more, and
 * its result is undefined. The database's calls may also fail or lose their answer.
 */
export function invoke<T>(
  { time, chance, faults, living }: ActorWorld,
  timeoutMs: number,
  work: (actor: Actor) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve) => {
    const run = { isOver: false };
    const die = (): void => {
      run.isOver = true;
      living.delete(die);
      resolve(undefined);
    };
    living.add(die);
    /** Waits for what a call takes, and may not come back from it. */
    const travel = async (): Promise<void> => {
      await pause(chance() * maxLatencyMs);
      if (chance() >= faults().crash) return;
      die();
      await never();
    };
    const pause = async (ms: number): Promise<void> => {
      await time.sleep(ms);
      if (run.isOver) await never();
    };
    const step: Actor['step'] = async (effect, canFail = false) => {
      await travel();
      if (canFail && chance() < faults().unavailable) throw new StoreUnavailable('The call was not taken.');
      const result = await effect();
      await travel();
      if (canFail && chance() < faults().unavailable) throw new StoreUnavailable('The answer was lost.');
      return result;
    };
    time.at(time.now() + timeoutMs, die);
    work({ step, sleep: pause }).then(
      (value) => {
        if (!run.isOver) resolve({ value });
        die();
      },
      () => {
        die();
      },
    );
  });
}

/** The table as an actor meets it: late, sometimes out of reach, and with indexes that may not show yet what is new. */
export function storeOf(
  actor: Actor,
  table: Store & { readonly isNew: (item: Item) => boolean },
  { chance, faults }: ActorWorld,
): Store {
  return {
    read: (keys) => actor.step(() => table.read(keys), true),
    write: (writes, token) => actor.step(() => table.write(writes, token), true),
    writeOne: (write) => actor.step(() => table.writeOne(write), true),
    query: async (query) => {
      const page = await actor.step(() => table.query(query), true);
      if (query.index === undefined) return page;
      return { ...page, items: page.items.filter((item) => !table.isNew(item) || chance() >= faults().indexLag) };
    },
  };
}
