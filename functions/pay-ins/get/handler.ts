import type { Operation } from '#shared/contract/contract.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { GetPayIn } from './contract.ts';

/** Returns a pay-in by its id, else by `externalId` (2.6, 4.6). @throws RequestError when neither finds one */
export const getPayIn: Operation<typeof GetPayIn, Reading> = async ({ caller, params, query }, { store }) => {
  const { companyId } = caller;
  const found =
    (await readPayIn(store, companyId, params.id)) ?? (await byExternalId(store, companyId, query.externalId));
  if (found === undefined) throw notFound('Pay-in');
  return { status: 200, body: payInView(found) };
};

async function byExternalId(store: Store, companyId: string, externalId?: string): Promise<PayIn | undefined> {
  if (externalId === undefined) return undefined;
  const [unique] = await store.read([keys.unique(companyId, 'PAY_IN', externalId)]);
  const id = unique?.['resourceId'];
  return typeof id === 'string' ? readPayIn(store, companyId, id) : undefined;
}

export const handler = endpoint(GetPayIn, getPayIn, realTimeDependencies);
