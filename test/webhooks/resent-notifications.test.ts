import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Key } from '#shared/platform/table/store.ts';
import { createResend } from '#shared/webhooks/deliveries/again.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import { newResend, resendDeliveries, resendInsert } from '#shared/webhooks/deliveries/resend.ts';
import { webhookSecretItem } from '#shared/webhooks/settings-store.ts';
import { fc } from '../support/properties.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, notifierWorld, t0 } from './notifier-world.ts';

type Call = { readonly id: string; readonly signature: string };

const isOfFirst = ({ PK, SK }: Key): boolean =>
  [keys.delivery(companyId, 'd-1'), keys.deliveryBody(companyId, 'd-1')].some((key) => key.PK === PK && key.SK === SK);
const days = (count: number): number => count * 86_400;

async function resentWorld() {
  const clock = { now: t0 };
  const calls: Call[] = [];
  let isTaking = true;
  const world = await notifierWorld({
    now: () => clock.now,
    send: ({ headers }) => {
      calls.push({ id: headers['webhook-id'] ?? '', signature: headers['webhook-signature'] ?? '' });
      return Promise.resolve(
        isTaking
          ? { outcome: 'DELIVERED', httpStatus: 200, durationMs: 1 }
          : { outcome: 'FAILED', error: 'STATUS', httpStatus: 500, durationMs: 1 },
      );
    },
  });
  /** The endpoint acknowledges it immediately, or fails at every call. */
  const end = async (id: string, outcome: 'taken' | 'fails'): Promise<void> => {
    isTaking = outcome === 'taken';
    for (let receives = 1; receives <= 5; receives += 1) {
      const { status, nextAttemptAt = clock.now } = await world.present(id);
      if (status !== 'PENDING') return;
      clock.now = nextAttemptAt > clock.now ? nextAttemptAt : clock.now;
      await world.receive(id, 1, receives);
    }
  };
  const again = async (id: string): Promise<string> => {
    clock.now = plusSeconds(clock.now, 1);
    const { newId, store } = world.deps;
    const resend = await createResend(
      store,
      { companyId, id },
      { id: newId(), createdAt: clock.now, requestId: 'r' },
      { newId },
    );
    return resend!.delivery.id;
  };
  const all = (): Delivery[] =>
    world.table.all().flatMap((item) => (item['entity'] === 'DELIVERY' ? [parseDelivery(item)] : []));
  const open = async (more: object = {}): Promise<readonly string[]> =>
    (await listDeliveriesOf(world.table, companyId, { open: 'true', ...more }, { limit: 100 })).found.map(
      ({ id }) => id,
    );
  return { ...world, clock, calls, end, again, all, open };
}

type World = NotifierWorld & Awaited<ReturnType<typeof resentWorld>>;
let world: World;
beforeEach(async () => {
  world = await resentWorld();
  await world.given('first');
});

describe('a notification that is sent again', () => {
  it('has the webhook-id of its first delivery on every attempt of every resend, also of a resend', async () => {
    await world.end('first', 'fails');
    const second = await world.again('first');
    await world.end(second, 'fails');
    const third = await world.again(second);
    await world.end(third, 'taken');
    expect(world.calls).toHaveLength(11);
    expect(new Set(world.calls.map(({ id }) => id))).toEqual(new Set(['first']));
    expect(await world.present(second)).toMatchObject({ status: 'FAILED', resendOf: 'first' });
    expect(await world.present(third)).toMatchObject({ status: 'DELIVERED', resendOf: 'first' });
    expect(await world.present('first')).toMatchObject({ resentAs: third });
    expect(await world.present(second)).not.toHaveProperty('resentAs');
  });

  it('is signed under that id with the secret of the day', async () => {
    const second = await world.again('first');
    await world.table.writeOne({
      put: webhookSecretItem({ companyId, current: 'whsec_BBBB', createdAt: t0, version: 2 }),
    });
    await world.end(second, 'taken');
    expect(world.calls).toMatchObject([{ id: 'first', signature: expect.stringMatching(/^v1,/u) as string }]);
  });

  it.each(['FAILED', 'HELD'] as const)('is open while it is %s, until a resend of it is delivered', async (status) => {
    const before = await world.present('first');
    if (status === 'FAILED') await world.end('first', 'fails');
    else await holdFirst(before);
    expect(await world.open()).toEqual(['first']);
    expect(await world.open({ status })).toEqual(['first']);
    expect(await world.open({ status: 'PENDING' })).toEqual([]);
    expect(await world.open({ event: 'E' })).toEqual(['first']);
    expect(await world.open({ event: 'other' })).toEqual([]);
    expect(await world.open({ resourceId: 'o-first' })).toEqual(['first']);
    const second = await world.again('first');
    expect(await world.open()).toEqual(['first']);
    await world.end(second, 'fails');
    expect(await world.open()).toEqual([second, 'first']);
    const third = await world.again('first');
    await world.end(third, 'taken');
    for (const more of [{}, { status }, { event: 'E' }, { resourceId: 'o-first' }])
      expect(await world.open(more)).toEqual([]);
    expect(await world.present('first')).toMatchObject({ status, resentAs: third });
    const { found } = await listDeliveriesOf(world.table, companyId, { status }, { limit: 9 });
    expect(found.map(({ id }) => id)).toContain('first');
  });

  it('is open when a resend fails after it was taken, until another resend is taken', async () => {
    await world.end('first', 'taken');
    const second = await world.again('first');
    await world.end(second, 'fails');
    expect(await world.open()).toEqual([second]);
    await world.end(await world.again(second), 'taken');
    expect(await world.open()).toEqual([]);
  });

  it('is closed by its own late attempt, with the resend that failed meanwhile', async () => {
    const second = await world.again('first');
    await world.end(second, 'fails');
    expect(await world.open()).toEqual([second]);
    await world.end('first', 'taken');
    expect(await world.open()).toEqual([]);
  });

  it('has a resend for each of many concurrent requests, all closed when one of them is taken', async () => {
    await world.end('first', 'fails');
    const resendIds = await Promise.all(Array.from({ length: 4 }, () => world.again('first')));
    const first = await world.present('first');
    expect(new Set(first.resends)).toEqual(new Set(resendIds));
    await Promise.all([world.end(resendIds[0]!, 'taken'), world.again('first')]);
    for (const id of resendIds.slice(1)) await world.end(id, 'fails');
    expect(await world.open()).toEqual([]);
  });

  it('is closed by one resend that is taken after more failed ones than can be open', async () => {
    await world.end('first', 'fails');
    for (let count = 0; count < 25; count += 1) await world.end(await world.again('first'), 'fails');
    expect(await world.open()).toHaveLength(21);
    await world.end(await world.again('first'), 'taken');
    expect(await world.open()).toEqual([]);
  });

  it('whose first delivery the table has forgotten goes out under its webhook-id', async () => {
    await world.end('first', 'fails');
    const second = await world.again('first');
    await world.end(second, 'fails');
    for (const key of [keys.delivery(companyId, 'first'), keys.deliveryBody(companyId, 'first')])
      await world.table.write([{ delete: key }], key.SK);
    const third = await world.again(second);
    await world.end(third, 'taken');
    expect(world.calls.at(-1)).toMatchObject({ id: 'first' });
    expect(world.all().map(({ id }) => id)).not.toContain('first');
  });

  it('is passed over by a resend of all that was not delivered once it was taken', async () => {
    await world.end('first', 'fails');
    const second = await world.again('first');
    await world.end(second, 'fails');
    expect(await resendAll('one')).toBe(1);
    const third = world.all().find(({ status }) => status === 'PENDING')!;
    expect(third).toMatchObject({ resendOf: 'first' });
    expect(await resendAll('two')).toBe(0);
    await world.end(third.id, 'taken');
    expect(await resendAll('three')).toBe(0);
  });
});

async function holdFirst(before: Delivery): Promise<void> {
  const { dueAt: _due, nextAttemptAt: _next, ...rest } = before;
  const { deliveryItem } = await import('#shared/platform/outbox/delivery-items.ts');
  const held = { ...rest, status: 'HELD', heldAt: t0, backlog: 'type:PAYIN', version: 2 } as const;
  await world.table.writeOne({ put: deliveryItem(held) });
}

async function resendAll(id: string): Promise<number> {
  world.clock.now = plusSeconds(world.clock.now, 60);
  const at = world.clock.now;
  const resend = newResend({ companyId, id, createdFrom: t0, requestId: 'r', createdAt: at });
  await world.table.write([resendInsert(resend)], `resend-${id}`);
  return resendDeliveries({ ...world.deps, mayGoOn: () => true }, companyId, id);
}

type Act = { readonly does: 'resend' | 'taken' | 'fails'; readonly of: number };

it('a delivery is open when it failed and its notification was not taken since, after any history of two', async () => {
  const act = fc.record({
    does: fc.constantFrom('resend', 'taken', 'fails'),
    of: fc.nat(20),
  }) satisfies fc.Arbitrary<Act>;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 25 }), async (acts) => {
      const history = await resentWorld();
      for (const id of ['a', 'b']) await history.given(id);
      /** By delivery: its notification, the place of its creation, and that of its failure. */
      const known = ['a', 'b'].map((id) => ({ id, webhookId: id, made: -1, hasFailed: false, isOver: false }));
      const taken: { webhookId: string; at: number }[] = [];
      for (const [place, { does, of }] of acts.entries()) {
        const one = known[of % known.length]!;
        const { id, webhookId } = one;
        if (does === 'resend')
          known.push({ id: await history.again(id), webhookId, made: place, hasFailed: false, isOver: false });
        else if (!one.isOver) {
          await history.end(id, does);
          one.isOver = true;
          one.hasFailed = does === 'fails';
          if (does === 'taken') taken.push({ webhookId, at: place });
        }
      }
      const expected = known.filter(
        ({ webhookId, made, hasFailed }) =>
          hasFailed && !taken.some((one) => one.webhookId === webhookId && one.at > made),
      );
      expect(new Set(await history.open())).toEqual(new Set(expected.map(({ id }) => id)));
      expect(history.calls.every(({ id }) => id === 'a' || id === 'b')).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('a notification that was sent again is kept, its bytes too, as long as its last resend', async () => {
  const world = await resentWorld();
  await world.given('d-1');
  const ends = () => world.table.all().flatMap((item) => (isOfFirst(item) ? [item['expiresAt'] as number] : []));
  const before = ends();
  expect(before).toHaveLength(2);
  world.clock.now = plusSeconds(t0, days(80));
  await world.again('d-1');
  expect(ends()).toEqual(before.map((end) => end + days(80) + 1));
});
