import type { Operation } from '#shared/contract/contract.ts';
import { newestFirst } from '#shared/refunds/model.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { requirePayInWithRefunds } from '#shared/refunds/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { refundView } from '#shared/refunds/view.ts';
import { ListRefunds } from './contract.ts';

/** The refunds of a pay-in, newest first. @throws RequestError when the company has no such pay-in. */
export const listRefunds: Operation<typeof ListRefunds, Reading> = async ({ caller, params }, { store }) => {
  const { refunds } = await requirePayInWithRefunds(store, caller.companyId, params.id);
  return { status: 200, body: { data: newestFirst(refunds).map(refundView) } };
};

export const handler = endpoint(ListRefunds, listRefunds, realTimeDependencies);
