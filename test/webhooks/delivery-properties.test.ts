import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { AttemptSource } from '#shared/webhooks/deliveries/states.ts';
import {
  countedFailures,
  decide,
  decideDrained,
  redrive,
  reenqueueOverdue,
  recordOutcome,
} from '#shared/webhooks/deliveries/states.ts';
import { fc } from '../support/properties.ts';
import { each } from '../support/each.ts';

const t0 = '2026-03-02T12:00:00.000Z';

/** Everything that can happen to a delivery, in any order: also what no queue or worker in its right mind would do. */
const received = (dispatch: fc.Arbitrary<number>, copy: fc.Arbitrary<number>, admission: fc.Arbitrary<number>) =>
  fc.record({
    does: fc.constant('receive' as const),
    dispatch,
    copy,
    receives: fc.integer({ min: 1, max: 6 }),
    admission,
  });
const happening = fc.oneof(
  { weight: 6, arbitrary: received(fc.constant(0), fc.constant(0), fc.constant(0)) },
  { weight: 1, arbitrary: received(fc.nat(2), fc.nat(1), fc.nat(2)) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('end' as const),
      ok: fc.constantFrom(false, false, false, true),
      late: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), seconds: fc.constantFrom(10, 30, 2400, 2400) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom('sweep' as const, 'drain' as const, 'probe' as const, 'hold' as const, 'restart' as const),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const backlog = 'type:PAYIN';
const endpoint = 'https://partner.example/';
const readAdmissions = [
  { to: 'endpoint', endpoint, backlog },
  { to: 'hold', backlog },
  { to: 'defer', endpoint, backlog, stopping: [] },
] as const;

type Life = { delivery: Delivery; now: string; calls: { claimId: string; source: AttemptSource }[]; claims: number };

/** Lives through one happening; undefined when it changes nothing. */
function next(run: Life, event: Happening): Delivery | undefined {
  const { delivery, now } = run;
  switch (event.does) {
    case 'wait':
      run.now = plusSeconds(now, event.seconds);
      return undefined;
    case 'receive': {
      // Of the current dispatch or one of the two before, the message itself or a copy.
      const dispatch = delivery.dispatch - event.dispatch;
      const message = { id: `m-${dispatch}-${event.copy}`, dispatch, receives: event.receives };
      const claimId = `c-${(run.claims += 1)}`;
      const admission = readAdmissions[event.admission] ?? readAdmissions[0];
      const decision = decide(delivery, message, { now, claimId, admission });
      if (decision.do === 'call') {
        expect(delivery.claim === undefined || delivery.claim.leaseUntil <= now).toBe(true);
        run.calls.push({ claimId, source: message });
      }
      return 'delivery' in decision ? decision.delivery : undefined;
    }
    case 'end': {
      // The latest call or the one before it, whose claim may be over by now.
      const call = run.calls.at(event.late ? -2 : -1);
      if (call === undefined) return undefined;
      const result = { outcome: event.ok ? ('DELIVERED' as const) : ('FAILED' as const) };
      const settled = recordOutcome(delivery, call.source, {
        claimId: call.claimId,
        result,
        now,
        delays: [60, 300, 900, 1800],
        fraction: 0.5,
      });
      if (settled !== undefined) expect(delivery.claim?.id).toBe(call.claimId);
      return settled?.delivery;
    }
    case 'sweep':
      return reenqueueOverdue(delivery, now, 300);
    case 'drain':
    case 'probe':
    case 'hold': {
      const claimId = `c-${(run.claims += 1)}`;
      const admission = readAdmissions[event.does === 'hold' ? 1 : 0];
      const drainOptions = { now, claimId, admission, isProbed: event.does === 'probe', isReaddressed: false };
      const decision = decideDrained(delivery, backlog, drainOptions);
      if (decision.do === 'call') run.calls.push({ claimId, source: event.does === 'probe' ? 'probe' : 'drain' });
      return decision.do === 'pass' ? undefined : decision.delivery;
    }
    case 'restart':
      return redrive(delivery, now, now);
  }
}

describe('whatever happens to a delivery', () => {
  it('at most five failures count, at most two are forgiven, and what is final stays so', () => {
    fc.assert(
      fc.property(fc.array(happening, { minLength: 40, maxLength: 120 }), (events) => {
        const notification = {
          id: 'd',
          event: 'E',
          resource: { type: 'PAY_IN' as const, id: 'o-1' },
          target: { type: 'PAYIN' as const },
          body: '{}',
          createdAt: t0,
          requestId: 'r',
        };
        const run: Life = { delivery: newDelivery('c', notification), now: t0, calls: [], claims: 0 };
        for (const event of each(events)) {
          const before = run.delivery;
          const after = next(run, event);
          if (after === undefined) continue;
          expectFollows(before, after);
          run.delivery = after;
        }
      }),
      { numRuns: 500 },
    );
  });
});

function expectFollows(before: Delivery, after: Delivery): void {
  expect(after.version).toBe(before.version + 1);
  expect(after.dispatch - before.dispatch).toBeOneOf([0, 1]);
  // What was recorded is never rewritten, and numbers go on without a gap.
  expect(after.attempts.slice(0, before.attempts.length)).toEqual(before.attempts);
  expect(after.attempts.map(({ number }) => number)).toEqual(after.attempts.map((_, place) => place + 1));
  if (after.claim !== undefined) expect(after.claim.number).toBe(after.attempts.length + 1);

  // A claim that is gone has left its attempt behind.
  const { claim } = before;
  if (claim !== undefined && after.claim?.id !== claim.id)
    expect(after.attempts.at(-1)).toMatchObject({ claimId: claim.id, number: claim.number, at: claim.at });

  const charges = countedFailures(after);
  const forgiven = after.attempts.filter(({ outcome }) => outcome !== 'DELIVERED').length - charges;
  expect(charges).toBeLessThanOrEqual(5);
  expect(forgiven).toBeLessThanOrEqual(2);
  // What a drain fails for the fifth time is pending until its message finds that.
  if (after.status === 'FAILED') expect(charges).toBe(5);
  if (charges === 5) expect(after.claim).toBeUndefined();
  expect(after.status === 'DELIVERED').toBe(after.attempts.at(-1)?.outcome === 'DELIVERED');
  expect(before.status).not.toBe('DELIVERED');
  if (before.status === 'FAILED')
    expect({ ...after, messageId: 0, version: 0 }).toEqual({ ...before, messageId: 0, version: 0 });

  // It is always listed for a worker: in the due index or a backlog while it is pending, in a backlog while it is held,
  // and in none when it is final or was held for too long.
  const isWaiting = after.backlog !== undefined;
  if (after.status === 'PENDING')
    expect([after.dueAt !== undefined, isWaiting]).toBeOneOf([
      [true, false],
      [false, true],
    ]);
  else expect([after.dueAt, after.nextAttemptAt]).toEqual([undefined, undefined]);
  if (after.status !== 'HELD' && after.status !== 'PENDING') expect(isWaiting).toBe(false);
  expect(after.heldAt !== undefined).toBe(after.status === 'HELD' && isWaiting);
  if (after.status !== 'PENDING') expect(after.claim).toBeUndefined();
}
