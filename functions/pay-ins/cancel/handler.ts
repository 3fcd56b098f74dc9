import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { decidePayIn } from '#shared/pay-ins/states.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { movePayIn } from '#shared/pay-ins/transition.ts';
import { removeCharge } from '#shared/pay-ins/remove-charge.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { CancelPayIn } from './contract.ts';

const canceled = { outcome: 'CANCELED' } as const;

/**
 * Cancels a pay-in that is pending. The bank removes the charge first: it alone knows whether the charge is being paid.
 * For one that is canceled already the same record is the answer.
 * @throws Refusal for a pay-in that is unknown, or in any other status. @throws BankUnavailable: nothing was written.
 */
export async function cancelPayIn(
  { caller: { companyId }, params, requestId }: RequestOf<typeof CancelPayIn>,
  { store, ids, now, realNow, bank }: ReceivingDependencies,
): Promise<AnswerOf<typeof CancelPayIn>> {
  return untilCommitted(async () => {
    const at = now();
    const found = await readPayIn(store, companyId, params.id);
    if (found === undefined) throw notFound('Pay-in');
    if (found.status === 'CANCELED') return { status: 200 as const, body: payInView(found) };
    // What section 3 forbids is refused before the bank is asked.
    decidePayIn(found, canceled, at, 'service');
    if (!(await removeCharge(bank, found, { companyId, at })))
      throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'The pay-in is being paid: the bank cannot stop it.');
    const context = { store, ids, at, realNow, companyId, requestId };
    const { committed, payIn } = await movePayIn(context, found, canceled, 'service');
    return committed.ok ? { status: 200 as const, body: payInView(payIn) } : undefined;
  });
}

export const handler = endpoint(CancelPayIn, cancelPayIn, receivingDependencies);
