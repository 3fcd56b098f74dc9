import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Actor, Actors } from './actors.ts';

/** Workers by which what waits in a backlog goes on. */
const carriers = new Set<string>(['relay-deliveries', 'drain-backlogs', 'sweep-deliveries']);

/** When one of the workers that carry backlogs died last, failed, or stood still. */
export function troublesOf(time: VirtualTime, actors: Actors) {
  let lastMs = -Infinity;
  return {
    /** An invocation ended; without a result it died, failed or could not begin. */
    ended: (name: string, result: { readonly actor: Actor } | undefined): void => {
      if (carriers.has(name) && (result === undefined || result.actor.stoodStillMs > 0)) lastMs = time.now();
    },
    lastMs: (): number => {
      const still = [...actors.living].filter(({ name, stoodStillMs }) => carriers.has(name) && stoodStillMs > 0);
      return Math.max(lastMs, ...still.map(({ stillUntilMs }) => stillUntilMs));
    },
  };
}
