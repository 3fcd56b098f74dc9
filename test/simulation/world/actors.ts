import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';

/** What goes wrong between the service and what it stands on, by chance of a call, from 0 to 1. */
export type Weather = {
  /** An invocation dies, before or after a call. */
  readonly crash: number;
  /** The table or a queue does not take a call, or its answer is lost. */
  readonly unavailable: number;
  /** An index does not show yet what was written in the last seconds. */
  readonly indexLag: number;
  /** A partner loses the answer of a request. */
  readonly lostAnswer: number;
  /** The scheduler misses a run, runs twice, or is late. */
  readonly schedule: number;
  /** A queue's copy comes twice, a throttled invocation burns a receive. */
  readonly queue: number;
  /** A process stands still at a call, with all that it does. */
  readonly standstill: number;
  /** A worker is out of order from some half-hour on. */
  readonly outage: number;
};

/** One invocation of a function: it lives until it ends, dies or runs out of time. */
export type Actor = {
  readonly name: string;
  /** Of an endpoint: whose request it is. */
  readonly companyId: string | undefined;
  /** When it began. */
  readonly atMs: number;
  isOver: boolean;
  /** Nothing went wrong in it so far. */
  isUntouched: boolean;
  /** Its process stands still until then; and so long in all. */
  stillUntilMs: number;
  stoodStillMs: number;
  /** It has called a partner, and has not recorded yet how that ended. */
  hasCalled: boolean;
  /** It is a request that has just committed, and has done nothing after that. */
  hasCommitted: boolean;
  /** Calls that it made of the table, and their units, for what an operation costs. */
  readonly calls: { reads: number; writes: number };
  readonly units: { reads: number; writes: number };
  readonly die: () => void;
};

/** What a call of an actor may meet. A call that fails lost its way before the effect, or its answer after it. */
type CallKind = {
  readonly name: string;
  readonly canFail?: boolean;
  /** One of so many calls that are made at once: a process dies or stands still in all of them as rarely as in one. */
  readonly atOnce?: number;
};

export type Actors = ReturnType<typeof actorsOf>;

const maxLatencyMs = 30;
/** A call of the table with its retries, where it hangs. */
const slowestMs = 6500;
/** How long a process stands still: less than a claim of a delivery, more than one, more than the lease of a drain. */
export const standstillsMs = [8_000, 25_000, 130_000] as const;
/** So much likelier it stands still between a call of a partner and its record: for that there are claims. */
const afterCall = 20;
/** So much likelier a request dies between its commit and its next call: for that there is due work. */
const afterCommit = 5;
/** It may have ended while its call was under way. */
const hasEnded = ({ isOver }: Actor): boolean => isOver;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Invocations and their calls. The code of the service knows nothing of them: each call finds its invocation. */
export function actorsOf(
  time: VirtualTime,
  draws: Draws,
  faultSchedule: () => Weather,
  listeners: { readonly died: (actor: Actor, where: string) => void; readonly met: (occurrence: string) => void },
) {
  const storage = new AsyncLocalStorage<Actor>();
  const living = new Set<Actor>();

  /** Runs an invocation. Undefined when it died or threw nothing that ended; what it throws is thrown on. */
  const invoke = <T>(
    { name, timeoutMs, companyId }: { name: string; timeoutMs: number; companyId?: string | undefined },
    work: (actor: Actor) => Promise<T>,
  ): Promise<{ readonly ended: T; readonly actor: Actor } | { readonly error: unknown } | undefined> =>
    new Promise((resolve) => {
      const actor: Actor = {
        ...{
          name,
          companyId,
          atMs: time.now(),
          isOver: false,
          isUntouched: true,
          stillUntilMs: 0,
          stoodStillMs: 0,
          hasCalled: false,
          hasCommitted: false,
          calls: { reads: 0, writes: 0 },
        },
        units: { reads: 0, writes: 0 },
        die: () => {
          if (actor.isOver) return;
          end();
          resolve(undefined);
        },
      };
      const end = (): void => {
        actor.isOver = true;
        living.delete(actor);
        cancel();
      };
      const cancel = time.at(time.now() + timeoutMs, () => {
        listeners.died(actor, 'at its timeout');
        actor.die();
      });
      living.add(actor);
      storage
        .run(actor, () => Promise.try(work, actor))
        .then(
          (value) => {
            if (actor.isOver) return;
            end();
            resolve({ ended: value, actor });
          },
          (error: unknown) => {
            if (actor.isOver) return;
            end();
            resolve({ error });
          },
        );
    });

  /** A call of the current invocation: it takes its time, and the invocation may not return from it. */
  const step = async <T>({ name, canFail = false, atOnce = 1 }: CallKind, effect: () => T | Promise<T>): Promise<T> => {
    const actor = storage.getStore();
    if (actor === undefined) return effect();
    // A busy table, whose retries take seconds.
    if (canFail && draws.chance(faultSchedule().unavailable)) await time.sleep(draws.between(1000, slowestMs));
    await travel(actor, `before ${name}`, atOnce);
    actor.hasCommitted = false;
    if (canFail && draws.chance(faultSchedule().unavailable)) return fail(actor, `refused ${name}`);
    const result = await effect();
    actor.hasCommitted = name === 'write' && actor.companyId !== undefined;
    await travel(actor, `after ${name}`, atOnce);
    if (canFail && draws.chance(faultSchedule().unavailable)) return fail(actor, `lost response of ${name}`);
    return result;
  };
  const fail = (actor: Actor, description: string): never => {
    actor.isUntouched = false;
    listeners.met(`fault ${actor.name}: ${description}`);
    throw new StoreUnavailable(description);
  };
  const standStill = (actor: Actor, where: string): void => {
    const lastsMs = draws.one(standstillsMs);
    actor.stillUntilMs = time.now() + lastsMs;
    actor.stoodStillMs += lastsMs;
    actor.isUntouched = false;
    listeners.met(`fault ${actor.name}: paused ${where}`);
  };
  const travel = async (actor: Actor, where: string, atOnce: number): Promise<void> => {
    if (hasEnded(actor)) return never();
    const standstill = (faultSchedule().standstill * (actor.hasCalled ? afterCall : 1)) / atOnce;
    if (draws.chance(standstill)) standStill(actor, where);
    actor.hasCalled = false;
    do await time.sleep(Math.max(draws.between(1, maxLatencyMs), actor.stillUntilMs - time.now()));
    while (actor.stillUntilMs > time.now());
    if (hasEnded(actor)) return never();
    if (!draws.chance((faultSchedule().crash * (actor.hasCommitted ? afterCommit : 1)) / atOnce)) return;
    listeners.met(`fault ${actor.name}: died ${where}`);
    listeners.died(actor, where);
    actor.die();
    return never();
  };

  return { invoke, step, living, present: () => storage.getStore() };
}
