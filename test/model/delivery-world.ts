import type { SQSRecord } from 'aws-lambda';
import { drain } from '#shared/webhooks/backlog/drain.ts';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliveryEvent, HealthEvent } from '#shared/webhooks/dispatch/report.ts';
import { outgoingOf, parseDrainMessage, relay } from '#shared/webhooks/dispatch/queue.ts';
import { sweep } from '../support/sweep.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { originOf } from '#shared/webhooks/health/circuit.ts';
import type { Endpoints } from '#shared/webhooks/health/operations.ts';
import {
  holdCompany,
  holdEndpoint,
  readEndpoints,
  releaseEndpoint,
  setEndpoints,
  writeEndpoints,
} from '#shared/webhooks/health/operations.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import type { Delivery, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { newDelivery, typeBacklog } from '#shared/platform/outbox/delivery.ts';
import { parseSubscription, subscriptionInsert } from '#shared/subscriptions/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { readdress } from '#shared/webhooks/readdress.ts';
import type { OutgoingCall } from '#shared/webhooks/dispatch/sender.ts';
import { slowAfterMs } from '#shared/webhooks/dispatch/sender.ts';
import { shardOf } from '#shared/platform/jobs/due-kinds.ts';
import { registryItem } from '#shared/platform/company.ts';
import { deliveryInserts, deliveryItem, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { aSubscription } from '../support/builders.ts';
import { circuitRules } from '../support/circuit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { testIds } from '../support/test-ids.ts';
import type { ActorWorld, Faults } from './simulated-actors.ts';
import { invoke, storeOf } from './simulated-actors.ts';
import { simulatedQueue } from './simulated-queue.ts';
import { chances, virtualTime } from './virtual-time.ts';
import type { Answer, Behaviour, Call, Shard, WorldOptions } from './delivery-world-types.ts';
import { watched } from './watched-table.ts';

const company = 'company';
export const delays = [60, 300, 900, 1800];
/** When the simulation begins; everything in it is counted from there. */
export const startMs = Date.parse('2026-03-02T12:00:00.000Z');
export const endpoint = 'https://partner.example/hooks';
const nothing: Faults = { crash: 0, unavailable: 0, indexLag: 0 };
/** Fifty workers of five calls: an endpoint may have a fifth of them, a company two fifths. */
export const limits = { perEndpoint: 50, perCompany: 100 };
const companyShare = 28;

/**
 * The pipeline from table to partner: relay, queues, notifier, drainer and sweep over a table in memory, on a clock of
 * its own.
 */
export function deliveryWorld(seed: number, faults: Faults = nothing, options: WorldOptions = {}) {
  const { graceSeconds = 300, rules = circuitRules, throttled = 0, workers = 50, watch = () => undefined } = options;
  const time = virtualTime();
  const chance = chances(seed);
  let isChaos = faults !== nothing;
  const world: ActorWorld = { time, chance, faults: () => (isChaos ? faults : nothing), living: new Set() };
  const clock = (): string => instantFromEpochMs(startMs + Math.floor(time.now()));
  let ids = 0;
  const newId = (): string => `id-${String((ids += 1))}`;
  const isReliable = (): boolean => !isChaos;
  const queue = simulatedQueue(time, chance, isReliable, {
    visibilityMs: 90_000,
    consumers: workers,
    batchSize: 5,
    throttled: () => throttled,
  });
  const drains = simulatedQueue(time, chance, isReliable, { visibilityMs: 5_400_000, consumers: 100, batchSize: 1 });
  const memory = memoryStore();
  const shards: Shard[] = Array.from({ length: 8 }, () => ({ records: [], position: 0, tries: 0, isRelaying: false }));
  const held = new Set<string>();
  const table = watched(memory, { held, time, watch }, ({ PK, SK }) => {
    const shard = shards[shardOf(PK, shards.length)];
    if (shard === undefined) throw new Error('There is no such shard.');
    const Keys = { PK: { S: PK }, SK: { S: SK } };
    shard.records.push({ eventName: 'INSERT', dynamodb: { SequenceNumber: String(shard.records.length), Keys } });
    time.at(time.now() + 200, () => {
      pumpStream(shard);
    });
  });
  const calls: Call[] = [];
  const events: DeliveryEvent[] = [];
  const healthEvents: HealthEvent[] = [];
  const responses = new Map<string, Answer>();

  /** A batch that fails is tried ten times, then Lambda gives it up. */
  const pumpStream = (shard: Shard): void => {
    if (shard.isRelaying || shard.position >= shard.records.length) return;
    shard.isRelaying = true;
    const batch = shard.records.slice(shard.position, shard.position + 100);
    void invoke(world, 30_000, async (actor) => {
      const { outgoing } = outgoingOf(batch, clock());
      return relay(outgoing, (entries) =>
        actor.step(() => {
          const failed = entries.map((_, place) => place).filter(() => chance() < world.faults().unavailable);
          entries.forEach(({ message, delaySeconds }, place) => {
            const to = 'drain' in message ? drains : queue;
            if (!failed.includes(place)) to.send(JSON.stringify(message), message.companyId, delaySeconds);
          });
          return new Set(failed);
        }),
      );
    }).then((result) => {
      shard.isRelaying = false;
      shard.tries += 1;
      if (result?.value.failedFrom !== undefined) shard.position = Number(result.value.failedFrom);
      if ((result !== undefined && result.value.failedFrom === undefined) || shard.tries > 10) {
        shard.position += shard.tries > 10 ? 1 : batch.length;
        shard.tries = 0;
      }
      time.at(time.now() + 20, () => {
        pumpStream(shard);
      });
    });
  };

  const behaviours = new Map<string, Behaviour>();
  const call = async (outgoing: OutgoingCall, whenSlow: (isConnected: boolean) => void): Promise<CallResult> => {
    const { endpoint: address, body } = outgoing;
    const id = outgoing.headers['webhook-id'] ?? '';
    const behaviour = behaviours.get(address) ?? behaviours.get(originOf(address)) ?? 'answers';
    const isDead = behaviour === 'dead';
    const usual = (): ReturnType<Answer> => responses.get(id)?.() ?? { ok: true, ms: 50 };
    const failing = { fails: { ok: false, ms: 50 }, hangs: { ok: false, ms: 20_000 }, dead: { ok: false, ms: 20_000 } };
    const response =
      typeof behaviour === 'object'
        ? { ok: true, ms: behaviour.ms }
        : behaviour === 'answers'
          ? usual()
          : failing[behaviour];
    const recorded: Call = { id, address, body, startMs: time.now(), endMs: Infinity, ok: response.ok };
    calls.push(recorded);
    await time.sleep(Math.min(response.ms, slowAfterMs));
    if (response.ms > slowAfterMs) {
      whenSlow(!isDead);
      await time.sleep(Math.min(response.ms, 10_000) - slowAfterMs);
    }
    recorded.endMs = Math.min(recorded.endMs, time.now());
    const durationMs = Math.round(Math.min(response.ms, 10_000));
    if (response.ms > 10_000)
      return { outcome: 'FAILED', error: 'TIMEOUT', durationMs, ...(isDead && { isUnreached: true as const }) };
    return response.ok
      ? { outcome: 'DELIVERED', httpStatus: 200, durationMs }
      : { outcome: 'FAILED', error: 'STATUS', httpStatus: 500, durationMs };
  };
  const callDeps = (actor: Parameters<Parameters<typeof invoke>[2]>[0]) => ({
    store: storeOf(actor, table, world),
    now: clock,
    newId,
    random: chance,
    sleep: actor.sleep,
    send: (outgoing: OutgoingCall, whenSlow: (isConnected: boolean) => void) =>
      actor.step(() => call(outgoing, whenSlow)),
    delays,
    rules,
    onHealth: (event: HealthEvent): void => void healthEvents.push(event),
    report: (event: DeliveryEvent): void => void events.push(event),
  });
  queue.consumeWith(async (batch) => {
    const records = batch.map(({ id, body, receives }) => {
      // What the notifier reads of a record.
      return { messageId: id, body, attributes: { ApproximateReceiveCount: String(receives) } } as SQSRecord;
    });
    const result = await invoke(world, 15_000, (actor) =>
      deliverBatch(records, {
        ...callDeps(actor),
        companyShare,
        hide: async ({ messageId }, seconds) => {
          await actor.step(() => {
            if (chance() >= world.faults().unavailable) queue.hide(messageId, seconds);
          });
        },
      }),
    );
    if (result === undefined) return;
    for (const { id } of batch) if (!result.value.includes(id) && chance() >= world.faults().crash) queue.delete(id);
  });
  drains.consumeWith(async ([message]) => {
    const asked = parseDrainMessage(message?.body ?? '');
    if (message === undefined || asked === undefined) throw new Error('The relay sent what it cannot read itself.');
    const endsMs = time.now() + 900_000;
    const result = await invoke(world, 900_000, (actor) =>
      drain(asked, {
        ...callDeps(actor),
        limits,
        remainingMs: () => endsMs - time.now(),
        onDrain: () => undefined,
      }).catch(() => undefined),
    );
    if (result !== undefined) drains.delete(message.id);
  });

  const sweepNow = (redriving = false): Promise<unknown> =>
    invoke(world, 50_000, async (actor) =>
      sweep(
        {
          store: storeOf(actor, table, world),
          now: clock,
          newId,
          graceSeconds,
          deadLetters: {
            receive: () => actor.step(() => queue.deadLetters.receive()),
            remove: (deadLetter) => actor.step(() => queue.deadLetters.remove(deadLetter)),
          },
          remainingMs: () => Infinity,
          failed: () => undefined,
        },
        { redriving },
      ),
    );
  const everyMinute = (): void => {
    void sweepNow();
    time.at(time.now() + 60_000, everyMinute);
  };
  time.at(30_000, everyMinute);

  /** What an endpoint or the operator does with settings and health, by the same functions; whether it ended well. */
  const change = async (companyId: string, next: (current: Endpoints, at: string) => Endpoints): Promise<boolean> => {
    const outcome = await invoke(world, 10_000, async (actor) => {
      const store = storeOf(actor, table, world);
      const current = await readEndpoints(store, companyId);
      return writeEndpoints({ store, now: clock, newId }, current, next(current, clock()));
    });
    return outcome?.value === true;
  };

  return {
    time,
    chance,
    queue,
    drains,
    calls,
    events,
    healthEvents,
    /** Ids of deliveries that waited in a backlog at some time. */
    held,
    clock,
    /** The machine goes down with all that runs on it, and comes up again. */
    restart: (): void => {
      for (const die of [...world.living]) die();
      for (const call of calls) call.endMs = Math.min(call.endMs, time.now());
      void sweepNow(true);
    },
    /** What `PUT /order/v1/webhook` does. */
    setEndpoint: (status: 'ACTIVE' | 'INACTIVE', address = endpoint, companyId = company): Promise<boolean> =>
      change(companyId, (current, at) => setEndpoints(current, [{ type: 'PAYIN', endpoint: address, status }], at)),
    /** What `npm run operator -- webhook:hold` and `webhook:release` do, and the partner's release. */
    operate: (does: 'hold' | 'release', address?: string, companyId = company): Promise<boolean> =>
      change(companyId, (current, at) => {
        if (address === undefined) return holdCompany(current, at, does === 'hold' ? at : undefined);
        return does === 'hold' ? holdEndpoint(current, address, at) : releaseEndpoint(current, address, at);
      }),
    subscribe: async (id: string, webhookUrl: string): Promise<void> => {
      await memory.writeOne(subscriptionInsert(company, aSubscription({ id, webhookUrl })));
    },
    /** What `PATCH /order/v1/banking/subscriptions/{id}` does; whether it ended well. */
    readdress: async (id: string, webhookUrl: string): Promise<boolean> => {
      const outcome = await invoke(world, 10_000, async (actor) => {
        const store = storeOf(actor, table, world);
        const [item] = await store.read([keys.subscription(company, id)]);
        if (item === undefined) throw new Error('There is no such subscription.');
        const deps = { store, now: clock, realNow: clock, ids: { ...testIds(), uuid: newId } };
        return readdress(deps, company, parseSubscription(item), { webhookUrl, updatedBy: 'client' });
      });
      return outcome?.value !== undefined;
    },
    /** How an address, or everything of an origin, behaves from now on. */
    behave: (where: string, behaviour: Behaviour): void => void behaviours.set(where, behaviour),
    items: () => memory.all(),
    deliveries: (): Delivery[] =>
      memory.all().flatMap((item) => (item['entity'] === 'DELIVERY' ? [parseDelivery(item)] : [])),
    endpoints: (companyId = company) => readEndpoints(memory, companyId),
    health: (companyId = company) => readHealth(memory, companyId),
    open: async (companyId = company, address = endpoint): Promise<void> => {
      const at = clock();
      const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at });
      const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint: address }], at);
      const secret = webhookSecretItem({ companyId, current: 'whsec_AAAA', createdAt: at, version: 1 });
      const puts = [registryItem(companyId), webhookSettingsItem(settings), secret].map((put) => ({ put }));
      await memory.write(puts, `open-${companyId}`);
    },
    /** So many deliveries wait for the type's endpoint, one a millisecond, as an outage leaves them. */
    givenWaiting: async (count: number): Promise<void> => {
      for (let place = 0; place < count; place += 1) {
        const createdAt = instantFromEpochMs(startMs - count + place);
        const notification = notificationOf(`w-${String(place).padStart(6, '0')}`, { type: 'PAYIN' }, createdAt);
        const { nextAttemptAt: _next, dueAt: _due, ...waiting } = newDelivery(company, notification);
        const [, bytes] = deliveryInserts(company, notification);
        await memory.writeOne({ put: deliveryItem({ ...waiting, backlog: typeBacklog('PAYIN') }) });
        if (bytes !== undefined) await memory.writeOne(bytes);
      }
    },
    changeHealth: (change: Parameters<typeof changeHealth>[2]) =>
      readHealth(table, company).then((current) => changeHealth({ store: table, now: clock, newId }, current, change)),
    /** A move that notifies, at this moment of the simulation. */
    notifyAt: (
      ms: number,
      id: string,
      target: NotificationTarget = { type: 'PAYIN' },
      response?: Answer,
      companyId = company,
    ): void => {
      if (response !== undefined) responses.set(id, response);
      time.at(ms, () => {
        void table.write(deliveryInserts(companyId, notificationOf(id, target, clock())), `create-${id}`);
      });
    },
    calm: (): void => {
      isChaos = false;
    },
  };
}

function notificationOf(id: string, target: NotificationTarget, createdAt: string) {
  const resource = { type: 'PAY_IN' as const, id: `o-${id}` };
  const event = 'ORDER-PAYIN.PAID';
  return { id, event, resource, target, body: JSON.stringify({ id, event }), createdAt, requestId: 'r' };
}

/** The most calls that were open at one moment. */
export function mostAtOnce(calls: readonly Call[]): number {
  const steps = calls.flatMap(({ startMs: from, endMs }): [number, number][] => [
    [from, 1],
    [endMs, -1],
  ]);
  let [open, most] = [0, 0];
  for (const [, step] of steps.toSorted(([a, x], [b, y]) => a - b || x - y)) most = Math.max(most, (open += step));
  return most;
}
