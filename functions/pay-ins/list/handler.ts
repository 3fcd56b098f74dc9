import type { Operation } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { listPayInsOf } from '#shared/pay-ins/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payInEntryView } from '#shared/pay-ins/view.ts';
import { ListPayIns } from './contract.ts';

/**
 * One page of the company's pay-ins, without the images of their QR codes. @throws Refusal on a cursor that is not of
 * this listing.
 */
export const listPayIns: Operation<typeof ListPayIns, Reading> = async ({ caller, query }, { store }) => {
  const { limit = defaultLimit, sort = 'desc', cursor, ...filters } = query;
  const page = { limit, cursor, ascending: sort === 'asc' };
  const { found, hasNext, nextCursor } = await listPayInsOf(store, caller.companyId, filters, page);
  return { status: 200, body: { nextCursor, hasNext, data: found.map(payInEntryView) } };
};

export const handler = endpoint(ListPayIns, listPayIns, realTimeDependencies);
