import { childSequence } from '../../../shared/domain/identifiers.ts';
import { decidePayout } from '../../../shared/domain/payout.ts';
import { forbiddenByState } from '../../../shared/domain/refusal.ts';
import type { BankContext } from '../../../shared/operations/submit-payout.ts';
import { movePayout } from '../../../shared/operations/move-payout.ts';
import { openReferences } from '../../../shared/operations/submit-payout.ts';
import type { PayoutOrder } from '../../../shared/persistence/orders.ts';

/**
 * Moves a payout as the bank would: a payout, every open payment of a batch, or by its id one payment. What is to be
 * canceled is called back from the bank first. Undefined when another change came in between.
 * @throws Refusal when section 3 does not allow the move, or the bank can no longer stop the payment.
 */
export async function forcePayout(
  context: BankContext,
  order: PayoutOrder,
  { id, status: trigger }: { readonly id: string; readonly status: string },
): Promise<string | undefined> {
  const sequence = childSequence(id);
  const wanted = { trigger, ...(sequence !== undefined && { sequences: [sequence] }) };
  if (trigger === 'CANCELED') await callBack(context, order, sequence);
  const { committed, moved } = await movePayout(context, order, wanted);
  if (!committed.ok) return undefined;
  const { status } = moved.after.payout;
  const change = `Payout ${order.payout.id}: status ${order.payout.status} → ${status}`;
  const payments = moved.moved.map((payment) => payment.sequence).join(', ');
  return payments === '' ? `${change}.` : `${change}; payments ${payments}: PENDING → ${trigger}.`;
}

/** Only what may be canceled is called back; the bank forgets nothing, so that repeating this is harmless. */
async function callBack({ bank, at }: BankContext, order: PayoutOrder, sequence: number | undefined): Promise<void> {
  const sequences = sequence === undefined ? {} : { sequences: [sequence] };
  decidePayout(order, { trigger: 'CANCELED', at, ...sequences });
  const { payout, payments } = order;
  const meant = sequence === undefined ? payments : payments.filter((payment) => payment.sequence === sequence);
  const answers = await Promise.all(openReferences({ payout, payments: meant }).map((one) => bank.cancel(one)));
  if (answers.some(({ canceled }) => !canceled))
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The bank can no longer stop the payment.');
}
