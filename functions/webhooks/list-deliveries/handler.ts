import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { DEFAULT_LIMIT } from '../../../shared/contracts/page.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { parseDelivery } from '../../../shared/persistence/delivery-items.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import { listPage } from '../../../shared/persistence/listing.ts';
import type { Filter } from '../../../shared/persistence/store.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { deliveryEntryView } from '../../../shared/views/delivery.ts';
import { ListDeliveries } from './contract.ts';

/** One exact page of the company's deliveries, newest first. @throws Refusal on a cursor that is not of this listing. */
export async function listDeliveries(
  { caller, query }: RequestOf<typeof ListDeliveries>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof ListDeliveries>> {
  const { companyId } = caller;
  const { status, event, limit = DEFAULT_LIMIT, cursor } = query;
  const wanted = { status, event };
  const filters = Object.entries(wanted).flatMap(([attribute, value]): Filter[] => {
    return value === undefined ? [] : [{ attribute, is: 'equal', value }];
  });
  const { items, hasNext, nextCursor } = await listPage(store, {
    scope: { companyId, kind: 'DELIVERY', filters: wanted },
    filters,
    limit,
    cursor,
    keyOf: (id) => keys.delivery(companyId, id),
  });
  return { status: 200, body: { nextCursor, hasNext, data: items.map(parseDelivery).map(deliveryEntryView) } };
}

export const handler = endpoint(ListDeliveries, listDeliveries, dependencies);
