import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Act, Day, World } from '../context.ts';
import { dateOf } from '../context.ts';

/** Turns the company's clock to an hour of a day, in Brasilia, and does what became due on the way. */
export function turnTo(day: Day, time: string): Act {
  return async (world) => {
    const date = dateOf(world, day);
    await turn(world, { now: instantAt(date, time) });
    world.tell.fact('the clock says', `${date} ${time}`);
  };
}

/** Lets the company's clock go on. */
export function wait(advanceSeconds: number): Act {
  return async (world) => {
    await turn(world, { advanceSeconds });
    world.tell.fact('the clock went on', `${advanceSeconds} s`);
  };
}

async function turn({ partner }: World, body: { now: Instant } | { advanceSeconds: number }): Promise<void> {
  let { remaining } = (await partner.call(SetClock, { body })).body;
  while (remaining > 0) ({ remaining } = (await partner.call(SetClock, { body: { advanceSeconds: 0 } })).body);
}
