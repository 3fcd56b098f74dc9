import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Actor, Actors } from './actors.ts';

/** Workers by which what waits in a backlog goes on; the sweep, where one of the others has failed. */
const movers = new Set<string>(['relay-deliveries', 'drain-backlogs']);
const backlogWorkers = new Set<string>([...movers, 'sweep-deliveries']);

/** When one of the workers that carry backlogs died last, failed, or met anything that goes wrong. */
export function troublesOf(time: VirtualTime, actors: Actors) {
  let lastMs = -Infinity;
  return {
    /** An invocation ended; without a result it died, failed or could not begin. */
    ended: (name: string, result: { readonly actor: Actor } | undefined): void => {
      if (!backlogWorkers.has(name)) return;
      // A drain whose lease was written, and the answer lost, ends well: the sweep asks for the next one.
      if (result === undefined || (movers.has(name) && !result.actor.isUntouched)) lastMs = time.now();
    },
    lastMs: (): number => {
      const still = [...actors.living].filter(({ name, stoodStillMs }) => backlogWorkers.has(name) && stoodStillMs > 0);
      return Math.max(lastMs, ...still.map(({ stillUntilMs }) => stillUntilMs));
    },
  };
}
