import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { triggersFrom } from '#shared/core/transition.ts';
import type { Ask, OperationId } from '../operations.ts';

/** The tool that stands for the bank's callbacks about a resource; refunds end by the moves of their pay-in. */
const tools = {
  SUBSCRIPTION: 'forceSubscriptionStatus',
  SCHEDULED_PAYMENT: 'forceScheduledPaymentStatus',
  PAY_IN: 'forceOrderStatus',
  PAYOUT: 'forceOrderStatus',
  REFUND: undefined,
  KEY_VALIDATION: undefined,
} as const satisfies Readonly<Record<Resource, OperationId | undefined>>;

type Move = { readonly trigger: string; readonly asked: Ask };

/** What the bank may do to a resource in its status, as the tables of moves say: each with the request for it. */
export function movesOf(resource: Resource, status: string, id: string): readonly Move[] {
  const operation: OperationId | undefined = tools[resource];
  if (operation === undefined) return [];
  return triggersFrom<TransitionTable>(transitions[resource], status).map((trigger) => ({
    trigger,
    asked: { operation, body: { id, status: trigger } },
  }));
}
