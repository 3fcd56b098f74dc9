import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createResend, readDeliveryWithBody } from '#shared/webhooks/deliveries/store.ts';
import { takeCall } from '#shared/platform/rate-limit.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { deliveryView } from '#shared/webhooks/view.ts';
import { ResendDelivery } from './contract.ts';

/** A new delivery of the same bytes. @throws RequestError 404; 429 for too many resends. */
export const resendDelivery: Operation<typeof ResendDelivery, Pick<Dependencies, 'store' | 'realNow' | 'ids'>> = async (
  { caller, params, requestId },
  { store, realNow, ids },
) => {
  const { companyId } = caller;
  const found = await readDeliveryWithBody(store, companyId, params.id);
  if (found === undefined) throw notFound('Delivery');
  await takeCall({ store, now: realNow }, companyId, 'RESEND');
  const { body, delivery } = found;
  const again = { id: ids.uuid(), createdAt: realNow(), requestId };
  const created = await createResend(store, { delivery, body, again }, ids.uuid());
  return { status: 201, body: deliveryView(created, body) };
};

export const handler = endpoint(ResendDelivery, resendDelivery, realTimeDependencies);
