import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readDeliveryWithBody } from '#shared/webhooks/deliveries/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { readEndpoints } from '#shared/webhooks/health/operations.ts';
import { deliveryView } from '#shared/webhooks/view.ts';
import { GetDelivery } from './contract.ts';

/** Returns a delivery of the company. @throws RequestError when the company has no delivery of this id */
export const getDelivery: Operation<typeof GetDelivery, Reading> = async ({ caller, params }, { store }) => {
  const found = await readDeliveryWithBody(store, caller.companyId, params.id);
  if (found === undefined) throw notFound('Delivery');
  const { delivery, body } = found;
  // The health of the endpoints explains why a delivery waits in a backlog; other deliveries do not need it.
  const isWaiting = delivery.backlog !== undefined;
  const endpoints = isWaiting ? await readEndpoints(store, caller.companyId) : undefined;
  return { status: 200, body: deliveryView(delivery, body, endpoints) };
};

export const handler = endpoint(GetDelivery, getDelivery, realTimeDependencies);
