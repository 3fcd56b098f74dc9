import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { deliveryEntryView } from '#shared/webhooks/view.ts';
import { ListDeliveries } from './contract.ts';

/** One page of the company's deliveries, newest first. @throws Refusal on a cursor that is not of this listing. */
export async function listDeliveries(
  { caller, query }: RequestOf<typeof ListDeliveries>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof ListDeliveries>> {
  const { limit = defaultLimit, cursor, ...filters } = query;
  const { found, hasNext, nextCursor } = await listDeliveriesOf(store, caller.companyId, filters, { limit, cursor });
  return { status: 200, body: { nextCursor, hasNext, data: found.map(deliveryEntryView) } };
}

export const handler = endpoint(ListDeliveries, listDeliveries, realTimeDependencies);
