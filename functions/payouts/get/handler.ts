import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payoutView } from '#shared/payouts/view.ts';
import { GetPayout } from './contract.ts';

/** Reads a payout with its payments, in one query. @throws Refusal NOT_FOUND. */
export async function getPayout(
  { caller, params }: RequestOf<typeof GetPayout>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof GetPayout>> {
  const order = await readPayout(store, caller.companyId, params.id);
  if (order?.payout.id !== params.id.toLowerCase()) throw notFound('Payout');
  return { status: 200, body: payoutView(order) };
}

export const handler = endpoint(GetPayout, getPayout, realTimeDependencies);
