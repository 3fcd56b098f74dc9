import { beforeEach, describe, expect, test, vi } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { afterSlow, askForDrain, changeCircuit } from '#shared/webhooks/health/health.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { circuitRules } from '../support/circuit.ts';
import { each } from '../support/each.ts';
import { fc } from '../support/properties.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, notifierWorld, t0 } from './notifier-world.ts';

const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 };
const addressOf = (type: WebhookType, isShared: boolean): string =>
  `https://partner.example/${isShared ? 'hooks' : type.toLowerCase()}`;

let now: string;
let world: NotifierWorld;
let called: string[];
/** What is looked at when a call begins. */
let onCall: (id: string) => Promise<void>;
/** Turns of the event loop that a call takes. */
let turnsOf: (id: string) => number;
/** The calls that are open, and the most that were. */
let open: Set<string>;
let most: number;
/** The subject of a delivery. */
let subjectOf: (id: string) => string;
/** Calls that began while another one of their subject was open. */
let atOnce: string[];
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function begin(types: readonly WebhookType[], isShared = true): Promise<void> {
  now = t0;
  called = [];
  onCall = () => Promise.resolve();
  turnsOf = () => 1;
  [open, most, atOnce] = [new Set(), 0, []];
  subjectOf = (id) => id;
  world = await notifierWorld({
    now: () => now,
    send: async ({ headers }) => {
      const id = headers['webhook-id'] ?? '';
      called.push(id);
      if (open.values().some((other) => subjectOf(other) === subjectOf(id))) atOnce.push(id);
      open.add(id);
      most = Math.max(most, open.size);
      await onCall(id);
      for (let turns = turnsOf(id); turns > 0; turns -= 1) await turn();
      open.delete(id);
      return delivered;
    },
    sleep: (ms) => {
      now = plusMilliseconds(now, ms);
      return turn().then(() => undefined);
    },
  });
  const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
  const wanted = types.map((type) => ({ type, endpoint: addressOf(type, isShared) }));
  await world.table.write([{ put: webhookSettingsItem(replaceEndpoints(none, wanted, t0).settings) }], 'types');
  for (const { endpoint } of wanted) await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
}
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

const waits = async (id: string, type: WebhookType, subject: string): Promise<void> => {
  now = plusMilliseconds(now, 1);
  await world.given(id, { type }, subject);
  await world.receive(id);
};
const limited = (most: number) => ({ limits: { perEndpoint: 50, perCompany: most } }) as object;

test('a drain keeps the order of each subject, however little room there is and whatever waits', async () => {
  const subjects = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 6, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      subjects,
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat({ max: 6 })),
      async (subjectNumbers, room, turns) => {
        await begin(['PAYIN']);
        turnsOf = (id) => turns[Number(id.slice(2)) % Math.max(1, turns.length)] ?? 1;
        subjectOf = (id) => `o-${subjectNumbers[Number(id.slice(2))]}`;
        const createdIds: string[] = [];
        for (const [place, subject] of subjectNumbers.entries()) {
          const id = `d-${String(place).padStart(3, '0')}`;
          createdIds.push(id);
          await waits(id, 'PAYIN', `o-${subject}`);
        }
        await world.drain(limited(room));
        expect(called.toSorted()).toEqual(createdIds);
        expect(most).toBeLessThanOrEqual(room);
        expect(atOnce, 'two of one subject concurrently').toEqual([]);
        expectOrderOfEach(subjectNumbers, createdIds);
      },
    ),
    { numRuns: 60 },
  );
});

function expectOrderOfEach(subjectNumbers: readonly number[], createdIds: readonly string[]): void {
  const ofSubject = (ids: readonly string[], subject: number) =>
    ids.filter((id) => subjectNumbers[Number(id.slice(2))] === subject);
  for (const subject of each(new Set(subjectNumbers)))
    expect(ofSubject(called, subject)).toEqual(ofSubject(createdIds, subject));
}

test('a drain keeps the order of each subject when its address has no room, and calls the other addresses', async () => {
  const addressAt = (place: number) => `https://partner.example/subscriptions/${place}`;
  const subjects = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 100, maxLength: 160 });
  await fc.assert(
    fc.asyncProperty(subjects, fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 9 }), async (all, turns) => {
      await begin(['PAYIN']);
      // So many slow addresses that their deliveries wait in one backlog.
      for (let place = 0; place < 16; place += 1)
        await world.changeHealth((health, at) => afterSlow(health, addressAt(place), true, at));
      subjectOf = (id) => `o-${all[Number(id.slice(2))]}`;
      turnsOf = (id) => turns[Number(id.slice(2)) % turns.length] ?? 1;
      // Of three subjects two are at one address.
      const endpointOf = (subject: number) => addressAt(subject % 3 === 0 ? subject % 16 : 1);
      for (const [place, subject] of all.entries()) {
        now = plusMilliseconds(now, 1);
        const id = `d-${String(place).padStart(3, '0')}`;
        await world.given(id, { endpoint: endpointOf(subject) }, `o-${subject}`);
        await world.receive(id);
      }
      expect(await world.health()).toMatchObject({ backlogs: [{ name: 'company' }] });
      await world.drain();
      const createdIds = all.map((_, place) => `d-${String(place).padStart(3, '0')}`);
      expect(called.toSorted()).toEqual(createdIds);
      expect(atOnce, 'two of one subject concurrently').toEqual([]);
      expectOrderOfEach(all, createdIds);
    }),
    { numRuns: 20 },
  );
});

describe('a half-open circuit of an origin with several types', () => {
  const types = ['PAYIN', 'PAYOUT', 'PAYIN_REFUND'] as const;
  const rows = [true, false].flatMap((isShared) =>
    (
      [
        [1, 60, 1],
        [60, 1, 1],
        [1, 1, 60],
        [5, 40, 80],
      ] as const
    ).map((counts) => [isShared, counts] as const),
  );

  test.each(rows)(
    'closes when all of its backlogs are drained (one address: %s, waiting: %j)',
    async (isShared, counts) => {
      await begin(types, isShared);
      const left = new Map(types.map((type, place) => [type, counts[place] ?? 0]));
      for (const [place, type] of types.entries())
        for (let number = 0; number < (counts[place] ?? 0); number += 1)
          await waits(`${type}-${String(number).padStart(3, '0')}`, type, `o-${type}-${number}`);
      await world.changeHealth((health, at) =>
        changeCircuit({ ...health, circuits: [] }, 'origin', addressOf('PAYIN', isShared), true, at, (one) =>
          openCircuit(one, { now: at, failingSince: at, reason: 'HTTP 503' }, circuitRules),
        ),
      );
      const early: string[] = [];
      onCall = async (id) => {
        const type = types.find((one) => id.startsWith(`${one}-`))!;
        left.set(type, left.get(type)! - 1);
        const { circuits } = await world.health();
        const isStopped = circuits.some(({ state }) => state === 'OPEN' || state === 'HALF_OPEN');
        // The last look at a backlog may end while its last calls begin.
        if (Math.max(...left.values()) > 20 && !isStopped) early.push(id);
      };
      now = plusSeconds(now, 60);
      await world.changeHealth((health) => askForDrain(health, [], now, now));
      await world.drain();
      expect(called).toHaveLength(counts[0] + counts[1] + counts[2]);
      expect(early).toEqual([]);
      expect((await world.health()).circuits.filter(({ state }) => state === 'HALF_OPEN')).toEqual([]);
    },
  );
});
