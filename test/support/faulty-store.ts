import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';

/**
 * What becomes of a call to the table. `before`: it never got there (throttled, a conflict that outlasted the retries,
 * the process died). `after`: it was carried out and its answer was lost.
 */
export type Fault = 'none' | 'before' | 'after';

/** A table that fails as DynamoDB can. `interleave` holds a call back until a scheduler lets it go. */
export function faultyStore(
  store: Store,
  options: {
    readonly nextFault: () => Fault;
    readonly interleave?: <A extends unknown[], R>(call: (...given: A) => Promise<R>) => (...given: A) => Promise<R>;
    /** Called after each write that changed something. */
    readonly onWritten?: () => void;
  },
): Store {
  const { nextFault, interleave, onWritten } = options;
  const failing = <A extends unknown[], R>(call: (...given: A) => Promise<R>, writes: boolean) => {
    const run = async (...given: A): Promise<R> => {
      const fault = nextFault();
      if (fault === 'before') throw new StoreUnavailable('The call never reached the table.');
      const result = await call(...given);
      if (writes) onWritten?.();
      if (fault === 'after') throw new StoreUnavailable('The answer was lost.');
      return result;
    };
    return interleave ? interleave(run) : run;
  };
  return {
    read: failing((keys) => store.read(keys), false),
    query: failing((query) => store.query(query), false),
    write: failing((writes, token) => store.write(writes, token), true),
    writeOne: failing((write) => store.writeOne(write), true),
  };
}
