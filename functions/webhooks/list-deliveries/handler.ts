import type { Operation } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { deliveryEntryView } from '#shared/webhooks/view.ts';
import { ListDeliveries } from './contract.ts';

/** One page of the company's deliveries, newest first. @throws Refusal on a cursor that is not of this listing. */
export const listDeliveries: Operation<typeof ListDeliveries, Reading> = async ({ caller, query }, { store }) => {
  const { limit = defaultLimit, cursor, ...filters } = query;
  const page = await listDeliveriesOf(store, caller.companyId, filters, { limit, cursor });
  const { deliveries, hasNext, nextCursor } = page;
  return { status: 200, body: { nextCursor, hasNext, data: deliveries.map(deliveryEntryView) } };
};

export const handler = endpoint(ListDeliveries, listDeliveries, realTimeDependencies);
