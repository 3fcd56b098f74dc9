import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { getWebhookSettings } from '#functions/webhooks/get/handler.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { getDelivery } from '#functions/webhooks/get-delivery/handler.ts';
import { GetResend } from '#functions/webhooks/get-resend/contract.ts';
import { getResend } from '#functions/webhooks/get-resend/handler.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { listWebhookEndpoints } from '#functions/webhooks/list-endpoints/handler.ts';
import { ReleaseEndpoint } from '#functions/webhooks/release-endpoint/contract.ts';
import { releaseWebhookEndpoint } from '#functions/webhooks/release-endpoint/handler.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { listDeliveries } from '#functions/webhooks/list-deliveries/handler.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { replaceWebhookSettings } from '#functions/webhooks/replace/handler.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import { resendDelivery } from '#functions/webhooks/resend-delivery/handler.ts';
import { ResendDeliveries } from '#functions/webhooks/resend-deliveries/contract.ts';
import { beginResend } from '#functions/webhooks/resend-deliveries/handler.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import { rotateWebhookSecret } from '#functions/webhooks/rotate-secret/handler.ts';
import { TestWebhook } from '#functions/webhooks/send-test/contract.ts';
import { testWebhook } from '#functions/webhooks/send-test/handler.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { Delivery, Notification } from '#shared/platform/outbox/delivery.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { deliveryItem, deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { caller } from '#test/support/api.ts';
import { keyRules } from '#test/support/key-rules.ts';
import { readable } from '#test/support/readable-items.ts';
import { testIds } from '#test/support/test-ids.ts';

export const company = '11111111-1111-4111-8111-111111111111';
export const otherCompany = '22222222-2222-4222-8222-222222222222';
export const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const noon = '2026-01-15T15:00:00.000Z';

export type World = Awaited<ReturnType<typeof webhookWorld>>;

/**
 * The webhook endpoints of two companies on a store of their own; `around` may come between operations and store. On an
 * engine that others use at the same time, `seed` keeps the tokens of its transactions apart from theirs.
 */
export async function webhookWorld(around: (store: Store) => Store = (store) => store, seed?: string) {
  const memory = memoryStore();
  const clock = { now: noon };
  const ids = testIds(seed);
  const settings = {
    ispb: '99999004',
    pixHost: 'pix.service.example',
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: 86_400,
    pixTransactionLimitCentavos: 1_500_000,
    allowLocalTargets: false,
    schedule: { minDaysAhead: 0 },
    keyRules,
  };
  const deps = { store: around(memory), realNow: () => clock.now, ids, settings };
  for (const companyId of [company, otherCompany]) {
    const company = { companyId, organizationId: ids.uuid(), name: 'Empresa', createdAt: noon };
    const none = newWebhookSettings({ id: ids.uuid(), companyId, organizationId: company.organizationId, at: noon });
    const secret = { companyId, current: webhookSecret, createdAt: noon, version: 1 };
    const items = [
      companyItem({ ...company, cursorKey: newCursorKey() }),
      webhookSettingsItem(none),
      webhookSecretItem(secret),
    ];
    await memory.write(
      items.map((put) => ({ put })),
      companyId,
    );
  }
  return {
    clock,
    memory,
    get: caller(GetWebhookSettings, getWebhookSettings, deps),
    replace: caller(ReplaceWebhookSettings, replaceWebhookSettings, deps),
    rotate: caller(RotateWebhookSecret, rotateWebhookSecret, deps),
    endpoints: caller(ListEndpoints, listWebhookEndpoints, deps),
    release: caller(ReleaseEndpoint, releaseWebhookEndpoint, deps),
    list: caller(ListDeliveries, listDeliveries, deps),
    getDelivery: caller(GetDelivery, getDelivery, deps),
    resend: caller(ResendDelivery, resendDelivery, deps),
    resendAll: caller(ResendDeliveries, beginResend, deps),
    getResend: caller(GetResend, getResend, deps),
    test: caller(TestWebhook, testWebhook, deps),
    items: (entity: string) =>
      memory
        .all()
        .filter((item) => item['entity'] === entity)
        .map(readable),
    /** A delivery as if a move had made it, and what became of it. */
    given: async (more: Partial<Delivery> = {}, body = '{"id":"o-1"}', companyId = company): Promise<Delivery> => {
      const notification: Notification = {
        id: ids.uuid(),
        event: 'ORDER-PAYIN.PAID',
        resource: { type: 'PAY_IN', id: 'o-1' },
        target: { type: 'PAYIN' },
        body,
        createdAt: clock.now,
        requestId: ids.uuid(),
      };
      const delivery = { ...newDelivery(companyId, notification), ...more };
      const [, bytes] = deliveryInserts(companyId, { ...delivery, body });
      await memory.write([{ put: deliveryItem(delivery) }, ...(bytes ? [bytes] : [])], ids.uuid());
      return delivery;
    },
  };
}
