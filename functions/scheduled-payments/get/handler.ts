import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readPayment } from '#shared/scheduled-payments/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { scheduledPaymentView } from '#shared/scheduled-payments/view.ts';
import { GetScheduledPayment } from './contract.ts';

/** A scheduled payment as it is now. @throws Refusal when the subscription has no such payment. */
export async function getScheduledPayment(
  { caller, params }: RequestOf<typeof GetScheduledPayment>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof GetScheduledPayment>> {
  const payment = await readPayment(store, caller.companyId, params.paymentId);
  if (payment?.subscriptionId !== params.id) throw notFound('Scheduled payment');
  return { status: 200, body: scheduledPaymentView(payment) };
}

export const handler = endpoint(GetScheduledPayment, getScheduledPayment, realTimeDependencies);
