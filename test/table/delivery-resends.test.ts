import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, Notification, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { DeliveryResend } from '#shared/webhooks/deliveries/resend.ts';
import { newResend, readResend, resendInsert, resendDeliveries } from '#shared/webhooks/deliveries/resend.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { createResend } from '#shared/webhooks/deliveries/again.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts, deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { Fault } from '../support/faulty-store.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { dueIdsOf } from '../support/due.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const asked = plusSeconds(t0, 3600);
const payIn: NotificationTarget = { type: 'PAYIN' };

type Given = Partial<Pick<Delivery, 'status' | 'target' | 'backlog' | 'heldAt'>> & { readonly at?: number };

onEveryStore((store) => {
  /** A company whose pay-ins have an endpoint and whose payouts have none, and its deliveries; their ids in order. */
  async function given(deliveries: readonly Given[]): Promise<{ companyId: string; ids: readonly string[] }> {
    const companyId = randomUUID();
    const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
    const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint: 'https://partner.example/' }], t0);
    await put([webhookSettingsItem(settings)]);
    const created = deliveries.map(({ at = 0, status = 'FAILED', target = payIn, ...more }, place) => {
      const notification: Notification = {
        ...{ id: randomUUID(), event: 'E', body: `{"place":${place}}`, createdAt: plusSeconds(t0, at), requestId: 'r' },
        ...{ resource: { type: 'PAY_IN', id: 'o-1' }, target },
      };
      const { dueAt: _due, nextAttemptAt: _next, ...delivery } = newDelivery(companyId, notification);
      const bytes = deliveryInserts(companyId, notification)[1]!.put;
      return { id: notification.id, items: [deliveryItem({ ...delivery, status, ...more }), bytes] };
    });
    await put(created.flatMap(({ items }) => items));
    return { companyId, ids: created.map(({ id }) => id) };
  }
  async function put(items: readonly Item[]): Promise<void> {
    for (let start = 0; start < items.length; start += 100)
      await store().write(
        items.slice(start, start + 100).map((item) => ({ put: item })),
        randomUUID(),
      );
  }
  async function begin(companyId: string, createdFrom = t0): Promise<string> {
    const id = randomUUID();
    const resend = newResend({ companyId, id, createdFrom, requestId: 'asked', createdAt: asked });
    await store().write([resendInsert(resend)], randomUUID());
    return id;
  }
  const run = (companyId: string, id: string, more: { store?: Store; pages?: number } = {}): Promise<number> => {
    let left = more.pages ?? 100;
    const mayGoOn = (): boolean => left-- > 0;
    return resendDeliveries(
      { store: more.store ?? store(), now: () => asked, newId: randomUUID, mayGoOn },
      companyId,
      id,
    );
  };
  const readCurrent = async (companyId: string, id: string): Promise<DeliveryResend> => {
    return (await readResend(store(), companyId, id))!;
  };
  const isDue = async (companyId: string): Promise<boolean> =>
    (await dueIdsOf(store(), companyId, 'DELIVERY_RESEND', plusSeconds(asked, 60))).length > 0;
  /** The deliveries that repeat others, by the id of the one that each repeats. */
  async function repetitions(companyId: string): Promise<ReadonlyMap<string, readonly Delivery[]>> {
    const { found } = await listDeliveriesOf(store(), companyId, { status: 'PENDING' }, { limit: 1000 });
    return Map.groupBy(
      found.filter(({ resendOf }) => resendOf !== undefined),
      ({ resendOf = '' }) => resendOf,
    );
  }

  it('a resend sends each delivery that failed since a time once, as a new delivery of the same bytes', async () => {
    const many = Array.from({ length: 45 }, (_, place): Given => ({ at: 100 + Math.floor(place / 3) }));
    const { companyId, ids } = await given([
      ...many,
      { at: 99 },
      { at: 3600 },
      { at: 101, status: 'DELIVERED' },
      { at: 101, status: 'PENDING' },
    ]);
    const id = await begin(companyId, plusSeconds(t0, 100));
    expect(await isDue(companyId)).toBe(true);
    expect(await run(companyId, id)).toBe(45);
    const again = await repetitions(companyId);
    expect([...again.keys()].toSorted()).toEqual(ids.slice(0, 45).toSorted());
    for (const [original, copies] of again) {
      expect(copies).toMatchObject([{ event: 'E', target: payIn, status: 'PENDING', requestId: 'asked', dispatch: 1 }]);
      expect(await readDelivery(store(), companyId, original)).toMatchObject({
        status: 'FAILED',
        resentAs: copies[0]!.id,
      });
    }
    expect(await readCurrent(companyId, id)).toMatchObject({ sentCount: 45, heldCount: 0, completedAt: asked });
    expect(await isDue(companyId)).toBe(false);
    expect(await run(companyId, id)).toBe(0);
  });

  it('a resend skips a delivery when it was sent again before, by an earlier resend or by hand', async () => {
    const { companyId, ids } = await given([{}, {}]);
    const byHand = { id: randomUUID(), createdAt: asked, requestId: 'r' };
    await createResend(store(), { companyId, id: ids[0]! }, byHand, { newId: randomUUID });
    expect(await run(companyId, await begin(companyId))).toBe(1);
    const second = await begin(companyId);
    expect(await run(companyId, second)).toBe(0);
    expect(await readCurrent(companyId, second)).toMatchObject({ sentCount: 0, heldCount: 0, completedAt: asked });
    expect((await repetitions(companyId)).size).toBe(2);
  });

  it('a resend sends a held delivery itself, and leaves it held when its type has no endpoint', async () => {
    const held = { status: 'HELD', heldAt: t0 } as const;
    const { companyId, ids } = await given([
      { ...held, backlog: 'type:PAYIN' },
      // Held for more than 7 days: in no backlog any more.
      { status: 'HELD' },
      { ...held, backlog: 'type:PAYOUT', target: { type: 'PAYOUT' } },
    ]);
    const id = await begin(companyId);
    expect(await run(companyId, id)).toBe(2);
    expect(await readCurrent(companyId, id)).toMatchObject({ sentCount: 2, heldCount: 1, completedAt: asked });
    const [first, second, third] = await Promise.all(ids.map((one) => readDelivery(store(), companyId, one)));
    for (const sent of [first!, second!]) {
      expect(sent).toMatchObject({ status: 'PENDING', dispatch: 2, nextAttemptAt: asked, dueAt: asked });
      expect(sent).not.toHaveProperty('backlog');
      expect(sent).not.toHaveProperty('heldAt');
    }
    expect(third).toMatchObject({ status: 'HELD', backlog: 'type:PAYOUT', dispatch: 1 });
    expect((await repetitions(companyId)).size).toBe(0);
  });

  it('a resend continues at its last position when its time was over', async () => {
    const { companyId } = await given(Array.from({ length: 50 }, (_, at) => ({ at })));
    const id = await begin(companyId);
    expect(await run(companyId, id, { pages: 1 })).toBe(19);
    expect(await readCurrent(companyId, id)).toMatchObject({ sentCount: 19, position: { status: 'FAILED' } });
    expect(await isDue(companyId)).toBe(true);
    expect(await run(companyId, id)).toBe(31);
    expect(await readCurrent(companyId, id)).toMatchObject({ sentCount: 50, completedAt: asked });
  });

  it('a resend sends each delivery once, also with concurrent runs and resends whose calls fail or lose their response', async () => {
    const { companyId, ids } = await given([
      ...Array.from({ length: 45 }, (_, at) => ({ at })),
      ...Array.from({ length: 25 }, (_, at): Given => ({ at, status: 'HELD', heldAt: t0, backlog: 'type:PAYIN' })),
    ]);
    const resends = [await begin(companyId), await begin(companyId)];
    let calls = 0;
    // Of the calls every fifth fails, in turn before and after it was carried out.
    const nextFault = (): Fault => ((calls += 1) % 5 === 0 ? (calls % 10 === 0 ? 'before' : 'after') : 'none');
    const faulty = faultyStore(store(), { nextFault });
    const untilDone = async (id: string): Promise<void> => {
      for (let tries = 0; tries < 200 && (await readCurrent(companyId, id)).completedAt === undefined; tries += 1)
        await run(companyId, id, { store: faulty }).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error;
        });
    };
    await Promise.all([...resends, ...resends].map(untilDone));
    const again = await repetitions(companyId);
    expect([...again.keys()].toSorted()).toEqual(ids.slice(0, 45).toSorted());
    for (const copies of again.values()) expect(copies).toHaveLength(1);
    for (const id of ids.slice(45))
      expect(await readDelivery(store(), companyId, id)).toMatchObject({ status: 'PENDING', dispatch: 2 });
    const sums = await Promise.all(resends.map((id) => readCurrent(companyId, id)));
    expect(sums.reduce((total, { sentCount }) => total + sentCount, 0)).toBe(70);
  });

  it('a resend is not read by another company', async () => {
    const { companyId } = await given([{}]);
    expect(await readResend(store(), randomUUID(), await begin(companyId))).toBeUndefined();
  });
});
