import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Step, Day, Context } from '../context.ts';
import { dateOf } from '../context.ts';

/** Turns the company's clock to an hour of a day, in Brasilia, and does what became due on the way. */
export function turnTo(day: Day, time: string): Step {
  return async (context) => {
    const date = dateOf(context, day);
    await turn(context, { now: instantAt(date, time) });
    context.reporter.fact('the clock says', `${date} ${time}`);
  };
}

/** Lets the company's clock go on. */
export function wait(advanceSeconds: number): Step {
  return async (context) => {
    await turn(context, { advanceSeconds });
    context.reporter.fact('the clock went on', `${advanceSeconds} s`);
  };
}

async function turn({ partner }: Context, body: { now: Instant } | { advanceSeconds: number }): Promise<void> {
  let { remaining } = (await partner.call(SetClock, { body })).body;
  while (remaining > 0) ({ remaining } = (await partner.call(SetClock, { body: { advanceSeconds: 0 } })).body);
}
