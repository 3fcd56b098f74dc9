import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { newDelivery, typeBacklog } from '#shared/platform/outbox/delivery.ts';
import { deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { drain } from '#shared/webhooks/backlog/drain.ts';
import { describeEndpoint } from '#shared/webhooks/endpoints.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { askForDrain, changeCircuit } from '#shared/webhooks/health/health.ts';
import type { Endpoints } from '#shared/webhooks/health/operations.ts';
import {
  holdEndpoint,
  readEndpoints,
  releaseEndpoint,
  setEndpoints,
  writeEndpoints,
} from '#shared/webhooks/health/operations.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { circuit, circuitRules } from '#test/support/circuit.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const endpoint = 'https://partner.example/hooks';
const now = (): string => plusSeconds(t0, 3600);
let engine: TestEngine;
let store: Store;
let counted = { queries: 0, writes: 0, reads: 0 };

beforeAll(async () => {
  engine = await startEngine('waiting');
  const table = dynamoStore({ client: engine.client, tableName: engine.tableName });
  const count = <Result>(name: keyof typeof counted, result: Result): Result => {
    counted[name] += 1;
    return result;
  };
  store = {
    ...table,
    query: (query) => count('queries', table.query(query)),
    read: (keys) => count('reads', table.read(keys)),
    write: (writes, token) => count('writes', table.write(writes, token)),
    writeOne: (write) => count('writes', table.writeOne(write)),
  };
});
afterAll(() => engine.stop());

/** A company whose endpoint fails, and so many deliveries that wait for it. */
async function givenWaiting(count: number): Promise<string> {
  const companyId = randomUUID();
  const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
  const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], t0);
  const secret = webhookSecretItem({ companyId, current: 'whsec_AAAA', createdAt: t0, version: 1 });
  await store.write([{ put: webhookSettingsItem(settings) }, { put: secret }], randomUUID());
  const deps = { store, now, newId: randomUUID };
  await changeHealth(deps, await readHealth(store, companyId), (health, at) => {
    const failed = { now: at, failingSince: t0, reason: 'HTTP 503' };
    const open = changeCircuit(health, 'address', endpoint, true, at, (one) => openCircuit(one, failed, circuitRules));
    return askForDrain(open, [typeBacklog('PAYIN')], plusSeconds(at, 60), at);
  });
  const pages = Array.from({ length: Math.ceil(count / 100) }, (_, page) => page).values();
  const putPages = async (): Promise<void> => {
    for (const page of pages) {
      const puts = Array.from({ length: Math.min(100, count - 100 * page) }, (_, place) => {
        const notification = {
          ...{ id: randomUUID(), event: 'E', requestId: 'r', body: '{}' },
          resource: { type: 'PAY_IN' as const, id: randomUUID() },
          target: { type: 'PAYIN' as const },
          createdAt: plusMilliseconds(t0, 100 * page + place),
        };
        const { nextAttemptAt: _next, dueAt: _due, ...waiting } = newDelivery(companyId, notification);
        return { put: deliveryItem({ ...waiting, backlog: typeBacklog('PAYIN') }) };
      });
      await store.write(puts, randomUUID());
    }
  };
  await Promise.all(Array.from({ length: 4 }, putPages));
  return companyId;
}

describe('deliveries that wait by the ten thousand', () => {
  it('make no change of their endpoint slower: each is one read, one write and a count up to a thousand', async () => {
    const companyId = await givenWaiting(Number(process.env['WAITING'] ?? 20_000));
    const changes: Readonly<Record<string, (current: Endpoints, at: string) => Endpoints>> = {
      put: (current, at) => setEndpoints(current, [{ type: 'PAYIN', endpoint: `${endpoint}/new` }], at),
      'put back': (current, at) => setEndpoints(current, [{ type: 'PAYIN', endpoint }], at),
      hold: (current, at) => holdEndpoint(current, endpoint, at),
      release: (current, at) => releaseEndpoint(current, endpoint, at),
    };
    for (const [name, change] of Object.entries(changes)) {
      counted = { queries: 0, writes: 0, reads: 0 };
      const currentEndpoints = await readEndpoints(store, companyId);
      const next = change(currentEndpoints, now());
      expect(await writeEndpoints({ store, now, newId: randomUUID }, currentEndpoints, next)).toBe(true);
      const shown = await describeEndpoint(store, next, endpoint, now());
      expect([name, counted.reads, counted.writes]).toEqual([name, 1, 1]);
      expect(counted.queries).toBeLessThanOrEqual(14);
      if (name !== 'put') expect(shown).toMatchObject({ waiting: 1000, waitingExact: false });
    }
  });

  it('are held with one write each, and queries in proportion, when their endpoint is held', async () => {
    const count = 2000;
    const companyId = await givenWaiting(count);
    const currentEndpoints = await readEndpoints(store, companyId);
    const held = holdEndpoint(currentEndpoints, endpoint, now());
    await writeEndpoints({ store, now, newId: randomUUID }, currentEndpoints, held);
    counted = { queries: 0, writes: 0, reads: 0 };
    let passedMs = 0;
    const clock = (): string => plusMilliseconds(now(), passedMs);
    await drain(
      { companyId, drain: held.health.drains },
      {
        ...circuit,
        ...{ store, now: clock, newId: randomUUID, random: () => 0, delays: [60, 300, 900, 1800] },
        limits: { perEndpoint: 50, perCompany: 100 },
        sleep: (ms) => {
          passedMs += ms;
          return Promise.resolve();
        },
        remainingMs: () => 900_000 - passedMs,
        ...{ report: () => undefined, onDrain: () => undefined },
        send: () => Promise.reject(new Error('What is held is not called.')),
      },
    );
    expect((await readEndpoints(store, companyId)).health.lease).toBeUndefined();
    expect(counted.writes).toBeLessThanOrEqual(count + 20);
    expect(counted.queries).toBeLessThanOrEqual(6 * Math.ceil(count / 100));
  });
});
