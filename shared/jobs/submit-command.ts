import { readPayInWithRefunds } from '../refunds/store.ts';
import { readSubscription } from '../subscriptions/store.ts';
import type { Bank } from '../bank/bank.ts';
import type { SubmittedCommand } from '../platform/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { submitCancellation } from '../subscriptions/submit-cancellation.ts';
import { submitRefund } from '../refunds/submit.ts';

export type CommandContext = TransitionContext & { readonly bank: Pick<Bank, 'refunds' | 'recurrences'> };

/**
 * THE list of commands that are finished alike: how each is submitted again, by the id that it is due under.
 */
export const submitCommand = {
  REFUND_SUBMISSION: async (context: CommandContext, id: string): Promise<SubmittedCommand> => {
    const order = await readPayInWithRefunds(context.store, context.companyId, id);
    return order === undefined ? 'NOTHING_TO_DO' : submitRefund(context, order, { again: true });
  },
  RECURRENCE_CANCELLATION: async (context: CommandContext, id: string): Promise<SubmittedCommand> => {
    const current = await readSubscription(context.store, context.companyId, id, 'LATEST');
    return current === undefined ? 'NOTHING_TO_DO' : submitCancellation(context, current, { again: true });
  },
} as const;
export type CommandKind = keyof typeof submitCommand;
