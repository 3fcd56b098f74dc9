import { beforeEach, describe, expect, it, vi } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { maxSlots } from '#shared/webhooks/health/circuit.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { backlogItem } from '#shared/webhooks/backlog/store.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, endpoint, name, notifierWorld, t0 } from './notifier-world.ts';

const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200 };
const hung: CallResult = { outcome: 'FAILED', error: 'TIMEOUT' };

let now: string;
let hanging: { id: string; whenLong: () => void; end: (result: CallResult) => void }[];
let { table, counted, given, receive, present, backlog, dispatches } = {} as NotifierWorld;

beforeEach(async () => {
  [now, hanging] = [t0, []];
  ({ table, counted, given, receive, present, backlog, dispatches } = await notifierWorld({
    now: () => now,
    send: ({ headers }, whenLong) =>
      new Promise((end) => {
        hanging.push({ id: headers['webhook-id'] ?? '', whenLong, end });
      }),
  }));
});

/** A call that hangs, and is slow by now unless said; its worker goes on when it ends. */
const begin = async (id: string, { isSlow = true, dispatch = 1 } = {}) => {
  if ((await readDelivery(table, companyId, id)) === undefined) await given(id);
  const before = hanging.length;
  const worker = receive(id, dispatch);
  await vi.waitFor(() => {
    expect(hanging).toHaveLength(before + 1);
  });
  const call = hanging.at(-1)!;
  if (isSlow) {
    const slotsBefore = (await backlog())?.slots?.length ?? 0;
    call.whenLong();
    const slots = Math.min(maxSlots, slotsBefore + 1);
    await vi.waitFor(async () => {
      expect((await backlog())?.slots).toHaveLength(slots);
    });
  }
  return async (result: CallResult) => {
    call.end(result);
    await worker;
  };
};

describe('an endpoint that takes its time', () => {
  it('costs a write when a call becomes slow, and one when that ends; a quick call costs none', async () => {
    const quick = await begin('d-1', { isSlow: false });
    await quick(delivered);
    expect(counted.writes).toBe(2);
    const slow = await begin('d-2');
    expect(counted.writes).toBe(4);
    expect(await backlog()).toMatchObject({ slots: [{ deliveryId: 'd-2', until: plusSeconds(t0, 20) }] });
    await slow(delivered);
    expect(counted.writes).toBe(6);
    expect(await backlog()).toEqual({ companyId, name, endpoint, version: 2 });
  });

  it('has its slow call and its failure written at once', async () => {
    const slow = await begin('d-1');
    await slow(hung);
    expect(counted.writes).toBe(4);
    expect(await backlog()).toMatchObject({ version: 2, failures: [{ timedOut: true }] });
    expect(await backlog()).not.toHaveProperty('slots');
  });

  it('is called no more with three slow calls, but by one after the other from its line, uncharged', async () => {
    const ends = [];
    for (const id of ['d-1', 'd-2', 'd-3']) ends.push(await begin(id));
    for (const id of ['d-4', 'd-5', 'd-6']) {
      now = plusSeconds(now, 1);
      await given(id);
      expect(await receive(id)).toEqual({ do: 'ack' });
    }
    expect(hanging).toHaveLength(3);
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-4', dispatch: 2 }]);
    for (const id of ['d-5', 'd-6']) expect(await present(id)).toMatchObject({ backlog: name, attempts: [] });
    await (
      await begin('d-4', { dispatch: 2 })
    )(delivered);
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-4' }, { deliveryId: 'd-5' }]);
    await (
      await begin('d-5', { dispatch: 2 })
    )(delivered);
    for (const end of ends) await end(delivered);
    await (
      await begin('d-6', { dispatch: 2, isSlow: false })
    )(delivered);
    for (const id of ['d-1', 'd-2', 'd-3', 'd-4', 'd-5', 'd-6'])
      expect(await present(id)).toMatchObject({ status: 'DELIVERED', attempts: [{ number: 1 }] });
  });

  it('stops retries too, which wait for their time first', async () => {
    const retried = await begin('d-0', { isSlow: false });
    await retried(hung);
    for (const id of ['d-1', 'd-2', 'd-3']) await begin(id);
    expect(await receive('d-0', 1, 2)).toMatchObject({ do: 'retry' });
    now = plusSeconds(t0, 60);
    const leaseUntil = plusSeconds(now, 20);
    await table.write(
      [{ put: backlogItem({ ...(await backlog())!, slots: slowUntil(leaseUntil) }, now) }],
      'still slow',
    );
    expect(await receive('d-0', 1, 2)).toEqual({ do: 'ack' });
    expect(await present('d-0')).toMatchObject({
      attempts: [{ outcome: 'FAILED' }],
      releasedFrom: { backlog: name },
      dispatch: 2,
    });
  });

  it('is called again when the leases of workers that died are over', async () => {
    for (const id of ['d-1', 'd-2', 'd-3']) await begin(id);
    now = plusSeconds(t0, 20);
    await begin('d-4', { isSlow: false });
    expect(await present('d-4')).toMatchObject({ claim: { number: 1 } });
  });

  it('lets out whoever came while the last one left, when a slow call ends', async () => {
    const ends = [];
    for (const id of ['d-1', 'd-2', 'd-3']) ends.push(await begin(id));
    await given('d-4');
    const waiting = { ...(await present('d-4')), version: 2, backlog: name };
    await table.write([{ put: deliveryItem(waiting) }], 'came late');
    await ends[0]!(delivered);
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-4', dispatch: 2 }]);
  });
});

const slowUntil = (until: string) => ['d-1', 'd-2', 'd-3'].map((deliveryId) => ({ deliveryId, until }));
