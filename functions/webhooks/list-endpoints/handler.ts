import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { listEndpoints } from '#shared/webhooks/endpoints.ts';
import { readEndpoints } from '#shared/webhooks/health/operations.ts';
import { ListEndpoints } from './contract.ts';

/** Returns one page of the company's endpoints. @throws RequestError for a cursor of another listing */
export const listWebhookEndpoints: Operation<typeof ListEndpoints, Pick<Dependencies, 'store' | 'realNow'>> = async (
  { caller, query },
  { store, realNow },
) => {
  const { page } = pageRequest(query, {});
  const endpoints = await readEndpoints(store, caller.companyId);
  return pageResponse(await listEndpoints(store, endpoints, page, realNow()), (shown) => shown);
};

export const handler = endpoint(ListEndpoints, listWebhookEndpoints, realTimeDependencies);
