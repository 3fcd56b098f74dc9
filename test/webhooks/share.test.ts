import { expect, test, vi } from 'vitest';
import { instantFromEpochMs, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { deliver, deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { Share } from '#shared/webhooks/dispatch/share.ts';
import { shareOf } from '#shared/webhooks/dispatch/share.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { workers } from '#functions/workers.ts';
import { memoryStore } from '../support/memory-store.ts';
import { fc } from '../support/properties.ts';
import { testIds } from '../support/test-ids.ts';
import { companyId, notifierWorld, t0 } from './notifier-world.ts';

const companyShare = 12;
const late = { createdAt: plusSeconds(t0, -60) };

/** Receives of a company whose deliveries all come late, at a time that a test sets. */
function givenShares(store: Store = memoryStore()) {
  const clock = { seconds: 0 };
  const ids = testIds();
  const now = () => instantFromEpochMs(Date.parse(t0) + 1000 * clock.seconds);
  const receive = async (count: number): Promise<Share | undefined> => {
    const share = shareOf({ store, now, newId: () => ids.uuid(), companyShare }, companyId, count);
    return (await share.mayCall(late)) ? share : undefined;
  };
  return { clock, receive };
}

test('the calls of a company stay within its share when workers take, give back, die or wait, and all places come back', async () => {
  const lifeSeconds = workers['deliver-notification'].timeoutSeconds;
  const steps = fc.oneof(
    fc.record({ does: fc.constant('take'), counts: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 6 }) }),
    fc.record({ does: fc.constantFrom('give', 'die'), which: fc.nat(20) }),
    fc.record({ does: fc.constant('wait'), seconds: fc.integer({ min: 1, max: 25 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (script) => {
      const { clock, receive } = givenShares();
      let living: { readonly share: Share; readonly count: number; readonly from: number; isDead?: true }[] = [];
      const open = (): number => living.reduce((sum, { count }) => sum + count, 0);
      const goOn = async (seconds: number): Promise<void> => {
        clock.seconds += seconds;
        const ended = living.filter(({ from }) => clock.seconds - from >= lifeSeconds);
        living = living.filter((one) => !ended.includes(one));
        for (const { share, isDead } of ended) if (isDead === undefined) await share.giveBack();
      };
      for (const step of script) {
        if ('counts' in step) {
          const taken = await Promise.all(step.counts.map(receive));
          for (const [place, share] of taken.entries())
            if (share !== undefined) living.push({ share, count: step.counts[place]!, from: clock.seconds });
        } else if ('seconds' in step) await goOn(step.seconds);
        else if (living.length > 0) {
          const one = living[step.which % living.length]!;
          if (step.does === 'die') one.isDead = true;
          else if (one.isDead === undefined) {
            living = living.filter((other) => other !== one);
            await one.share.giveBack();
          }
        }
        expect(open()).toBeLessThanOrEqual(companyShare);
      }
      await goOn(25);
      expect(await receive(companyShare)).toBeDefined();
    }),
  );
});

test('a receive takes all of its places or none, and frees them for the next one', async () => {
  const { receive } = givenShares();
  const [first, second, third] = [await receive(5), await receive(5), await receive(5)];
  expect([first === undefined, second === undefined, third === undefined]).toEqual([false, false, true]);
  expect(await receive(2)).toBeDefined();
  expect(await receive(1)).toBeUndefined();
  await first?.giveBack();
  expect(await receive(5)).toBeDefined();
});

test('a receive frees its places once, however often it is told to', async () => {
  const { receive } = givenShares();
  const [first, second] = [await receive(5), await receive(5)];
  await Promise.all([first?.giveBack(), first?.giveBack()]);
  await first?.giveBack();
  expect(await receive(5)).toBeDefined();
  expect(await receive(5)).toBeUndefined();
  expect(second).toBeDefined();
});

test('places that come back after the count began anew do not add to it', async () => {
  const { clock, receive } = givenShares();
  const first = await receive(5);
  clock.seconds = 21;
  expect(await receive(5)).toBeDefined();
  await first?.giveBack();
  expect(await receive(5)).toBeDefined();
  expect(await receive(5)).toBeUndefined();
});

test.each([
  ['takes no place and writes nothing with 14 new deliveries', 14, 0, 0],
  ['takes places with 15 new deliveries', 15, 0, 1],
  ['takes no place with 15 of which the first is older than two seconds', 15, 2.001, 0],
])('a company %s', async (_title, count, ageSeconds, takings) => {
  const clock = { now: plusSeconds(t0, -ageSeconds) };
  const { deps, given, counted, table } = await notifierWorld({ now: () => clock.now, send: delivered });
  await given('0');
  clock.now = t0;
  for (let place = 1; place < count; place += 1) await given(String(place));
  counted.writes = 0;
  const share = shareOf({ ...deps, companyShare }, companyId, 1);
  expect(await share.mayCall({ createdAt: t0 })).toBe(true);
  const items = table.all().filter(({ entity }) => entity === 'DELIVERY_PLACES');
  expect(items.map(({ left }) => left)).toEqual(Array.from({ length: takings }, () => companyShare - 1));
  await share.giveBack();
  expect(counted.writes).toBe(takings === 0 ? 0 : 3);
});

test('calls begin when the table does not respond: places protect others and are no condition', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const unavailable = () => Promise.reject(new StoreUnavailable('x'));
  const { receive } = givenShares({ ...memoryStore(), query: unavailable, writeOne: unavailable });
  const share = await receive(5);
  expect(share).toBeDefined();
  await share?.giveBack();
});

const delivered = (): Promise<CallResult> => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200 });
const share = { mayCall: () => Promise.resolve(false), giveBack: () => Promise.resolve() };

test('a delivery without a place waits in the queue once, and is then left to the drain, both without a call', async () => {
  let calls = 0;
  const send = () => ((calls += 1), delivered());
  const { deps, given, counted, present, health } = await notifierWorld({ now: () => t0, send });
  await given('d');
  counted.writes = 0;
  const receive = (receives: number, random: number) => {
    const message = { companyId, deliveryId: 'd', dispatch: 1, id: 'm', receives };
    return deliver(message, { ...deps, random: () => random, share });
  };
  expect(await receive(1, 0)).toEqual({ do: 'retry', inSeconds: 2 });
  expect(await receive(1, 0.999)).toEqual({ do: 'retry', inSeconds: 4 });
  expect(counted.writes).toBe(0);
  expect(await receive(2, 0)).toEqual({ do: 'ack' });
  expect(await present('d')).toMatchObject({ status: 'PENDING', backlog: 'type:PAYIN', attempts: [] });
  expect(await health()).toMatchObject({ drainAt: t0, backlogs: [{ name: 'type:PAYIN' }] });
  expect(calls).toBe(0);
});

const recordOf = (id: string) => ({
  messageId: `m-${id}`,
  body: JSON.stringify({ companyId, deliveryId: id, dispatch: 1 }),
  attributes: { ApproximateReceiveCount: '1' },
});

test('a receive frees the places of a company as soon as its calls have ended, while a call of another hangs', async () => {
  const hanging = Promise.withResolvers<CallResult>();
  const { deps, given, table } = await notifierWorld({
    now: () => t0,
    send: ({ headers }) => (headers['webhook-id'] === 'd-0' ? hanging.promise : delivered()),
  });
  for (let place = 0; place < 16; place += 1) await given(`d-${place}`);
  const left = () => table.all().find(({ entity }) => entity === 'DELIVERY_PLACES')?.['left'];
  const receive = (...ids: readonly string[]) => {
    const records = ids.map(recordOf);
    return deliverBatch(records as never, { ...deps, companyShare, hide: () => Promise.resolve() });
  };
  const stuck = receive('d-0', 'd-1');
  await expect.poll(left).toBe(companyShare - 2);
  expect(await receive('d-2', 'd-3', 'd-4')).toEqual([]);
  expect(left()).toBe(companyShare - 2);
  hanging.resolve({ outcome: 'DELIVERED', httpStatus: 200 });
  expect(await stuck).toEqual([]);
  expect(left()).toBe(companyShare);
});

test('a receive frees the places of a company as soon as the circuit of a slow call is marked, while the call goes on', async () => {
  const hanging = Promise.withResolvers<CallResult>();
  let whenSlow: ((isConnected: boolean) => void) | undefined;
  const { deps, given, table, health } = await notifierWorld({
    now: () => t0,
    send: (_call, slow) => ((whenSlow = slow), hanging.promise),
  });
  for (let place = 0; place < 16; place += 1) await given(`d-${place}`);
  const left = () => table.all().find(({ entity }) => entity === 'DELIVERY_PLACES')?.['left'];
  const stuck = deliverBatch([recordOf('d-0')] as never, { ...deps, companyShare, hide: () => Promise.resolve() });
  await expect.poll(() => whenSlow).toBeDefined();
  expect(left()).toBe(companyShare - 1);
  whenSlow?.(true);
  await expect.poll(left).toBe(companyShare);
  expect((await health()).circuits).toContainEqual(expect.objectContaining({ state: 'BUSY' }));
  hanging.resolve({ outcome: 'FAILED', error: 'TIMEOUT' });
  await stuck;
  expect(left()).toBe(companyShare);
});
