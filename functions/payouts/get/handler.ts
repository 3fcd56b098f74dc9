import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payoutView } from '#shared/payouts/view.ts';
import { GetPayout } from './contract.ts';

/** Reads a payout with its payments, in one query. @throws RequestError NOT_FOUND. */
export const getPayout: Operation<typeof GetPayout, Reading> = async ({ caller, params }, { store }) => {
  const order = await readPayout(store, caller.companyId, params.id);
  if (order?.payout.id !== params.id.toLowerCase()) throw notFound('Payout');
  return { status: 200, body: payoutView(order) };
};

export const handler = endpoint(GetPayout, getPayout, realTimeDependencies);
