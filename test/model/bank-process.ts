import { faultyStore } from '../support/faulty-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Draws } from './bank-books.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What goes wrong on the side of the service, by chance of a call. */
export type Trouble = {
  /** The process dies, before or after a call. */
  readonly crash: number;
  /** The table fails, before or after it carried a call out. */
  readonly store: number;
};
export const calm: Trouble = { crash: 0, store: 0 };

export type ServiceProcess<Ports> = { readonly store: Store; readonly bank: Ports; readonly died: Promise<'DIED'> };

/**
 * A process of the service: a request, a run of a worker, a callback. Each of its calls to table and bank takes its
 * time, and at each it may die: from then on no call of it is made or comes back.
 *
 * @param bankOver The bank as a process has it that reaches the table by this store; calls that it wraps are mortal.
 */
export function serviceProcess<Ports>(
  { store, bankOver }: { readonly store: Store; readonly bankOver: (store: Store, mortal: Wrap) => Ports },
  over: {
    readonly time: VirtualTime;
    readonly draws: Draws;
    readonly trouble: () => Trouble;
    readonly counted: () => void;
  },
): ServiceProcess<Ports> {
  const { time, draws, trouble, counted } = over;
  const { promise: died, resolve: die } = Promise.withResolvers<'DIED'>();
  let isDead = false;
  const hang = () => new Promise<never>(() => undefined);
  const mayDie = (): Promise<never> | undefined => {
    if (!isDead && draws.chance(trouble().crash)) {
      isDead = true;
      die('DIED');
    }
    return isDead ? hang() : undefined;
  };
  const mortal =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await mayDie();
      const result = await call(...given);
      await mayDie();
      return result;
    };
  const mortalStore = faultyStore(store, {
    nextFault: () => (draws.chance(trouble().store) ? draws.one(['before', 'after'] as const) : 'none'),
    interleave: (call) =>
      mortal(async (...given) => {
        counted();
        await time.sleep(draws.between(1, 15));
        if (isDead) return hang();
        return call(...given);
      }),
  });
  return { store: mortalStore, bank: bankOver(mortalStore, mortal), died };
}

export type Wrap = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => (...given: A) => Promise<R>;

/** The same ports with every call wrapped. */
export function everyCall<Ports>(ports: Ports, wrap: Wrap): Ports {
  return wrapped(ports, wrap) as Ports;
}

function wrapped(value: unknown, wrap: Wrap): unknown {
  if (typeof value === 'function') return wrap(value as (...given: unknown[]) => Promise<unknown>);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wrapped(inner, wrap)]));
}
