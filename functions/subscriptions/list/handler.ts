import type { Operation } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readSubscriptionPage } from '#shared/subscriptions/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { subscriptionEventData } from '#shared/subscriptions/view.ts';
import { ListSubscriptions } from './contract.ts';

/**
 * One page of the company's subscriptions, without the images of their QR codes. @throws Refusal on a cursor that is
 * not of this listing.
 */
export const listSubscriptions: Operation<typeof ListSubscriptions, Reading> = async ({ caller, query }, { store }) => {
  const { limit = defaultLimit, sort = 'desc', cursor, ...filters } = query;
  const page = { limit, cursor, ascending: sort === 'asc' };
  const { found, hasNext, nextCursor } = await readSubscriptionPage(store, caller.companyId, filters, page);
  return { status: 200, body: { nextCursor, hasNext, data: found.map(subscriptionEventData) } };
};

export const handler = endpoint(ListSubscriptions, listSubscriptions, realTimeDependencies);
