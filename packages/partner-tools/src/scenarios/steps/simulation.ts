import type * as z from 'zod';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { turnClock } from '#partner-tools/api/clock.ts';
import { readResponse } from '#partner-tools/api/responses.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { Context, Day, Step } from '../context.ts';
import { dateOf, resourceOf } from '../context.ts';

/** These simulation tools act as the bank. */
type Tool = typeof ForceOrderStatus | typeof ForceScheduledPaymentStatus | typeof ForceSubscriptionStatus;
type Status<T extends Tool = Tool> = z.input<T['body']>['status'];

/** Has the bank change the status of a resource; of a batch, that of every open payment. */
export function bankMoves(name: string, status: Status): Step {
  return async (context) => {
    const { kind, id } = resourceOf(context, name);
    if (kind === 'key' || kind === 'credit' || kind === 'dispute')
      throw new ToolFailure(
        `The bank cannot change the status of the ${kind} ${name}.`,
        'The scenario itself is wrong.',
      );
    await forceStatus(context, tools[kind], id, status);
  };
}

/**
 * Has the payer read the QR code of a journey 3 subscription, which pays the first charge and authorizes the recurrence
 * in one step.
 */
export function payerAccepts(name: string): Step {
  return async (context) => {
    const { partner, reporter } = context;
    const { id } = resourceOf(context, name);
    const body = { id, status: 'ACCEPTED', withFirstCharge: true } as const;
    reporter.say((await partner.call(ForceSubscriptionStatus, { body })).body.description);
  };
}

const tools = {
  subscription: ForceSubscriptionStatus,
  payment: ForceScheduledPaymentStatus,
  payIn: ForceOrderStatus,
  payout: ForceOrderStatus,
} as const;

export async function forceStatus(
  { partner, reporter }: Context,
  tool: Tool,
  id: string,
  status: Status,
): Promise<void> {
  const received = await partner.answer(tool, { body: { id, status } });
  reporter.say(readResponse(tool, received, 'OPEN').body.description);
}

/** Advances the company's clock to an hour of a day in Brasilia, and runs the due jobs. */
export function advanceTo(day: Day, time: string): Step {
  return async (context) => {
    const date = dateOf(context, day);
    await turnClock(context.partner, { now: instantAt(date, time) });
    context.reporter.fact('clock', `${date} ${time}`);
  };
}

/** Advances the company's clock by seconds. */
export function wait(advanceSeconds: number): Step {
  return async (context) => {
    await turnClock(context.partner, { advanceSeconds });
    context.reporter.fact('clock advanced by', `${advanceSeconds} s`);
  };
}
