import { describe, expect, it } from 'vitest';
import type { Attempt, Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { QueueMessage, CallResult } from '#shared/webhooks/deliveries/states.ts';
import {
  countedAttempts,
  countedFailures,
  decide,
  isRecorded,
  redrive,
  reenqueueOverdue,
  recordOutcome,
} from '#shared/webhooks/deliveries/states.ts';
import type { Admission } from '#shared/webhooks/health/circuit.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { aNotification } from '../support/builders.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const after = (seconds: number): string => plusSeconds(t0, seconds);
const endpoint = 'https://partner.example/hooks';
const message: QueueMessage = { id: 'm-1', dispatch: 1, receives: 1 };
const fresh = newDelivery('company', aNotification(t0));
const at = (now: string, known: { endpoint?: string } = { endpoint }, claimId = 'c-1') => {
  const admission: Admission =
    known.endpoint === undefined
      ? { to: 'hold', backlog: 'type:PAYIN' }
      : { to: 'endpoint', endpoint: known.endpoint, backlog: 'type:PAYIN' };
  return { now, claimId, admission };
};
const failure: CallResult = { outcome: 'FAILED', error: 'STATUS', httpStatus: 500, durationMs: 12 };
const success: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 12, returnCode: 'SUCCESS' };
const buildOutcome = (result: CallResult, now: string, claimId = 'c-1') => {
  return { claimId, result, now, delays: [60, 300, 900, 1800], fraction: 0 };
};

function claimed(delivery: Delivery = fresh, by: QueueMessage = message, now: string = t0, claimId = 'c-1'): Delivery {
  const decision = decide(delivery, by, at(now, { endpoint }, claimId));
  if (decision.do !== 'call') throw new Error(`Not called but: ${decision.do}`);
  return decision.delivery;
}

function past(outcome: Attempt['outcome'], times: number, from = 1): Attempt[] {
  return Array.from({ length: times }, (_, place) => {
    return { number: from + place, claimId: `past-${String(from + place)}`, at: t0, outcome };
  });
}

describe('a received message', () => {
  it('leads to a call under a claim with a number, a lease and the endpoint', () => {
    const decision = decide(fresh, message, at(t0));
    expect(decision).toMatchObject({
      do: 'call',
      endpoint,
      claim: { id: 'c-1', number: 1, at: t0, leaseUntil: after(20) },
    });
    expect(claimed()).toMatchObject({ version: 2, messageId: 'm-1', endpoint, claim: { number: 1 } });
  });

  it.each([0, 2])('is stale when its dispatch (%i) is not the current one of the delivery', (dispatch) => {
    const decision = decide(fresh, { ...message, dispatch }, at(t0));
    expect(decision).toEqual({ do: 'ack', because: 'stale-dispatch' });
  });

  it('is a stale copy when another message carries this dispatch, whatever the status', () => {
    const carried: Delivery = { ...fresh, messageId: 'm-2' };
    const decision = { do: 'ack', because: 'stale-copy' };
    expect(decide(carried, message, at(t0))).toEqual(decision);
    expect(decide({ ...carried, status: 'FAILED' }, message, at(t0))).toEqual(decision);
  });

  it('is acknowledged when the delivery is delivered or held', () => {
    expect(decide({ ...fresh, status: 'DELIVERED' }, message, at(t0))).toMatchObject({ because: 'delivered' });
    expect(decide({ ...fresh, status: 'HELD' }, message, at(t0))).toMatchObject({ because: 'held' });
  });

  it('becomes the dead letter of a delivery that failed, without a call', () => {
    const failed: Delivery = { ...fresh, status: 'FAILED', messageId: 'm-1' };
    expect(decide(failed, message, at(t0))).toEqual({ do: 'dead-letter' });
  });

  it('takes over as the dead letter of a delivery that failed while its dispatch had no message', () => {
    const decision = decide({ ...fresh, status: 'FAILED' }, message, at(t0));
    expect(decision).toMatchObject({ do: 'fail', delivery: { status: 'FAILED', messageId: 'm-1', version: 2 } });
  });

  it('holds the delivery when its type has no active endpoint', () => {
    const decision = decide(fresh, message, at(after(1), {}));
    expect(decision).toMatchObject({ do: 'hold', delivery: { status: 'HELD', heldAt: after(1), version: 2 } });
    expect(decision).not.toHaveProperty('delivery.nextAttemptAt');
    expect(decision).not.toHaveProperty('delivery.dueAt');
  });

  it('waits until the next attempt is due, give or take the clocks of two machines', () => {
    const due: Delivery = { ...fresh, nextAttemptAt: after(60) };
    expect(decide(due, message, at(t0))).toEqual({ do: 'wait', until: after(60) });
    expect(decide(due, message, at(after(58.9)))).toEqual({ do: 'wait', until: after(60) });
    expect(decide(due, message, at(after(59))).do).toBe('call');
  });

  it('waits while another worker may be calling, even if the endpoint is gone', () => {
    expect(decide(claimed(), message, at(after(19.9)))).toEqual({ do: 'wait', until: after(20) });
    expect(decide(claimed(), message, at(after(19.9), {}))).toEqual({ do: 'wait', until: after(20) });
  });

  it('is replaced by a new dispatch when it would have to wait after its last receive', () => {
    const last = { ...message, receives: 5 };
    const due: Delivery = { ...fresh, nextAttemptAt: after(60), messageId: 'm-1' };
    const decision = decide(due, last, at(t0));
    expect(decision).toMatchObject({ do: 're-enqueue', notBefore: after(60) });
    expect(decision).toMatchObject({ delivery: { dispatch: 2, dueAt: after(60) } });
    expect(decision).not.toHaveProperty('delivery.messageId');
    const again = decide(claimed(), last, at(after(1)));
    expect(again).toMatchObject({ do: 're-enqueue', delivery: { claim: { id: 'c-1' } } });
  });
});

describe('an attempt whose worker died', () => {
  it('is kept as unknown, and the next one has the next number', () => {
    const again = claimed(claimed(), message, after(20), 'c-2');
    expect(again.attempts).toEqual([{ number: 1, claimId: 'c-1', at: t0, outcome: 'UNKNOWN' }]);
    expect(again.claim).toMatchObject({ id: 'c-2', number: 2 });
    expect(countedFailures(again)).toBe(0);
  });

  it('is forgiven twice', () => {
    expect(countedFailures({ attempts: past('UNKNOWN', 2) })).toBe(0);
    expect(countedFailures({ attempts: past('UNKNOWN', 3) })).toBe(1);
    expect(countedFailures({ attempts: [...past('FAILED', 3), ...past('UNKNOWN', 4, 4)] })).toBe(5);
    expect(countedAttempts({ attempts: [...past('FAILED', 3), ...past('UNKNOWN', 4, 4)] })).toBe(5);
    expect(countedAttempts({ attempts: [...past('UNKNOWN', 2), ...past('DELIVERED', 1, 3)] })).toBe(1);
    expect(countedFailures({ attempts: [...past('FAILED', 2), ...past('DELIVERED', 1, 3)] })).toBe(2);
  });

  it('fails the delivery without another call when it was the last one that counts', () => {
    const attempts = [...past('FAILED', 4), ...past('UNKNOWN', 2, 5)];
    const dying = claimed({ ...fresh, attempts });
    const decision = decide(dying, message, at(after(20)));
    expect(decision).toMatchObject({ do: 'fail', delivery: { status: 'FAILED', messageId: 'm-1' } });
  });
});

const claimedAfter = (failures: number) => claimed({ ...fresh, attempts: past('FAILED', failures) });
describe('the end of a call', () => {
  it('delivers on success', () => {
    const settled = recordOutcome(claimed(), message, buildOutcome(success, after(1)));
    const attempt = { number: 1, claimId: 'c-1', at: t0, ...success };
    expect(settled).toMatchObject({ do: 'ack', delivery: { status: 'DELIVERED', version: 3, attempts: [attempt] } });
    for (const removedField of ['claim', 'nextAttemptAt', 'dueAt'])
      expect(settled).not.toHaveProperty(`delivery.${removedField}`);
  });

  it.each([
    [0, 60],
    [1, 300],
    [2, 900],
    [3, 1800],
  ])('after %i counted failures is tried again %i seconds later', (before, delay) => {
    const settled = recordOutcome(claimedAfter(before), message, buildOutcome(failure, after(1)));
    const next = after(1 + delay);
    expect(settled).toMatchObject({ do: 'retry', notBefore: next, delivery: { nextAttemptAt: next, dueAt: next } });
  });

  it('fails with the fifth counted failure, and its message becomes the dead letter', () => {
    const settled = recordOutcome(claimedAfter(4), message, buildOutcome(failure, after(1)));
    expect(settled).toMatchObject({ do: 'dead-letter', delivery: { status: 'FAILED' } });
    expect(settled?.delivery.attempts).toHaveLength(5);
  });

  it('begins a new dispatch when the message may not be received again', () => {
    const settled = recordOutcome(claimed(), { ...message, receives: 5 }, buildOutcome(failure, after(1)));
    expect(settled).toMatchObject({
      do: 're-enqueue',
      notBefore: after(61),
      delivery: { dispatch: 2, version: 3, nextAttemptAt: after(61) },
    });
    expect(settled).not.toHaveProperty('delivery.messageId');
  });

  it('is not recorded under a claim that is no longer open', () => {
    const taken = claimed(claimed(), message, after(20), 'c-2');
    expect(recordOutcome(taken, message, buildOutcome(success, after(21)))).toBeUndefined();
    expect(recordOutcome(fresh, message, buildOutcome(success, after(21)))).toBeUndefined();
  });

  it('is known to be recorded by the claim and its outcome, not by an attempt whose worker died', () => {
    const attempts = [...past('FAILED', 1), ...past('UNKNOWN', 1, 2), ...past('DELIVERED', 1, 3)];
    const recorded = ['past-1', 'past-2', 'past-3', 'past-4'].map((claim) => isRecorded({ ...fresh, attempts }, claim));
    expect(recorded).toEqual([true, false, true, false]);
  });

  it('leaves the rest to the new dispatch when one began meanwhile', () => {
    const enqueued = decide(claimed(), { ...message, receives: 5 }, at(after(1)));
    if (enqueued.do !== 're-enqueue') throw new Error(enqueued.do);
    expect(recordOutcome(enqueued.delivery, message, buildOutcome(failure, after(2)))).toMatchObject({
      do: 'ack',
      delivery: { dispatch: 2 },
    });
    const last: Delivery = { ...enqueued.delivery, attempts: past('FAILED', 4) };
    expect(recordOutcome(last, message, buildOutcome(failure, after(2)))).toMatchObject({
      do: 'ack',
      delivery: { status: 'FAILED' },
    });
  });
});

describe('a delivery that waits', () => {
  it('is overdue when it is pending, its time and the grace are over, and no claim is open', () => {
    expect(reenqueueOverdue(fresh, after(300), 300)).toBeDefined();
    expect(reenqueueOverdue(fresh, after(299.9), 300)).toBeUndefined();
    expect(reenqueueOverdue({ ...fresh, status: 'DELIVERED' }, after(300), 300)).toBeUndefined();
    expect(reenqueueOverdue(claimed(fresh, message, after(290)), after(300), 300)).toBeUndefined();
    expect(reenqueueOverdue(claimed(fresh, message, after(280)), after(300), 300)).toBeDefined();
  });

  it('is sent again when it is overdue, and each time the sweep is patient for twice as long', () => {
    let delivery = fresh;
    const waits: number[] = [];
    for (let now = 0, last = 0; waits.length < 7; now += 10) {
      const sent = reenqueueOverdue(delivery, after(now), 10);
      if (sent === undefined) continue;
      waits.push(now - last);
      last = now;
      delivery = sent;
    }
    expect(delivery.dispatch).toBe(8);
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 320]);
  });

  it('is sent again at once after a restart, and an open claim is over', () => {
    const redriven = redrive(claimed(), after(6), after(6));
    expect(redriven).toMatchObject({ dispatch: 2, claim: { id: 'c-1', leaseUntil: after(6) } });
    expect(redrive(claimed(), after(6), after(5))).toMatchObject({ claim: { leaseUntil: after(6) } });
    expect(redrive(claimed(), after(6), after(4.999))).toMatchObject({ claim: { leaseUntil: after(20) } });
    expect(redrive(claimed(), after(21), after(21))).toMatchObject({ claim: { leaseUntil: after(20) } });
    expect(redriven && decide(redriven, { ...message, dispatch: 2 }, at(after(6)))).toMatchObject({
      do: 'call',
      claim: { number: 2 },
    });
    expect(redrive({ ...fresh, status: 'HELD' }, after(1), after(1))).toBeUndefined();
    expect(redrive({ ...fresh, nextAttemptAt: after(60) }, after(1), after(1))).toMatchObject({ dueAt: after(60) });
  });
});
