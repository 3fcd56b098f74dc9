import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readPayment } from '#shared/scheduled-payments/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { scheduledPaymentView } from '#shared/scheduled-payments/view.ts';
import { GetScheduledPayment } from './contract.ts';

/** A scheduled payment as it is now. @throws RequestError when the subscription has no such payment. */
export const getScheduledPayment: Operation<typeof GetScheduledPayment, Reading> = async (
  { caller, params },
  { store },
) => {
  const payment = await readPayment(store, caller.companyId, params.paymentId);
  if (payment?.subscriptionId !== params.id) throw notFound('Scheduled payment');
  return { status: 200, body: scheduledPaymentView(payment) };
};

export const handler = endpoint(GetScheduledPayment, getScheduledPayment, realTimeDependencies);
