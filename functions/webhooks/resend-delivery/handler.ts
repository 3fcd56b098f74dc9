import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { createDelivery, readDeliveryWithBody } from '../../../shared/persistence/deliveries.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { deliveryView } from '../../../shared/views/delivery.ts';
import { ResendDelivery } from './contract.ts';

/** A new delivery of the bytes of another one. @throws Refusal when the company has no such delivery. */
export async function resendDelivery(
  { caller, params, requestId }: RequestOf<typeof ResendDelivery>,
  { store, now, ids }: Pick<Dependencies, 'store' | 'now' | 'ids'>,
): Promise<AnswerOf<typeof ResendDelivery>> {
  const { companyId } = caller;
  const found = await readDeliveryWithBody(store, companyId, params.id);
  if (found === undefined) throw notFound('Delivery');
  const { body, delivery } = found;
  const { event, target, id: resendOf } = delivery;
  const notification = { id: ids.uuid(), event, target, body, createdAt: now(), requestId, resendOf };
  const created = await createDelivery(store, companyId, notification, ids.uuid());
  return { status: 201, body: deliveryView(created, body) };
}

export const handler = endpoint(ResendDelivery, resendDelivery, dependencies);
