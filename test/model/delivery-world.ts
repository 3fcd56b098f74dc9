import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliveryEvent, BacklogEvent } from '#shared/webhooks/dispatch/report.ts';
import { outgoingOf, relay, parseDeliveryMessage } from '#shared/webhooks/dispatch/queue.ts';
import { sweep } from '#shared/webhooks/dispatch/sweep.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { slotAfterMs } from '#shared/webhooks/health/circuit.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { OutgoingCall } from '#shared/webhooks/dispatch/sender.ts';
import { beginReleases, releasesOf } from '#shared/webhooks/backlog/advance.ts';
import { readBacklogs, endpointBacklog, backlogPut } from '#shared/webhooks/backlog/store.ts';
import { registryItem } from '#shared/platform/company.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { memoryStore } from '../support/memory-store.ts';
import { readable } from '../support/readable-items.ts';
import type { Item, Put, Store, Update, Write } from '#shared/platform/table/store.ts';
import {
  readWebhookSettings,
  webhookSecretItem,
  webhookSettingsItem,
  writeWebhookSettings,
} from '#shared/webhooks/settings-store.ts';
import { holdNotifications, releaseNotifications } from '#infra/operator/webhooks.ts';
import { circuitRules } from '../support/circuit.ts';
import { testIds } from '../support/test-ids.ts';
import type { ActorWorld, Faults } from './simulated-actors.ts';
import { invoke, storeOf } from './simulated-actors.ts';
import { simulatedQueue } from './simulated-queue.ts';
import type { VirtualTime } from './virtual-time.ts';
import { chances, virtualTime } from './virtual-time.ts';

const companyId = 'company';
export const delays = [60, 300, 900, 1800];
const indexLagMs = 10_000;
/** When the simulation begins; everything in it is counted from there. */
export const startMs = Date.parse('2026-03-02T12:00:00.000Z');
export const endpoint = 'https://partner.example/hooks';
const nothing: Faults = { crash: 0, unavailable: 0, indexLag: 0 };

/** One call that reached the partner. */
export type Call = {
  readonly id: string;
  readonly address: string;
  readonly body: string;
  readonly startMs: number;
  endMs: number;
  ok: boolean;
};
/** How a partner answers a delivery: slow ones run into the deadline of ten seconds. */
export type Answer = () => { readonly ok: boolean; readonly ms: number };

/**
 * The pipeline from table to partner: relay, queue, notifier and sweep over a table in memory, on a clock of its own.
 */
export function deliveryWorld(seed: number, faults: Faults, graceSeconds = 300, rules = circuitRules) {
  const time = virtualTime();
  const chance = chances(seed);
  let isChaos = true;
  const world: ActorWorld = { time, chance, faults: () => (isChaos ? faults : nothing), living: new Set() };
  const clock = (): string => instantFromEpochMs(startMs + Math.floor(time.now()));
  const newId = (): string => `id-${String(Math.floor(chance() * 2 ** 52))}`;
  const queue = simulatedQueue(time, chance, () => !isChaos);
  const memory = memoryStore();
  const stream: { eventName: 'INSERT'; dynamodb: { SequenceNumber: string; Keys: unknown } }[] = [];
  const held = new Set<string>();
  const table = watched(memory, { held, time }, ({ PK, SK }) => {
    const Keys = { PK: { S: PK }, SK: { S: SK } };
    stream.push({ eventName: 'INSERT', dynamodb: { SequenceNumber: String(stream.length), Keys } });
    time.at(time.now() + 200, pumpStream);
  });
  const calls: Call[] = [];
  const events: DeliveryEvent[] = [];
  const lineEvents: BacklogEvent[] = [];
  const onBacklog = (event: BacklogEvent): void => void lineEvents.push(event);
  const answers = new Map<string, Answer>();

  let position = 0;
  let isRelaying = false;
  let relayTries = 0;
  /** One shard: a batch that fails is tried ten times, then Lambda gives it up. */
  const pumpStream = (): void => {
    if (isRelaying || position >= stream.length) return;
    isRelaying = true;
    const batch = stream.slice(position, position + 25);
    void invoke(world, 30_000, async (actor) => {
      const { outgoing } = outgoingOf(batch, clock());
      return relay(outgoing, (entries) =>
        actor.step(() => {
          const failed = entries.map((_, place) => place).filter(() => chance() < world.faults().unavailable);
          entries.forEach(({ message, delaySeconds }, place) => {
            if (!failed.includes(place)) queue.send(JSON.stringify(message), delaySeconds);
          });
          return new Set(failed);
        }),
      );
    }).then((result) => {
      isRelaying = false;
      relayTries += 1;
      if (result?.ended.failedFrom !== undefined) position = Number(result.ended.failedFrom);
      if ((result !== undefined && result.ended.failedFrom === undefined) || relayTries > 10) {
        position += relayTries > 10 ? 1 : batch.length;
        relayTries = 0;
      }
      time.at(time.now() + 250, pumpStream);
    });
  };

  const down = new Map<string, 'fails' | 'hangs'>();
  const call = async (outgoing: OutgoingCall, whenLong: () => void): Promise<CallResult> => {
    const { endpoint: address, body } = outgoing;
    const id = outgoing.headers['webhook-id'] ?? '';
    const fails = { fails: { ok: false, ms: 5 }, hangs: { ok: false, ms: 20_000 } } as const;
    const how = down.get(address);
    const answer = how === undefined ? (answers.get(id)?.() ?? { ok: true, ms: 5 }) : fails[how];
    const made = { id, address, body, startMs: time.now(), endMs: Infinity, ok: answer.ok };
    calls.push(made);
    await time.sleep(Math.min(answer.ms, slotAfterMs));
    if (answer.ms > slotAfterMs) {
      whenLong();
      await time.sleep(Math.min(answer.ms, 10_000) - slotAfterMs);
    }
    made.endMs = Math.min(made.endMs, time.now());
    if (answer.ms > 10_000) return { outcome: 'FAILED', error: 'TIMEOUT', durationMs: 10_000 };
    return answer.ok
      ? { outcome: 'DELIVERED', httpStatus: 200 }
      : { outcome: 'FAILED', error: 'STATUS', httpStatus: 500 };
  };
  queue.consumeWith(async ({ id, body, receives }) => {
    const message = parseDeliveryMessage(body);
    if (message === undefined) throw new Error('The relay sent what it cannot read itself.');
    const result = await invoke(world, 15_000, async (actor) => {
      const ackOrRetry = await deliver(
        { ...message, id, receives },
        {
          store: storeOf(actor, table, world),
          now: clock,
          newId,
          random: chance,
          sleep: actor.sleep,
          send: (outgoing, whenLong) => actor.step(() => call(outgoing, whenLong)),
          delays,
          rules,
          onBacklog,
          report: (event) => events.push(event),
        },
      );
      if (ackOrRetry.do === 'retry')
        await actor.step(() => {
          if (chance() >= world.faults().unavailable) queue.hide(id, ackOrRetry.inSeconds);
        });
      return ackOrRetry;
    });
    if (result?.ended.do === 'ack' && chance() >= world.faults().crash) queue.delete(id);
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
          rules,
          onBacklog,
          random: chance,
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

  /** What `PUT /order/v1/webhook` does, by the same functions; whether it came to its end. */
  const setEndpoint = async (status: 'ACTIVE' | 'INACTIVE'): Promise<boolean> => {
    const ended = await invoke(world, 10_000, async (actor) => {
      const store = storeOf(actor, table, world);
      const [present, backlogs] = await Promise.all([
        readWebhookSettings(store, companyId),
        readBacklogs(store, companyId, [typeBacklog('PAYIN'), endpointBacklog(endpoint)]),
      ]);
      const { settings, activated } = replaceEndpoints(present, [{ type: 'PAYIN', endpoint, status }], clock());
      const replaced = releasesOf(settings, activated, backlogs, clock());
      const puts = replaced.released.map((backlog) => backlogPut(backlog, clock()));
      const isWritten = await writeWebhookSettings(store, replaced.settings, puts, newId());
      if (isWritten) await beginReleases({ store, now: clock, newId, onBacklog }, replaced);
      return isWritten;
    });
    return ended?.ended === true;
  };
  /** What `npm run operator -- webhook:hold` and `webhook:release` do; whether it came to its end. */
  const operate = async (does: 'hold' | 'release', address?: string): Promise<boolean> => {
    const ended = await invoke(world, 10_000, (actor) => {
      const partner = { store: storeOf(actor, table, world), ids: { ...testIds(), uuid: newId }, now: clock };
      const of = { companyId, endpoint: address };
      return does === 'hold' ? holdNotifications(partner, of) : releaseNotifications(partner, of);
    });
    return ended !== undefined;
  };

  return {
    time,
    chance,
    queue,
    calls,
    events,
    /** Ids of deliveries that waited in a backlog at some time. */
    held,
    /** The machine goes down with all that runs on it, and comes up again. */
    restart: (): void => {
      for (const die of [...world.living]) die();
      for (const call of calls) call.endMs = Math.min(call.endMs, time.now());
      void sweepNow(true);
    },
    setEndpoint,
    operate,
    /** What became of backlogs, in the order in which it happened. */
    lineEvents,
    /** From now on the address answers, or every call of it fails or hangs. */
    setDown: (address: string, how: 'fails' | 'hangs' | 'answers'): void => {
      if (how === 'answers') down.delete(address);
      else down.set(address, how);
    },
    items: () => memory.all(),
    open: async (): Promise<void> => {
      const at = clock();
      const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at });
      const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], at);
      const secret = webhookSecretItem({ companyId, current: 'whsec_AAAA', createdAt: at, version: 1 });
      const puts = [registryItem(companyId), webhookSettingsItem(settings), secret].map((put) => ({ put }));
      await memory.write(puts, 'open');
    },
    /** A move that notifies, at this moment of the simulation. */
    notifyAt: (ms: number, id: string, target: { type: 'PAYIN' } | { endpoint: string }, answer: Answer): void => {
      answers.set(id, answer);
      time.at(ms, () => {
        const body = JSON.stringify({ id, event: 'ORDER-PAYIN.PAID' });
        const notification = {
          id,
          event: 'ORDER-PAYIN.PAID',
          resource: { type: 'PAY_IN' as const, id: 'o-1' },
          target,
          body,
          createdAt: clock(),
          requestId: 'r',
        };
        void table.write(deliveryInserts(companyId, notification), `create-${id}`);
      });
    },
    calm: (): void => {
      isChaos = false;
    },
  };
}

/**
 * Tells of every item that did not exist before, as the table's stream does of those it is filtered for, and knows what
 * was written in the last seconds: an index may not show that yet.
 */
function watched(
  store: ReturnType<typeof memoryStore>,
  { held, time }: { held: Set<string>; time: VirtualTime },
  inserted: (item: Item) => void,
) {
  const changed = new Map<string, number>();
  const report = async (writes: readonly Write[], write: () => ReturnType<Store['write']>) => {
    const puts = writes.flatMap((each) => ('put' in each ? [each.put] : []));
    const before = await store.read(puts);
    const outcome = await write();
    if (!outcome.ok) return outcome;
    puts.forEach((item, place) => {
      changed.set(item.PK, time.now());
      const { id, status } = readable(item);
      if ((status === 'HELD' || item['backlog'] !== undefined) && typeof id === 'string') held.add(id);
      if (before[place] === undefined) inserted(item);
    });
    return outcome;
  };
  return {
    ...store,
    isNew: ({ PK }: Item): boolean => time.now() - (changed.get(PK) ?? -Infinity) < indexLagMs,
    write: (writes: readonly Write[], token: string) => report(writes, () => store.write(writes, token)),
    writeOne: (write: Put | Update) => report([write], () => store.writeOne(write)),
  };
}
