import type { Operation } from '#shared/contract/contract.ts';
import { requireDispute } from '#shared/disputes/store.ts';
import { disputeView } from '#shared/disputes/view.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { GetDispute } from './contract.ts';

/** Returns a dispute with its defences. @throws RequestError when the company has no such dispute */
export const getDispute: Operation<typeof GetDispute, Reading> = async ({ caller, params }, { store }) => ({
  status: 200,
  body: disputeView(await requireDispute(store, caller.companyId, params.id)),
});

export const handler = endpoint(GetDispute, getDispute, realTimeDependencies);
