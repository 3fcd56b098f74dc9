import type { Operation } from '#shared/contract/contract.ts';
import { requireCredit } from '#shared/credits/store.ts';
import { creditView } from '#shared/credits/view.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { GetCredit } from './contract.ts';

/** Returns a credit with its returns. @throws RequestError when the company has no such credit */
export const getCredit: Operation<typeof GetCredit, Reading> = async ({ caller, params }, { store }) => ({
  status: 200,
  body: creditView(await requireCredit(store, caller.companyId, params.id)),
});

export const handler = endpoint(GetCredit, getCredit, realTimeDependencies);
