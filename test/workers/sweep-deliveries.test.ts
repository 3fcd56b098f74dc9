import { beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../functions/workers/sweep-deliveries/dead-letters.ts';
import { removeStaleLetters } from '../../functions/workers/sweep-deliveries/dead-letters.ts';
import type { SweepDeps } from '../../functions/workers/sweep-deliveries/sweep.ts';
import { sweep } from '../../functions/workers/sweep-deliveries/sweep.ts';
import { plusSeconds } from '../../shared/domain/brasilia-time.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { newDelivery } from '../../shared/domain/delivery.ts';
import { newWebhookSettings, replaceEndpoints } from '../../shared/domain/webhook-settings.ts';
import { registryItem } from '../../shared/persistence/company.ts';
import { readDelivery } from '../../shared/persistence/deliveries.ts';
import { deliveryItem } from '../../shared/persistence/delivery-items.ts';
import { releaseJobPut } from '../../shared/persistence/held-deliveries.ts';
import { memoryStore } from '../../shared/persistence/memory-store.ts';
import { StoreUnavailable } from '../../shared/persistence/store.ts';
import { webhookSettingsItem } from '../../shared/persistence/webhook-settings.ts';
import { testIds } from '../support/test-ids.ts';

const t0 = '2026-03-02T12:01:00.000Z';
const endpoint = 'https://partner.example/hooks';
const grace = 300;

let table: ReturnType<typeof memoryStore>;
let now: string;
let letters: DeadLetter[];
let failures: unknown[];
let deps: SweepDeps;

beforeEach(async () => {
  table = memoryStore();
  now = plusSeconds(t0, grace);
  letters = [];
  failures = [];
  const ids = testIds();
  deps = {
    store: table,
    now: () => now,
    newId: () => ids.uuid(),
    graceSeconds: grace,
    deadLetters: {
      receive: () => Promise.resolve(letters.slice(0, 10)),
      remove: (letter) => {
        letters = letters.filter((each) => each !== letter);
        return Promise.resolve();
      },
    },
    isTimeUp: () => false,
    failed: (_where, error) => failures.push(error),
  };
  for (const companyId of ['c-1', 'c-2']) await table.write([{ put: registryItem(companyId) }], `company-${companyId}`);
});

const base = (id: string, companyId = 'c-1'): Delivery =>
  newDelivery(companyId, { id, event: 'E', target: { type: 'PAYIN' }, body: '{}', createdAt: t0, requestId: 'r' });
const given = async (delivery: Delivery): Promise<void> => {
  await table.write([{ put: deliveryItem(delivery) }], `given-${delivery.id}-${delivery.version}`);
};
const present = (id: string, companyId = 'c-1') => readDelivery(table, companyId, id);
const sendings = () => table.all().filter(({ entity }) => entity === 'DELIVERY_SENDING');
const run = (recovering = false) => sweep(deps, { recovering });
const letter = (id: string, deliveryId: string, sending: number): DeadLetter => {
  return { id, receiptHandle: id, body: JSON.stringify({ companyId: 'c-1', deliveryId, sending, requestId: 'r' }) };
};
async function activeSettings(): Promise<void> {
  const none = newWebhookSettings({ id: 's', companyId: 'c-1', organizationId: 'o', at: t0 });
  const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], t0);
  await table.write([{ put: webhookSettingsItem(settings) }], 'settings');
}

describe('the sweep', () => {
  it('sends anew what is overdue, of every company, in one transaction with its counter', async () => {
    await given(base('d-1'));
    await given(base('d-2', 'c-2'));
    expect(await run()).toMatchObject({ sentAnew: 2, failed: 0 });
    expect(await present('d-1')).toMatchObject({ status: 'PENDING', sending: 2 });
    expect(sendings()).toMatchObject([
      { id: 'd-1', sending: 2 },
      { id: 'd-2', companyId: 'c-2', sending: 2 },
    ]);
    expect(await run()).toMatchObject({ sentAnew: 0 });
  });

  it('leaves alone what is not overdue, being called, waiting for its time, or done', async () => {
    const claim = { id: 'c', number: 1, at: t0, leaseUntil: plusSeconds(now, 1) };
    await given({ ...base('d-1'), dueAt: plusSeconds(t0, 1) });
    await given({ ...base('d-2'), claim });
    await given({ ...base('d-3'), nextAttemptAt: plusSeconds(t0, 60), dueAt: plusSeconds(t0, 60) });
    await given({ ...base('d-4'), status: 'DELIVERED' });
    await given({ ...base('d-5'), status: 'HELD', heldAt: t0 });
    expect(await run()).toMatchObject({ sentAnew: 0, released: 0 });
    expect(sendings()).toEqual([]);
  });

  it('that recovers sends everything pending anew, at its time, also what seems to be called', async () => {
    const later = plusSeconds(now, 60);
    await given({ ...base('d-1'), dueAt: now, claim: { id: 'c', number: 1, at: t0, leaseUntil: later } });
    await given({ ...base('d-2'), nextAttemptAt: later, dueAt: later });
    expect(await run(true)).toMatchObject({ sentAnew: 2 });
    expect(sendings()).toMatchObject([{ id: 'd-1' }, { id: 'd-2', notBefore: later }]);
    expect((await present('d-1'))?.claim?.leaseUntil).toBe(now);
  });

  it('does not let one delivery or company that fails keep the others waiting', async () => {
    await given(base('d-1'));
    await table.write([{ put: { ...deliveryItem(base('d-2')), status: 'LOST' } }], 'corrupt');
    await given(base('d-3', 'c-2'));
    deps = {
      ...deps,
      store: {
        ...table,
        query: (asked) =>
          asked.partition.includes('#HELD#') ? Promise.reject(new StoreUnavailable('x')) : table.query(asked),
      },
    };
    await activeSettings();
    await table.write([releaseJobPut({ companyId: 'c-1', type: 'PAYIN', createdAt: t0 })], 'job');
    expect(await run()).toMatchObject({ sentAnew: 2, failed: 2 });
    expect(failures).toHaveLength(2);
  });

  it('ends early when its time is up, and leaves the rest to the next run', async () => {
    await given(base('d-1'));
    deps = { ...deps, isTimeUp: () => true };
    expect(await run()).toMatchObject({ sentAnew: 0 });
  });
});

describe('what is held', () => {
  const held = (place: number): Delivery => {
    return { ...base(`d-${place}`), status: 'HELD', heldAt: plusSeconds(t0, place) };
  };
  const job = () => table.all().find(({ entity }) => entity === 'HELD_RELEASE');

  beforeEach(async () => {
    await activeSettings();
    await table.write([releaseJobPut({ companyId: 'c-1', type: 'PAYIN', createdAt: t0 })], 'job');
  });

  it('is released as long as there is a job, page by page, and the job ends when nothing can appear late', async () => {
    for (let place = 0; place < 60; place += 1) await given(held(place));
    now = plusSeconds(t0, 120);
    expect(await run()).toMatchObject({ released: 60 });
    expect(await present('d-59')).toMatchObject({ status: 'PENDING', sending: 2 });
    expect(job()).toBeDefined();
    now = plusSeconds(t0, 121);
    await run();
    expect(job()).toBeUndefined();
  });

  it('for more than 7 days is left to be sent by hand', async () => {
    await given(held(0));
    now = plusSeconds(t0, 7 * 86_400 + 1);
    await run();
    expect(await present('d-0')).toMatchObject({ status: 'HELD' });
    expect(sendings()).toEqual([]);
    // It does not stand in the way of what is held later.
    await given({ ...held(1), heldAt: now });
    await table.write([releaseJobPut({ companyId: 'c-1', type: 'PAYIN', createdAt: now })], 'again');
    expect(await run()).toMatchObject({ released: 1 });
    expect(await present('d-1')).toMatchObject({ status: 'PENDING' });
  });

  it('stays held when the type has no active endpoint again, and the job ends', async () => {
    await given(held(0));
    const none = newWebhookSettings({ id: 's', companyId: 'c-1', organizationId: 'o', at: t0 });
    await table.write([{ put: webhookSettingsItem(none) }], 'cleared');
    await run();
    expect(await present('d-0')).toMatchObject({ status: 'HELD' });
    expect(job()).toBeUndefined();
  });
});

describe('dead letters', () => {
  it('stay for deliveries that failed, one each, and for what is unknown or not judged yet', async () => {
    await given({ ...base('failed'), status: 'FAILED', carrier: 'm-1' });
    await given({ ...base('failed-unread'), status: 'FAILED' });
    await given({ ...base('pending'), sending: 2 });
    const stay = [
      letter('m-1', 'failed', 1),
      letter('m-2', 'failed-unread', 1),
      letter('m-3', 'pending', 2),
      letter('m-4', 'unknown', 1),
      { id: 'm-5', receiptHandle: 'm-5', body: 'torn' },
    ];
    letters = [...stay];
    expect(await removeStaleLetters(table, deps.deadLetters)).toBe(0);
    expect(letters).toEqual(stay);
  });

  it('go when they are copies, of an earlier sending, or of what was delivered or held after all', async () => {
    await given({ ...base('failed'), status: 'FAILED', carrier: 'm-1', sending: 2 });
    await given({ ...base('pending'), sending: 2 });
    await given({ ...base('delivered'), status: 'DELIVERED' });
    await given({ ...base('held'), status: 'HELD', heldAt: t0 });
    letters = [
      letter('m-1', 'failed', 2),
      letter('m-2', 'failed', 2),
      letter('m-3', 'failed', 1),
      letter('m-4', 'pending', 1),
      letter('m-5', 'delivered', 1),
      letter('m-6', 'held', 1),
    ];
    expect(await removeStaleLetters(table, deps.deadLetters)).toBe(5);
    expect(letters.map(({ id }) => id)).toEqual(['m-1']);
  });

  it('are looked through when something was sent anew, and every ten minutes', async () => {
    await given({ ...base('delivered'), status: 'DELIVERED' });
    const stale = letter('m-1', 'delivered', 1);
    letters = [stale];
    expect(await run()).toMatchObject({ lettersRemoved: 0 });
    now = '2026-03-02T12:10:30.000Z';
    expect(await run()).toMatchObject({ lettersRemoved: 1 });
    letters = [stale];
    now = '2026-03-02T12:11:30.000Z';
    await given(base('d-1'));
    expect(await run()).toMatchObject({ sentAnew: 1, lettersRemoved: 1 });
  });

  it('are looked at once a run each, and a hundred at most', async () => {
    letters = Array.from({ length: 300 }, (_, place) => letter(`m-${place}`, 'unknown', 1));
    let received = 0;
    const { remove } = deps.deadLetters;
    const receive = () => {
      const batch = letters.slice(received % 300, (received % 300) + 10);
      received += batch.length;
      return Promise.resolve(batch);
    };
    await removeStaleLetters(table, { receive, remove });
    expect(received).toBe(100);
    received = 0;
    letters = letters.slice(0, 5);
    await removeStaleLetters(table, { receive: () => Promise.resolve(((received += 1), letters)), remove });
    expect(received).toBe(2);
  });
});
