import type { Operation } from '#shared/contract/contract.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { addressOf } from '#shared/webhooks/settings.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createDelivery } from '#shared/webhooks/deliveries/store.ts';
import { takeCall } from '#shared/platform/rate-limit.ts';
import { readWebhookSettings } from '#shared/webhooks/settings-store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { deliveryView } from '#shared/webhooks/view.ts';
import { TestWebhook } from './contract.ts';
import { sampleNotification } from './sample-notification.ts';

/** Sends a sample notification. @throws RequestError 409 without an active endpoint: a held test helps no developer */
export const testWebhook: Operation<typeof TestWebhook, Pick<Dependencies, 'store' | 'realNow' | 'ids'>> = async (
  { caller, body, requestId },
  { store, realNow, ids },
) => {
  const { companyId } = caller;
  const { type } = body;
  if (addressOf({ type }, await readWebhookSettings(store, companyId)) === undefined)
    throw forbiddenByState('type', 'INVALID_VALUE', `${type} has no active endpoint; set one first.`);
  await takeCall({ store, now: realNow }, companyId, 'TEST');
  const createdAt = realNow();
  const sample = sampleNotification(type, { at: createdAt, ids });
  const notification = { id: ids.uuid(), target: { type }, createdAt, requestId, ...sample };
  const created = await createDelivery(store, companyId, notification, ids.uuid());
  return { status: 201, body: deliveryView(created, sample.body) };
};

export const handler = endpoint(TestWebhook, testWebhook, realTimeDependencies);
