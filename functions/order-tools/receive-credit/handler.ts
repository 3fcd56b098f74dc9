import type { Operation } from '#shared/contract/contract.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { formatAmount } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import { creditTransition } from '#shared/credits/book.ts';
import { reasonOf } from '#shared/credits/states.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { receiveAtBank } from '#shared/sandbox/bank-tools.ts';
import { simulatedPayment } from '#shared/sandbox/order-events.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { CapabilityDependencies } from '#functions/banks.ts';
import { capabilityDependencies } from '#functions/banks.ts';
import { ReceiveCredit } from './contract.ts';

/**
 * Books money that no open charge expects, as a bank reports it.
 * @throws RequestError 404 for an unknown account or pay-in; 409 for what would pay the pay-in
 */
export const receiveCredit: Operation<typeof ReceiveCredit, CapabilityDependencies> = async (
  { caller: { companyId }, requestId, body: { accountId, amount, payer, orderId } },
  { store, ids, now, realNow, settings, bank },
) => {
  if ((await readAccount(store, companyId, accountId)) === undefined) throw notFound('Account');
  const payIn = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  if (orderId !== undefined && payIn?.accountId !== accountId) throw notFound('Pay-in');
  if (payIn?.status === 'PENDING' && payIn.amount === amount)
    throw forbiddenByState(
      'amount',
      'INVALID_VALUE',
      'This amount pays the pay-in: use PUT /order-tools/v1/order/status.',
    );
  const connection = await bank.connectionOf(companyId, accountId);
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined) {
    const payment = { accountId, amount, ...pick({ payer, payIn }, 'payer', 'payIn') };
    const { endToEndId, creditId } = await receiveAtBank({ store, companyId, connection }, payment);
    return { status: 201, body: receivedAtBank(endToEndId, creditId, formatAmount(amount)) };
  }
  const context = { store, ids, at: now(), realNow, companyId, requestId };
  const payment = simulatedPayment({ ids, at: context.at, ispb: settings.ispb }, payer);
  const reason = payIn === undefined ? 'NO_CHARGE' : reasonOf(payIn, amount);
  const facts = { accountId, amount, reason, ...payment, ...pick({ orderId }, 'orderId') } as const;
  const { credit, notifications } = await commitTransition(
    context,
    () => Promise.resolve(undefined),
    () => {
      const transition = creditTransition(context, facts);
      return { ...transition, result: { credit: transition.result, notifications: transition.notifications ?? [] } };
    },
  );
  const description = `Credit ${credit.id} of ${formatAmount(amount)}: ${credit.status}. ${await previewDeliveries(context, notifications)}`;
  return { status: 201, body: { id: credit.id, description } };
};

function receivedAtBank(endToEndId: string, creditId: string | undefined, amount: string) {
  if (creditId !== undefined) return { id: creditId, description: `Credit ${creditId} of ${amount}: OPEN.` };
  const description = `Payment ${endToEndId} of ${amount} was made at the bank. It is a credit once the bank's list is read: within a minute or so.`;
  return { id: endToEndId, description };
}

export const handler = endpoint(ReceiveCredit, receiveCredit, capabilityDependencies);
