import { GetWebhookSettings } from '../../../functions/webhooks/get/contract.ts';
import { getWebhookSettings } from '../../../functions/webhooks/get/handler.ts';
import { GetDelivery } from '../../../functions/webhooks/get-delivery/contract.ts';
import { getDelivery } from '../../../functions/webhooks/get-delivery/handler.ts';
import { ListDeliveries } from '../../../functions/webhooks/list-deliveries/contract.ts';
import { listDeliveries } from '../../../functions/webhooks/list-deliveries/handler.ts';
import { ReplaceWebhookSettings } from '../../../functions/webhooks/replace/contract.ts';
import { replaceWebhookSettings } from '../../../functions/webhooks/replace/handler.ts';
import { ResendDelivery } from '../../../functions/webhooks/resend-delivery/contract.ts';
import { resendDelivery } from '../../../functions/webhooks/resend-delivery/handler.ts';
import { RotateWebhookSecret } from '../../../functions/webhooks/rotate-secret/contract.ts';
import { rotateWebhookSecret } from '../../../functions/webhooks/rotate-secret/handler.ts';
import { TestWebhook } from '../../../functions/webhooks/send-test/contract.ts';
import { testWebhook } from '../../../functions/webhooks/send-test/handler.ts';
import { newDelivery } from '../../../shared/domain/delivery.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Notification } from '../../../shared/domain/notification.ts';
import { newWebhookSettings } from '../../../shared/domain/webhook-settings.ts';
import { companyItem } from '../../../shared/persistence/company.ts';
import { newCursorKey } from '../../../shared/persistence/cursor.ts';
import { deliveryItem, deliveryWrites } from '../../../shared/persistence/delivery-items.ts';
import { memoryStore } from '../../../shared/persistence/memory-store.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '../../../shared/persistence/webhook-settings.ts';
import { caller } from '../../support/api.ts';
import { testIds } from '../../support/test-ids.ts';

export const COMPANY = '11111111-1111-4111-8111-111111111111';
export const OTHER_COMPANY = '22222222-2222-4222-8222-222222222222';
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const NOON = '2026-01-15T15:00:00.000Z';

export type World = Awaited<ReturnType<typeof webhookWorld>>;

/** The webhook endpoints of two companies on a store of their own; `around` may come between operations and store. */
export async function webhookWorld(around: (store: Store) => Store = (store) => store) {
  const memory = memoryStore();
  const clock = { now: NOON };
  const ids = testIds();
  const settings = {
    ispb: '99999004',
    pixHost: 'pix.service.example',
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: 86_400,
    pixTransactionLimitCentavos: 1_500_000,
    allowLocalTargets: false,
  };
  const deps = { store: around(memory), now: () => clock.now, ids, settings };
  for (const companyId of [COMPANY, OTHER_COMPANY]) {
    const company = { companyId, organizationId: ids.uuid(), name: 'Empresa', createdAt: NOON };
    const none = newWebhookSettings({ id: ids.uuid(), companyId, organizationId: company.organizationId, at: NOON });
    const secret = { companyId, current: SECRET, createdAt: NOON, version: 1 };
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
    list: caller(ListDeliveries, listDeliveries, deps),
    getDelivery: caller(GetDelivery, getDelivery, deps),
    resend: caller(ResendDelivery, resendDelivery, deps),
    test: caller(TestWebhook, testWebhook, deps),
    items: (entity: string) => memory.all().filter((item) => item['entity'] === entity),
    /** A delivery as if a move had made it, and what became of it. */
    given: async (more: Partial<Delivery> = {}, body = '{"id":"o-1"}', companyId = COMPANY): Promise<Delivery> => {
      const notification: Notification = {
        id: ids.uuid(),
        event: 'ORDER-PAYIN.PAID',
        target: { type: 'PAYIN' },
        body,
        createdAt: clock.now,
        requestId: ids.uuid(),
      };
      const delivery = { ...newDelivery(companyId, notification), ...more };
      const [, bytes] = deliveryWrites(companyId, { ...notification, id: delivery.id });
      await memory.write([{ put: deliveryItem(delivery) }, ...(bytes ? [bytes] : [])], ids.uuid());
      return delivery;
    },
  };
}
