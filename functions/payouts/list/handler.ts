import type { Operation } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { listPayoutsOf } from '#shared/payouts/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payoutView } from '#shared/payouts/view.ts';
import { ListPayouts } from './contract.ts';

/** One page of the company's payouts. @throws Refusal on a cursor that is not of this listing. */
export const listPayouts: Operation<typeof ListPayouts, Reading> = async ({ caller, query }, { store }) => {
  const { limit = defaultLimit, sort = 'desc', cursor, ...filters } = query;
  const page = { limit, cursor, ascending: sort === 'asc' };
  const { found, hasNext, nextCursor } = await listPayoutsOf(store, caller.companyId, filters, page);
  return { status: 200, body: { nextCursor, hasNext, data: found.map(payoutView) } };
};

export const handler = endpoint(ListPayouts, listPayouts, realTimeDependencies);
