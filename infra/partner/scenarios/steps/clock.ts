import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Step, Day, Context } from '../context.ts';
import { dateOf } from '../context.ts';

/** Advances the company's clock to an hour of a day in Brasilia, and runs the due jobs. */
export function advanceTo(day: Day, time: string): Step {
  return async (context) => {
    const date = dateOf(context, day);
    await advance(context, { now: instantAt(date, time) });
    context.reporter.fact('the clock says', `${date} ${time}`);
  };
}

/** Advances the company's clock by seconds. */
export function wait(advanceSeconds: number): Step {
  return async (context) => {
    await advance(context, { advanceSeconds });
    context.reporter.fact('the clock went on', `${advanceSeconds} s`);
  };
}

async function advance({ partner }: Context, body: { now: Instant } | { advanceSeconds: number }): Promise<void> {
  let { remaining } = (await partner.call(SetClock, { body })).body;
  while (remaining > 0) ({ remaining } = (await partner.call(SetClock, { body: { advanceSeconds: 0 } })).body);
}
