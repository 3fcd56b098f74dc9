import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import type { DeliveryEvent } from '#shared/webhooks/dispatch/report.ts';
import type { ReceivedMessage } from '#shared/webhooks/dispatch/queue.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, WebhookType } from '#shared/platform/outbox/delivery.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import type { OutgoingCall } from '#shared/webhooks/dispatch/sender.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { circuit } from '../support/circuit.ts';
import { testIds } from '../support/test-ids.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const companyId = 'c-1';
const endpoint = 'https://partner.example/hooks';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const previous = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=';
const body = '{"id":"o-1","event":"ORDER-PAYIN.PAID"}';
const success: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 8, returnCode: 'SUCCESS' };
const failure: CallResult = { outcome: 'FAILED', httpStatus: 500, error: 'STATUS', durationMs: 8 };

let table: ReturnType<typeof memoryStore>;
let now: string;
let calls: OutgoingCall[];
let events: DeliveryEvent[];
let result: CallResult;
let deps: CallDeps;

beforeEach(async () => {
  table = memoryStore();
  now = t0;
  calls = [];
  events = [];
  result = success;
  const ids = testIds();
  deps = {
    store: table,
    now: () => now,
    newId: () => ids.uuid(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    send: (call) => {
      calls.push(call);
      return Promise.resolve(result);
    },
    delays: [60, 300, 900, 1800],
    report: (event) => events.push(event),
    ...circuit,
  };
  const item = webhookSecretItem({ companyId, current: secret, createdAt: t0, version: 1 });
  await table.write([{ put: item }, { put: settings('PAYIN') }], 'company');
  await notify('d-1', { type: 'PAYIN' });
});

function settings(type: WebhookType, status: 'ACTIVE' | 'INACTIVE' = 'ACTIVE') {
  const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
  return webhookSettingsItem(replaceEndpoints(none, [{ type, endpoint, status }], t0).settings);
}
async function notify(id: string, target: { type: WebhookType } | { endpoint: string }): Promise<void> {
  const notification = {
    id,
    event: 'ORDER-PAYIN.PAID',
    resource: { type: 'PAY_IN' as const, id: 'o-1' },
    target,
    body,
    createdAt: t0,
    requestId: 'r-1',
  };
  await table.write(deliveryInserts(companyId, notification), `notify-${id}`);
}
const message = (more: Partial<ReceivedMessage> = {}): ReceivedMessage => {
  return { companyId, deliveryId: 'd-1', dispatch: 1, id: 'm-1', receives: 1, ...more };
};
const readCurrent = async (id = 'd-1'): Promise<Delivery> => (await readDelivery(table, companyId, id))!;
const failing = (broken: Partial<Store>): CallDeps => ({ ...deps, store: { ...table, ...broken } });
const dispatches = () =>
  table.all().flatMap((item) => (item['entity'] === 'DELIVERY_DISPATCH' ? [dispatchOf(item)] : []));

describe('a message of the delivery queue', () => {
  it('makes one call with the stored bytes, signed, and is acknowledged when the partner acknowledges', async () => {
    expect(await deliver(message(), deps)).toEqual({ do: 'ack' });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ endpoint, body });
    expect(calls[0]?.headers).toMatchObject({
      'webhook-id': 'd-1',
      'webhook-timestamp': '1772452800',
      'x-request-id': 'r-1',
    });
    expect(calls[0]?.headers['content-type']).toMatch(/^application\/json/u);
    const attempt = { number: 1, at: t0, outcome: 'DELIVERED', httpStatus: 200, durationMs: 8, returnCode: 'SUCCESS' };
    expect(await readCurrent()).toMatchObject({ status: 'DELIVERED', attempts: [attempt], endpoint });
  });

  it('is signed with both secrets while a rotation overlaps, as they are at this attempt', async () => {
    const rotated = {
      companyId,
      current: secret,
      createdAt: t0,
      previous,
      previousExpiresAt: plusSeconds(t0, 60),
      version: 2,
    };
    await table.write([{ put: webhookSecretItem(rotated) }], 'rotate');
    result = failure;
    await deliver(message(), deps);
    now = plusSeconds(t0, 60);
    await deliver(message({ receives: 2 }), deps);
    const [during, after] = calls.map(({ headers }) => headers);
    expect(during?.['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(during).toHaveProperty('X-Signature-SHA256-Previous');
    expect(after?.['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(after).not.toHaveProperty('X-Signature-SHA256-Previous');
    expect(calls[1]?.body).toBe(calls[0]?.body);
    // The time is the attempt's: libraries refuse what is old.
    expect(during?.['webhook-timestamp']).toBe('1772452800');
    expect(after?.['webhook-timestamp']).toBe('1772452860');
    expect(() => new Webhook(secret).verify(body, { ...after })).toThrow(/too old|too new/u);
  });

  it('comes again after the delay when the partner does not acknowledge', async () => {
    result = failure;
    expect(await deliver(message(), deps)).toEqual({ do: 'retry', inSeconds: 60 });
    expect(await readCurrent()).toMatchObject({
      status: 'PENDING',
      nextAttemptAt: plusSeconds(t0, 60),
      attempts: [{ outcome: 'FAILED' }],
    });
    expect(await deliver(message({ receives: 2 }), { ...deps, now: () => plusSeconds(t0, 10) })).toEqual({
      do: 'retry',
      inSeconds: 50,
    });
    expect(calls).toHaveLength(1);
  });

  it('fails the delivery at the fifth failure, then goes to the dead letters without another call', async () => {
    result = failure;
    for (let receives = 1; receives <= 5; receives += 1) {
      await deliver(message({ receives }), deps);
      now = plusSeconds(now, 2200);
    }
    expect(await readCurrent()).toMatchObject({ status: 'FAILED', dispatch: 1 });
    expect(calls).toHaveLength(5);
    expect(await deliver(message({ receives: 6 }), deps)).toEqual({ do: 'retry', inSeconds: 1 });
    expect(await deliver(message({ id: 'm-2' }), deps)).toEqual({ do: 'ack' });
    expect(calls).toHaveLength(5);
  });

  it("is passed over without a call when its delivery is absent, another company's, delivered, or of another dispatch", async () => {
    for (const stale of [message({ deliveryId: 'd-2' }), message({ companyId: 'c-2' }), message({ dispatch: 2 })])
      expect(await deliver(stale, deps)).toEqual({ do: 'ack' });
    expect(calls).toHaveLength(0);
    await deliver(message(), deps);
    expect(await deliver(message({ receives: 2 }), deps)).toEqual({ do: 'ack' });
    expect(calls).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'passed-over')).toHaveLength(4);
  });

  it('calls the fixed address of a notification that has one, whatever the settings say', async () => {
    await notify('d-2', { endpoint: 'https://other.example/' });
    await deliver(message({ deliveryId: 'd-2' }), deps);
    expect(calls[0]?.endpoint).toBe('https://other.example/');
  });

  it('goes on in a new dispatch when it was received for the last time and attempts are left', async () => {
    result = failure;
    expect(await deliver(message({ receives: 5 }), deps)).toEqual({ do: 'ack' });
    expect(await readCurrent()).toMatchObject({ status: 'PENDING', dispatch: 2, nextAttemptAt: plusSeconds(t0, 60) });
    expect(dispatches()).toMatchObject([{ dispatch: 2, notBefore: plusSeconds(t0, 60), deliveryId: 'd-1', companyId }]);
  });
});

describe('a notification whose type has no active endpoint', () => {
  it.each([
    ['an endpoint of another type', settings('PAYOUT')],
    ['an inactive endpoint', settings('PAYIN', 'INACTIVE')],
  ])('is held when the settings have %s', async (_what, item) => {
    await table.write([{ put: item }], 'settings');
    expect(await deliver(message(), deps)).toEqual({ do: 'ack' });
    expect(await readCurrent()).toMatchObject({ status: 'HELD', heldAt: t0, backlog: 'type:PAYIN', attempts: [] });
    expect(calls).toHaveLength(0);
  });
});

describe('a table that fails', () => {
  const unavailable = () => Promise.reject(new StoreUnavailable('down'));

  it('leaves the message to come again, without a call, when it fails before the claim', async () => {
    await expect(deliver(message(), failing({ read: unavailable }))).rejects.toThrow(StoreUnavailable);
    await expect(deliver(message(), failing({ writeOne: unavailable }))).rejects.toThrow(StoreUnavailable);
    expect(calls).toHaveLength(0);
  });

  it('is asked again until the outcome is recorded when it fails after the call', async () => {
    let writes = 0;
    const stubborn = failing({
      writeOne: (write) => ((writes += 1) === 2 || writes === 3 ? unavailable() : table.writeOne(write)),
    });
    expect(await deliver(message(), stubborn)).toEqual({ do: 'ack' });
    expect(await readCurrent()).toMatchObject({ status: 'DELIVERED' });
    expect(calls).toHaveLength(1);
  });

  it('leaves an attempt with outcome UNKNOWN, which the next receive repeats, when it stays down after the call', async () => {
    let writes = 0;
    const dying = failing({ writeOne: (write) => ((writes += 1) > 1 ? unavailable() : table.writeOne(write)) });
    await expect(deliver(message(), dying)).rejects.toThrow(StoreUnavailable);
    expect(events.at(-1)?.kind).toBe('recording-lost');
    expect(await deliver(message({ receives: 2 }), deps)).toEqual({ do: 'retry', inSeconds: 20 });
    now = plusSeconds(t0, 20);
    expect(await deliver(message({ receives: 3 }), deps)).toEqual({ do: 'ack' });
    expect((await readCurrent()).attempts.map(({ outcome }) => outcome)).toEqual(['UNKNOWN', 'DELIVERED']);
    expect(calls).toHaveLength(2);
  });

  it('causes no second call or attempt when it wrote a claim or an outcome but lost the response', async () => {
    const forgetful = failing({
      writeOne: async (write) => {
        await table.writeOne(write);
        return table.writeOne(write);
      },
    });
    expect(await deliver(message(), forgetful)).toEqual({ do: 'ack' });
    expect(calls).toHaveLength(1);
    expect(await readCurrent()).toMatchObject({ status: 'DELIVERED', version: 3 });
  });
});

describe('two messages for one delivery at once', () => {
  it('make one call: of two claims one counts, and the other copy is stale from then on', async () => {
    const responses = await Promise.all([deliver(message(), deps), deliver(message({ id: 'm-2' }), deps)]);
    expect(calls).toHaveLength(1);
    expect(responses).toContainEqual({ do: 'ack' });
    expect((await readCurrent()).attempts).toHaveLength(1);
  });

  it('do not lose the end of a call when a new dispatch begins beside it', async () => {
    const during: CallDeps = {
      ...deps,
      send: async (call) => {
        calls.push(call);
        // The same message once more, for the last time, while the call goes on.
        expect(await deliver(message({ receives: 5 }), deps)).toEqual({ do: 'ack' });
        return success;
      },
    };
    expect(await deliver(message({ receives: 4 }), during)).toEqual({ do: 'ack' });
    expect(await readCurrent()).toMatchObject({ status: 'DELIVERED', dispatch: 2 });
    expect(calls).toHaveLength(1);
  });
});
