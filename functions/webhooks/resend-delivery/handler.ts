import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createResend } from '#shared/webhooks/deliveries/again.ts';
import { takeCall } from '#shared/platform/rate-limit.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { deliveryView } from '#shared/webhooks/view.ts';
import { ResendDelivery } from './contract.ts';

/** Creates a new delivery of the same notification and bytes. @throws RequestError 404; 429 for too many resends. */
export const resendDelivery: Operation<typeof ResendDelivery, Pick<Dependencies, 'store' | 'realNow' | 'ids'>> = async (
  { caller, params, requestId },
  { store, realNow, ids },
) => {
  const { companyId } = caller;
  const again = { id: ids.uuid(), createdAt: realNow(), requestId };
  const created = await createResend(store, { companyId, id: params.id }, again, {
    newId: () => ids.uuid(),
    count: () => takeCall({ store, now: realNow }, companyId, 'RESEND'),
  });
  if (created === undefined) throw notFound('Delivery');
  return { status: 201, body: deliveryView(created.delivery, created.body) };
};

export const handler = endpoint(ResendDelivery, resendDelivery, realTimeDependencies);
