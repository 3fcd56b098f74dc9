import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, Notification } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { decide, recordOutcome } from '#shared/webhooks/deliveries/states.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { askForDrain, beginCounting } from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import {
  createDelivery,
  readDelivery,
  readDeliveryWithBody,
  readForAttempts,
  writeDelivery,
  writeDispatch,
} from '#shared/webhooks/deliveries/store.ts';
import { deliveryItem, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { dueIdsOf } from '../support/due.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const endpoint = 'https://partner.example/hooks';
const body = '{"amount":"10.10","name":"São João"}';

onEveryStore((store) => {
  const company = (): string => randomUUID();
  const notification = (more: Partial<Notification> = {}): Notification => {
    return {
      id: randomUUID(),
      event: 'E',
      resource: { type: 'PAY_IN', id: 'o-1' },
      target: { type: 'PAYIN' },
      body,
      createdAt: t0,
      requestId: 'r',
      ...more,
    };
  };
  const create = (companyId: string, more: Partial<Notification> = {}): Promise<Delivery> => {
    return createDelivery(store(), companyId, notification(more), randomUUID());
  };
  const put = async (...items: readonly Item[]): Promise<void> => {
    await store().write(
      items.map((item) => ({ put: item })),
      randomUUID(),
    );
  };
  const read = async (companyId: string, deliveryId: string) =>
    (await readForAttempts(store(), [{ companyId, deliveryId }]))({ companyId, deliveryId });
  const due = (companyId: string, until = plusSeconds(t0, 86_400)): Promise<readonly string[]> =>
    dueIdsOf(store(), companyId, 'DELIVERY', until);
  const call = (delivery: Delivery): Delivery => {
    const message = { id: 'm', dispatch: delivery.dispatch, receives: 1 };
    const decision = decide(delivery, message, {
      now: delivery.nextAttemptAt ?? t0,
      claimId: 'c',
      admission: { to: 'endpoint', endpoint, backlog: 'type:PAYIN' },
    });
    if (decision.do !== 'call') throw new Error(decision.do);
    return decision.delivery;
  };
  const settings = (companyId: string): Item => {
    const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
    return webhookSettingsItem(replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], t0).settings);
  };

  describe('a delivery', () => {
    it('is read as it was written, with the very bytes', async () => {
      const companyId = company();
      const created = await create(companyId);
      expect(await readDeliveryWithBody(store(), companyId, created.id)).toEqual({ delivery: created, body });
      expect(await readDelivery(store(), company(), created.id)).toBeUndefined();
    });

    it('is read for an attempt together with settings and secret', async () => {
      const companyId = company();
      const delivery = await create(companyId);
      const secret = { companyId, current: 'whsec_x', createdAt: t0, version: 1 };
      await put(settings(companyId), webhookSecretItem(secret));
      const facts = await read(companyId, delivery.id);
      expect(facts).toMatchObject({ delivery, body, secret, settings: { events: [{ endpoint }] } });
      expect(await read(companyId, randomUUID())).toMatchObject({ secret });
    });

    it('is written only over the version that was read, and the one that stands there comes back', async () => {
      const companyId = company();
      const claimed = call(await create(companyId));
      expect(await writeDelivery(store(), claimed)).toEqual({ ok: true });
      expect(await writeDelivery(store(), { ...claimed, endpoint: 'https://other.example/' })).toEqual({
        ok: false,
        current: claimed,
      });
      const unknown = { ...claimed, id: randomUUID() };
      expect(await writeDelivery(store(), unknown)).toEqual({ ok: false, current: undefined });
    });

    it('stands in the due index while it waits, at its time, and leaves it when it is done', async () => {
      const companyId = company();
      const claimed = call(await create(companyId));
      expect(await due(companyId, t0)).toEqual([claimed.id]);
      await writeDelivery(store(), claimed);
      const message = { id: 'm', dispatch: 1, receives: 1 };
      const outcomeFields = { claimId: 'c', now: t0, delays: [60], fraction: 0 };
      const failed = recordOutcome(claimed, message, { ...outcomeFields, result: { outcome: 'FAILED' } })!;
      await writeDelivery(store(), failed.delivery);
      expect(await due(companyId, plusSeconds(t0, 59))).toEqual([]);
      expect(await due(companyId, plusSeconds(t0, 60))).toEqual([claimed.id]);
      const again = decide(failed.delivery, message, {
        now: plusSeconds(t0, 60),
        claimId: 'c',
        admission: { to: 'endpoint', endpoint, backlog: 'type:PAYIN' },
      });
      if (again.do !== 'call') throw new Error(again.do);
      await writeDelivery(store(), again.delivery);
      const delivered = recordOutcome(again.delivery, message, { ...outcomeFields, result: { outcome: 'DELIVERED' } })!;
      await writeDelivery(store(), delivered.delivery);
      expect(await due(companyId)).toEqual([]);
      expect(await readDelivery(store(), companyId, claimed.id)).toEqual(delivered.delivery);
    });

    it('is an error, neither dropped nor served, when its item is malformed', async () => {
      const companyId = company();
      const delivery = newDelivery(companyId, notification());
      const item = deliveryItem(delivery);
      await put({ ...item, status: 'LOST' });
      await expect(readDelivery(store(), companyId, delivery.id)).rejects.toThrow(CorruptItem);
      for (const name of ['version', 'dispatch', 'attempts', 'target', 'createdAt'])
        expect(() =>
          parseDelivery(Object.fromEntries(Object.entries(item).filter(([key]) => key !== name)) as Item),
        ).toThrow(new RegExp(name, 'u'));
      expect(() => parseDelivery({ ...item, ...keys.webhookSettings(companyId) })).toThrow(CorruptItem);
    });
  });

  describe('a further dispatch', () => {
    it('is written together with the count, or not at all', async () => {
      const companyId = company();
      const created = await create(companyId);
      const next = { ...created, dispatch: 2, version: 2 };
      const dispatch = { delivery: next, notBefore: plusSeconds(t0, 60), at: t0, token: randomUUID() };
      expect(await writeDispatch(store(), dispatch)).toEqual({ ok: true });
      const [item] = await store().read([keys.deliveryDispatch(companyId, created.id, 2, plusSeconds(t0, 60))]);
      expect(item).toMatchObject({ entity: 'DELIVERY_DISPATCH', createdAt: t0 });
      const late = { ...created, dispatch: 3, version: 2 };
      expect(await writeDispatch(store(), { ...dispatch, delivery: late, token: randomUUID() })).toEqual({
        ok: false,
        current: next,
      });
      expect(await store().read([keys.deliveryDispatch(companyId, created.id, 3, plusSeconds(t0, 60))])).toEqual([
        undefined,
      ]);
    });
  });

  describe('the health of a company', () => {
    const deps = () => ({ store: store(), now: () => t0, newId: () => randomUUID() });

    it('is read as it was written, asks for drains with it, and is small while failed calls are counted', async () => {
      const companyId = company();
      const health = await changeHealth(deps(), await readHealth(store(), companyId), (current) => {
        const counting = beginCounting(current, 'address', { id: randomUUID(), endpoint }, t0);
        return askForDrain(counting, ['type:PAYIN'], t0, t0);
      });
      expect(await readHealth(store(), companyId)).toEqual(health);
      const [item, drain] = await store().read([keys.webhookHealth(companyId), keys.drain(companyId, 1, t0)]);
      expect(drain).toMatchObject({ entity: 'WEBHOOK_DRAIN' });
      expect(JSON.stringify(item).length).toBeLessThan(1024);
    });
  });
});
