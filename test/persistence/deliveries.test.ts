import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plusSeconds } from '../../shared/domain/brasilia-time.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { newDelivery } from '../../shared/domain/delivery.ts';
import { receive, settle } from '../../shared/domain/delivery-moves.ts';
import type { Notification } from '../../shared/domain/notification.ts';
import { newWebhookSettings, replaceEndpoints } from '../../shared/domain/webhook-settings.ts';
import {
  createDelivery,
  readDelivery,
  readDeliveryWithBody,
  readForAttempt,
  writeDelivery,
  writeSending,
} from '../../shared/persistence/deliveries.ts';
import { deliveryItem, parseDelivery } from '../../shared/persistence/delivery-items.ts';
import { dueOf } from '../../shared/persistence/due.ts';
import { continueRelease, releaseHeld, releaseJobPut } from '../../shared/persistence/held-deliveries.ts';
import { keys } from '../../shared/persistence/keys.ts';
import type { Item } from '../../shared/persistence/store.ts';
import { CorruptItem } from '../../shared/persistence/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '../../shared/persistence/webhook-settings.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const endpoint = 'https://partner.example/hooks';
const body = '{"amount":"10.10","name":"São João"}';

onEveryStore((store) => {
  const company = (): string => randomUUID();
  const notification = (more: Partial<Notification> = {}): Notification => {
    return { id: randomUUID(), event: 'E', target: { type: 'PAYIN' }, body, createdAt: t0, requestId: 'r', ...more };
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
  const due = async (companyId: string, until = plusSeconds(t0, 86_400)): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of dueOf(store(), companyId, 'DELIVERY', until)) ids.push(id);
    return ids;
  };
  const call = (delivery: Delivery): Delivery => {
    const message = { id: 'm', sending: delivery.sending, receives: 1 };
    const reception = receive(delivery, message, { now: t0, claimId: 'c', endpoint });
    if (reception.do !== 'call') throw new Error(reception.do);
    return reception.delivery;
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
      const facts = await readForAttempt(store(), companyId, delivery.id);
      expect(facts).toMatchObject({ delivery, body, secret, settings: { events: [{ endpoint }] } });
      expect(await readForAttempt(store(), companyId, randomUUID())).toMatchObject({ secret });
    });

    it('is written only over the version that was read, and the one that stands there comes back', async () => {
      const companyId = company();
      const claimed = call(await create(companyId));
      expect(await writeDelivery(store(), claimed)).toEqual({ ok: true });
      expect(await writeDelivery(store(), { ...claimed, endpoint: 'https://other.example/' })).toEqual({
        ok: false,
        present: claimed,
      });
      const unknown = { ...claimed, id: randomUUID() };
      expect(await writeDelivery(store(), unknown)).toEqual({ ok: false, present: undefined });
    });

    it('stands in the due index while it waits, at its time, and leaves it when it is done', async () => {
      const companyId = company();
      const claimed = call(await create(companyId));
      expect(await due(companyId, t0)).toEqual([claimed.id]);
      await writeDelivery(store(), claimed);
      const message = { id: 'm', sending: 1, receives: 1 };
      const ended = { claimId: 'c', now: t0, delays: [60], fraction: 0 };
      const failed = settle(claimed, message, { ...ended, result: { outcome: 'FAILED' } })!;
      await writeDelivery(store(), failed.delivery);
      expect(await due(companyId, plusSeconds(t0, 59))).toEqual([]);
      expect(await due(companyId, plusSeconds(t0, 60))).toEqual([claimed.id]);
      const again = receive(failed.delivery, message, { now: plusSeconds(t0, 60), claimId: 'c', endpoint });
      if (again.do !== 'call') throw new Error(again.do);
      await writeDelivery(store(), again.delivery);
      const delivered = settle(again.delivery, message, { ...ended, result: { outcome: 'DELIVERED' } })!;
      await writeDelivery(store(), delivered.delivery);
      expect(await due(companyId)).toEqual([]);
      expect(await readDelivery(store(), companyId, claimed.id)).toEqual(delivered.delivery);
    });

    it('that is not what it should be is an error, neither dropped nor served', async () => {
      const companyId = company();
      const delivery = newDelivery(companyId, notification());
      const item = deliveryItem(delivery);
      await put({ ...item, status: 'LOST' });
      await expect(readDelivery(store(), companyId, delivery.id)).rejects.toThrow(CorruptItem);
      for (const name of ['version', 'sending', 'attempts', 'target', 'createdAt', 'companyId'])
        expect(() =>
          parseDelivery(Object.fromEntries(Object.entries(item).filter(([key]) => key !== name)) as Item),
        ).toThrow(new RegExp(name, 'u'));
    });
  });

  describe('a further sending', () => {
    it('is born together with the count, or not at all', async () => {
      const companyId = company();
      const created = await create(companyId);
      const next = { ...created, sending: 2, version: 2 };
      const sending = { delivery: next, notBefore: plusSeconds(t0, 60), at: t0, token: randomUUID() };
      expect(await writeSending(store(), sending)).toEqual({ ok: true });
      const [item] = await store().read([keys.deliverySending(companyId, created.id, 2)]);
      expect(item).toMatchObject({
        entity: 'DELIVERY_SENDING',
        companyId,
        id: created.id,
        sending: 2,
        notBefore: plusSeconds(t0, 60),
        requestId: 'r',
      });
      const late = { ...created, sending: 3, version: 2 };
      expect(await writeSending(store(), { ...sending, delivery: late, token: randomUUID() })).toEqual({
        ok: false,
        present: next,
      });
      expect(await store().read([keys.deliverySending(companyId, created.id, 3)])).toEqual([undefined]);
    });
  });

  describe('what is held', () => {
    const deps = () => ({ store: store(), now: () => plusSeconds(t0, 100), newId: () => randomUUID() });
    const hold = async (companyId: string, seconds: number): Promise<Delivery> => {
      const created = newDelivery(companyId, notification());
      const { nextAttemptAt: _next, dueAt: _due, ...rest } = created;
      const held: Delivery = { ...rest, status: 'HELD', heldAt: plusSeconds(t0, seconds) };
      await put(deliveryItem(held));
      return held;
    };

    it('is released oldest first, as many as asked, and due at once', async () => {
      const companyId = company();
      const [third, first, second] = [await hold(companyId, 3), await hold(companyId, 1), await hold(companyId, 2)];
      expect(await releaseHeld(deps(), { companyId, type: 'PAYIN', limit: 2 })).toBe(2);
      expect((await due(companyId)).sort()).toEqual([first.id, second.id].sort());
      expect(await readDelivery(store(), companyId, first.id)).toMatchObject({
        status: 'PENDING',
        sending: 2,
        nextAttemptAt: plusSeconds(t0, 100),
      });
      expect(await readDelivery(store(), companyId, third.id)).toEqual(third);
      expect(await releaseHeld(deps(), { companyId, type: 'PAYIN_REFUND', limit: 2 })).toBe(0);
    });

    it('is released by its job until nothing is left and nothing can come late', async () => {
      const companyId = company();
      await put(settings(companyId), releaseJobPut({ companyId, type: 'PAYIN', createdAt: t0 }).put);
      const held = await hold(companyId, 1);
      const of = { companyId, type: 'PAYIN' as const, limit: 10 };
      const job = async () => (await store().read([keys.heldRelease(companyId, 'PAYIN')]))[0];
      expect(await continueRelease(deps(), of)).toBe(1);
      expect(await readDelivery(store(), companyId, held.id)).toMatchObject({ status: 'PENDING' });
      expect(await continueRelease(deps(), of)).toBe(0);
      expect(await job()).toBeDefined();
      await continueRelease({ ...deps(), now: () => plusSeconds(t0, 121) }, of);
      expect(await job()).toBeUndefined();
      expect(await continueRelease(deps(), of)).toBe(0);
    });
  });
});
