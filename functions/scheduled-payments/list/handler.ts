import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { listPayments } from '#shared/scheduled-payments/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { scheduledPaymentView } from '#shared/scheduled-payments/view.ts';
import { ListScheduledPayments } from './contract.ts';

/**
 * Returns one page of scheduled payments. For an empty page it checks that the subscription exists.
 * @throws RequestError 404; for a cursor of another listing
 */
export const listScheduledPayments: Operation<typeof ListScheduledPayments, Reading> = async (
  { caller, params, query },
  { store },
) => {
  const { companyId } = caller;
  const payments = await listPayments(store, companyId, params.id, pageRequest(query, {}, 'asc').page);
  if (payments.found.length === 0) {
    const [subscription] = await store.read([keys.subscription(companyId, params.id)]);
    if (subscription === undefined) throw notFound('Subscription');
  }
  return pageResponse(payments, scheduledPaymentView);
};

export const handler = endpoint(ListScheduledPayments, listScheduledPayments, realTimeDependencies);
