import type { Bank } from '#shared/bank/bank.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { notFound } from '#shared/core/errors.ts';
import { formatAmount } from '#shared/core/money.ts';
import { creditReturnTransition } from '#shared/credits/return.ts';
import { decideCreditReturn } from '#shared/credits/states.ts';
import { requireCredit } from '#shared/credits/store.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import type { TransitionContext } from '#shared/platform/commit-transition.ts';
import { moveReturnAtBank } from '#shared/sandbox/bank-tools.ts';
import { returnOutcomeOf, simulatedReturnEvent } from '#shared/sandbox/order-events.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';

type Context = Omit<TransitionContext, 'at'> & {
  readonly now: Clock;
  readonly ispb: string;
  readonly bank: Pick<Bank, 'capabilities'>;
};
type Wanted = { readonly creditId: string; readonly id: string; readonly status: string };

/** Settles or fails the return of a credit, as its bank would. @throws RequestError 409 for any other status */
export async function forceReturn(context: Context, wanted: Wanted): Promise<string> {
  const { store, companyId, now } = context;
  const id = wanted.id.toLowerCase();
  const read = () => requireCredit(store, companyId, wanted.creditId);
  const { credit } = await read();
  const { connection } = credit;
  if ((await requireMovable(context.bank, companyId, connection)) === 'tools' && connection !== undefined)
    return moveReturnAtBank({ store, companyId, connection }, { ...wanted, id });
  const { summary, notifications } = await commitTransition(context, read, (found) => {
    const returned = found.returns.find((candidate) => candidate.id === id);
    if (returned === undefined) throw notFound('Return');
    const outcome = returnOutcomeOf(returned, wanted.status);
    const atNow = { ...context, at: now() };
    const decided = decideCreditReturn(found, returned, simulatedReturnEvent(outcome, atNow), atNow.at);
    const transition = creditReturnTransition(atNow, found, decided);
    const change = `Return ${id} of ${formatAmount(returned.amount)}: status ${returned.status} → ${outcome}`;
    const summary = `${change}; credit ${found.credit.id}: status ${found.credit.status} → ${decided.credit.status}`;
    return { ...transition, result: { summary, notifications: transition.notifications ?? [] } };
  });
  return `${summary}. ${await previewDeliveries(context, notifications)}`;
}
