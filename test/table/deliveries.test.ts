import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, Notification } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { decide, recordOutcome } from '#shared/webhooks/deliveries/states.ts';
import type { Backlog } from '#shared/webhooks/backlog/model.ts';
import { newBacklog, releaseBacklog } from '#shared/webhooks/backlog/model.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { beginRelease } from '#shared/webhooks/backlog/advance.ts';
import {
  createDelivery,
  readDelivery,
  readDeliveryWithBody,
  readForAttempt,
  writeDelivery,
  writeDispatch,
} from '#shared/webhooks/deliveries/store.ts';
import { deliveryItem, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import {
  appendFailure,
  endpointBacklog,
  backlogItem,
  backlogPut,
  readBacklog,
  writeBacklog,
} from '#shared/webhooks/backlog/store.ts';
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
  const due = (companyId: string, until = plusSeconds(t0, 86_400)): Promise<readonly string[]> =>
    dueIdsOf(store(), companyId, 'DELIVERY', until);
  const call = (delivery: Delivery): Delivery => {
    const message = { id: 'm', dispatch: delivery.dispatch, receives: 1 };
    const decision = decide(delivery, message, {
      now: delivery.nextAttemptAt ?? t0,
      claimId: 'c',
      admission: { to: 'endpoint', endpoint },
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
      const message = { id: 'm', dispatch: 1, receives: 1 };
      const ended = { claimId: 'c', now: t0, delays: [60], fraction: 0 };
      const failed = recordOutcome(claimed, message, { ...ended, result: { outcome: 'FAILED' } })!;
      await writeDelivery(store(), failed.delivery);
      expect(await due(companyId, plusSeconds(t0, 59))).toEqual([]);
      expect(await due(companyId, plusSeconds(t0, 60))).toEqual([claimed.id]);
      const again = decide(failed.delivery, message, {
        now: plusSeconds(t0, 60),
        claimId: 'c',
        admission: { to: 'endpoint', endpoint },
      });
      if (again.do !== 'call') throw new Error(again.do);
      await writeDelivery(store(), again.delivery);
      const delivered = recordOutcome(again.delivery, message, { ...ended, result: { outcome: 'DELIVERED' } })!;
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
        present: next,
      });
      expect(await store().read([keys.deliveryDispatch(companyId, created.id, 3, plusSeconds(t0, 60))])).toEqual([
        undefined,
      ]);
    });
  });

  describe('a line', () => {
    const now = plusSeconds(t0, 100);
    const deps = (at = now) => ({
      store: store(),
      now: () => at,
      newId: () => randomUUID(),
      onBacklog: () => undefined,
    });
    const hold = async (companyId: string, seconds: number): Promise<Delivery> => {
      const { nextAttemptAt: _next, dueAt: _due, ...rest } = newDelivery(companyId, notification());
      const createdAt = plusSeconds(t0, seconds);
      const held: Delivery = { ...rest, createdAt, status: 'HELD', heldAt: createdAt, backlog: 'type:PAYIN' };
      await put(deliveryItem(held));
      return held;
    };
    const name = 'type:PAYIN';

    it('lets one out after the other, oldest first, each when the attempt of the one before has ended', async () => {
      const companyId = company();
      await put(settings(companyId), backlogPut(releaseBacklog(newBacklog(companyId, name), t0), t0).put);
      const [third, first, second] = [await hold(companyId, 3), await hold(companyId, 1), await hold(companyId, 2)];
      for (const next of [first, second, third]) {
        await beginRelease(deps(), { companyId, name });
        await beginRelease(deps(), { companyId, name });
        expect(await due(companyId)).toEqual([next.id]);
        const out = await readDelivery(store(), companyId, next.id);
        expect(out).toMatchObject({
          status: 'PENDING',
          dispatch: 2,
          nextAttemptAt: now,
          releasedFrom: { backlog: name },
        });
        const called = call(out!);
        await writeDelivery(store(), called);
        await beginRelease(deps(), { companyId, name });
        expect(await due(companyId)).toEqual([next.id]);
        const ended = { claimId: 'c', now, delays: [60], fraction: 0, result: { outcome: 'DELIVERED' as const } };
        const settled = recordOutcome(called, { id: 'm', dispatch: 2, receives: 1 }, ended)!;
        await writeDelivery(store(), settled.delivery);
      }
      await beginRelease(deps(), { companyId, name });
      expect(await readBacklog(store(), companyId, name)).toMatchObject({
        releasedAt: t0,
        dueAt: plusSeconds(t0, 121),
      });
      await beginRelease(deps(plusSeconds(t0, 121)), { companyId, name });
      expect(await readBacklog(store(), companyId, name)).toEqual({
        companyId,
        name,
        version: expect.any(Number) as number,
      });
    });

    it('is let out of once by many at once', async () => {
      const companyId = company();
      await put(settings(companyId), backlogPut(releaseBacklog(newBacklog(companyId, name), t0), t0).put);
      for (let place = 0; place < 5; place += 1) await hold(companyId, place);
      await Promise.all(Array.from({ length: 8 }, () => beginRelease(deps(), { companyId, name })));
      expect(await due(companyId)).toHaveLength(1);
    });

    it('is read as it was written, and only over the version that was read', async () => {
      const companyId = company();
      const endpointName = endpointBacklog(endpoint);
      const failures = Array.from({ length: 50 }, (_, place) => {
        return { at: plusSeconds(t0, place), deliveryId: randomUUID(), timedOut: place % 2 === 0 };
      });
      const open = { at: t0, failingSince: t0, probes: 3, probedAt: t0 };
      const held = { at: t0, by: 'CIRCUIT', failingSince: t0, upTo: `${t0}#d`, isMarked: true } as const;
      const inFlight = { deliveryId: 'd', dispatch: 2 };
      const backlog: Backlog = {
        ...newBacklog(companyId, endpointName, endpoint),
        version: 1,
        failures,
        open,
        held,
        inFlight,
        dueAt: t0,
      };
      expect(await writeBacklog(store(), backlog, t0)).toEqual({ ok: true });
      expect(await readBacklog(store(), companyId, endpointName)).toEqual(backlog);
      expect(await writeBacklog(store(), { ...backlog, version: 1 }, t0)).toEqual({ ok: false, present: backlog });
      expect(await writeBacklog(store(), { ...backlog, version: 3 }, t0)).toEqual({ ok: false, present: backlog });
      const ordinary = backlogItem(
        { ...newBacklog(companyId, endpointName, endpoint), failures: failures.slice(0, 5) },
        t0,
      );
      expect(JSON.stringify(ordinary).length).toBeLessThan(1024);
    });

    it('counts every failure of workers that fail at once, and none when the circuit is open or nothing is counted', async () => {
      const companyId = company();
      const failureOf = (place: number) => ({ at: t0, deliveryId: `d-${place}`, timedOut: true });
      const slots = [{ deliveryId: randomUUID(), until: plusSeconds(t0, 20) }];
      const backlog: Backlog = { ...newBacklog(companyId, endpointBacklog(endpoint), endpoint), version: 1, slots };
      expect(await appendFailure(store(), backlog, failureOf(0))).toEqual({ ok: false, present: undefined });
      await writeBacklog(store(), { ...backlog, failures: [failureOf(0)] }, t0);
      const places = Array.from({ length: 50 }, (_, place) => place + 1);
      await Promise.all(places.map((place) => appendFailure(store(), backlog, failureOf(place))));
      const present = (await readBacklog(store(), companyId, backlog.name))!;
      expect(present).toMatchObject({ version: 51, slots });
      expect(new Set(present.failures?.map(({ deliveryId }) => deliveryId)).size).toBe(51);
      const open = { at: t0, failingSince: t0, probes: 0, probedAt: t0 };
      const opened = { ...present, version: 52, open };
      await writeBacklog(store(), opened, t0);
      expect(await appendFailure(store(), backlog, failureOf(99))).toEqual({ ok: false, present: opened });
    });
  });
});
