import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Actors } from './actors.ts';
import type { banksOf } from './banks.ts';
import type { holdersOf, namesOf } from './outside.ts';
import type { queuesOf } from './queues.ts';
import type { Receivers } from './receivers.ts';
import type { rightsJudge } from './rights.ts';
import type { tableOf } from './table.ts';

/* The one simulated world of this process: the fakes of the machine find its parts here. */

type Surroundings = {
  readonly time: VirtualTime;
  readonly actors: Actors;
  readonly rights: ReturnType<typeof rightsJudge>;
  readonly table: Pick<ReturnType<typeof tableOf>, 'store'>;
  readonly queues: ReturnType<typeof queuesOf>;
  readonly names: ReturnType<typeof namesOf>;
  readonly holders: ReturnType<typeof holdersOf>;
  readonly receivers: Receivers;
  readonly banks: ReturnType<typeof banksOf>;
};

let currentWorld: Surroundings | undefined;

export function world(): Surroundings {
  if (currentWorld === undefined) throw new Error('The simulated world is not set up yet.');
  return currentWorld;
}

export function setWorld(created: Surroundings): void {
  currentWorld = created;
}
