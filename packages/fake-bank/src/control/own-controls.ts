import * as z from 'zod';
import type { openCallbacks } from '../callbacks/callbacks.ts';
import type { Faults } from '../faults.ts';
import { FaultRequest } from '../faults.ts';
import { conflict } from '../refusal.ts';
import { millisecondsOf, readInstant } from '../time.ts';
import type { Controls } from './control-server.ts';

type Watched = { readonly faults: Faults; readonly callbacks: ReturnType<typeof openCallbacks> };

/** Returns the controls of the bank on this machine itself, which every bank has: of faults and of callbacks. */
export function ownControls({ faults, callbacks }: Watched): Controls {
  return {
    /** Injects a fault. */
    fault: (body) => {
      faults.add(FaultRequest.parse(body));
      return faults.list();
    },
    'clear-faults': () => {
      faults.clear();
      return faults.list();
    },
    /** Sets the policy of callbacks from now on; an empty object sets the bank's own. */
    callbacks: (body) => {
      const policy = callbacks.parsePolicy(body);
      callbacks.setPolicy(policy);
      return { ...policy, waiting: callbacks.waiting() };
    },
    /** Sends all waiting callbacks immediately. */
    hurry: () => {
      callbacks.hurry();
      return { waiting: callbacks.waiting() };
    },
  };
}

const ClockMove = z.union([
  z.strictObject({ now: z.string() }),
  z.strictObject({ advanceSeconds: z.number() }),
  z.strictObject({}),
]);

/**
 * Returns how far a clock is ahead of the machine's after a move, in milliseconds.
 *
 * @param machineMs Clock of the machine, epoch milliseconds.
 * @throws Refusal 409 for a time that is not of RFC 3339.
 */
export function movedClock(body: unknown, aheadMs: number, machineMs: number): number {
  const asked = ClockMove.parse(body);
  if (!('now' in asked)) return aheadMs + ('advanceSeconds' in asked ? asked.advanceSeconds * 1000 : 0);
  const at = readInstant(asked.now);
  if (at === undefined) throw conflict(`${asked.now} is not a time of RFC 3339.`);
  return millisecondsOf(at) - machineMs;
}
