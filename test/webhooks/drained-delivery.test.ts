import { describe, expect, it } from 'vitest';
import type { Attempt, Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { QueueMessage, CallResult } from '#shared/webhooks/deliveries/states.ts';
import {
  decide,
  decideDrained,
  recordOutcome,
  redrive,
  reenqueueOverdue,
  sendHeld,
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
const buildOutcome = (result: CallResult, now: string, claimId = 'c-1') => {
  return { claimId, result, now, delays: [60, 300, 900, 1800], fraction: 0 };
};

function past(outcome: Attempt['outcome'], times: number, from = 1): Attempt[] {
  return Array.from({ length: times }, (_, place) => {
    return { number: from + place, claimId: `past-${String(from + place)}`, at: t0, outcome };
  });
}

describe('a delivery that waits in a backlog', () => {
  const backlog = 'type:PAYIN';
  const open = { to: 'endpoint', endpoint, backlog } as const;
  const stopping = { to: 'defer', endpoint, backlog, stopping: [] } as const;
  const paused = decide(fresh, message, { now: t0, claimId: 'c', admission: stopping });
  if (paused.do !== 'defer') throw new Error(paused.do);
  const waiting = paused.delivery;
  const drained = (delivery: Delivery, admission: Admission = open, isProbed = false, now = after(10)) =>
    decideDrained(delivery, backlog, { now, claimId: 'c-1', admission, isProbed, isReaddressed: false });

  it('is pending, uncharged, and carried by no message', () => {
    expect(waiting).toMatchObject({ status: 'PENDING', backlog, attempts: [] });
    for (const removedField of ['dueAt', 'nextAttemptAt', 'claim']) expect(waiting).not.toHaveProperty(removedField);
    expect(decide(waiting, message, at(after(1)))).toEqual({ do: 'ack', because: 'deferred' });
    expect(redrive(waiting, after(1), after(1))).toBeUndefined();
    expect(reenqueueOverdue(waiting, after(9999), 1)).toBeUndefined();
  });

  it('is called under a claim while it stays there, also when it was held', () => {
    const held: Delivery = { ...waiting, status: 'HELD', heldAt: t0 };
    for (const one of [waiting, held]) {
      const decision = drained(one);
      expect(decision).toMatchObject({ do: 'call', endpoint, claim: { number: 1, leaseUntil: after(30) } });
      expect(decision).toMatchObject({ delivery: { status: 'PENDING', backlog } });
      expect(decision).not.toHaveProperty('delivery.heldAt');
    }
  });

  it('is left alone while another drain may be calling, and when it waits elsewhere', () => {
    const claimed: Delivery = { ...waiting, claim: { id: 'x', number: 1, at: t0, leaseUntil: after(20) } };
    expect(drained(claimed)).toEqual({ do: 'pass', until: after(20) });
    expect(drained({ ...waiting, backlog: 'company' })).toEqual({ do: 'pass' });
    expect(drained(claimed, open, false, after(20))).toMatchObject({
      do: 'call',
      claim: { number: 2 },
      delivery: { attempts: [{ outcome: 'UNKNOWN' }] },
    });
  });

  it('is held in the backlog of the hold, which is drained when that hold is released', () => {
    const hold: Admission = { to: 'hold', backlog: 'company' };
    expect(drained(waiting, hold)).toMatchObject({
      do: 'write',
      delivery: { status: 'HELD', heldAt: after(10), backlog: 'company' },
    });
    const held: Delivery = { ...waiting, status: 'HELD', heldAt: t0 };
    expect(drained(held, hold)).toMatchObject({ do: 'write', delivery: { heldAt: t0, backlog: 'company' } });
    expect(drained(held, { to: 'hold', backlog })).toEqual({ do: 'pass' });
  });

  it('is not sent when it was held for more than a week: the partner can resend it', () => {
    const held: Delivery = { ...waiting, status: 'HELD', heldAt: t0 };
    expect(drained(held, open, false, after(7 * 86_400))).toMatchObject({ do: 'call' });
    const parked = drained(held, open, false, after(7 * 86_400 + 1));
    expect(parked).toMatchObject({ do: 'write', delivery: { status: 'HELD' } });
    for (const removedField of ['heldAt', 'backlog']) expect(parked).not.toHaveProperty(`delivery.${removedField}`);
  });

  it.each([0, 7, 30, 89])('is sent when it was held for a week, although it was %i days old by then', (days) => {
    const held: Delivery = { ...waiting, status: 'HELD', createdAt: after(-days * 86_400), heldAt: t0 };
    expect(drained(held, open, false, after(7 * 86_400))).toMatchObject({ do: 'call' });
  });

  it('goes to the backlog of its own address when that stops it', () => {
    const ofOrigin: Delivery = { ...waiting, backlog: 'origin:00' };
    const stopped: Admission = { ...stopping, backlog: 'address:11' };
    const at = { now: after(10), claimId: 'c-1', admission: stopped, isProbed: false, isReaddressed: false };
    for (const one of [ofOrigin, { ...ofOrigin, status: 'HELD' as const, heldAt: t0 }]) {
      const moved = decideDrained(one, 'origin:00', at);
      expect(moved).toMatchObject({ do: 'write', delivery: { status: 'PENDING', backlog: 'address:11' } });
      expect(moved).not.toHaveProperty('delivery.heldAt');
    }
  });

  it('stays where it is when its endpoint may be called, or when it waits for its own address already', () => {
    const facts = { now: after(10), claimId: 'c-1', isProbed: false, isReaddressed: false };
    const mayBeCalled: Admission = { ...open, backlog: 'address:11' };
    const ofOrigin = decideDrained({ ...waiting, backlog: 'origin:00' }, 'origin:00', {
      ...facts,
      admission: mayBeCalled,
    });
    expect(ofOrigin).toMatchObject({ do: 'call', delivery: { backlog: 'origin:00' } });
    const originStops: Admission = { ...stopping, backlog: 'origin:00' };
    const ofAddress = decideDrained({ ...waiting, backlog: 'address:11' }, 'address:11', {
      ...facts,
      admission: originStops,
    });
    expect(ofAddress).toMatchObject({ do: 'call', delivery: { backlog: 'address:11' } });
  });

  it('goes back to the queue, which fails it, when the drain that died made its last attempt', () => {
    const claim = { id: 'x', number: 7, at: t0, leaseUntil: after(5) };
    const attempts = [...past('FAILED', 4), ...past('UNKNOWN', 2, 5)];
    const last = drained({ ...waiting, attempts, claim, nextAttemptAt: t0 });
    expect(last).toMatchObject({ do: 'dispatch', notBefore: after(10), delivery: { dispatch: 2, dueAt: after(10) } });
    for (const removedField of ['backlog', 'claim', 'nextAttemptAt'])
      expect(last).not.toHaveProperty(`delivery.${removedField}`);
    const forgiven = drained({ ...waiting, attempts: attempts.slice(1), claim: { ...claim, number: 6 } });
    expect(forgiven).toMatchObject({ do: 'call', claim: { number: 7 } });
  });

  it('goes out by itself, at once and to the queue, when it is held and its partner asks for that', () => {
    const held: Delivery = { ...waiting, status: 'HELD', heldAt: t0, messageId: 'm-0' };
    const sent = sendHeld(held, after(10));
    const due = { nextAttemptAt: after(10), dueAt: after(10) };
    expect(sent).toMatchObject({ status: 'PENDING', dispatch: 2, version: held.version + 1, ...due });
    for (const removedField of ['heldAt', 'backlog', 'messageId']) expect(sent).not.toHaveProperty(removedField);
    for (const status of ['PENDING', 'DELIVERED', 'FAILED'] as const)
      expect(sendHeld({ ...held, status }, after(10))).toBeUndefined();
  });

  it('waits for its next attempt at an endpoint that is probed, and is carried by the queue at one that is well', () => {
    const failed: Delivery = { ...waiting, attempts: past('FAILED', 1), nextAttemptAt: after(60) };
    expect(drained(failed, open, true)).toEqual({ do: 'pass', until: after(60) });
    const left = drained(failed);
    expect(left).toMatchObject({ do: 'dispatch', notBefore: after(60), delivery: { dispatch: 2, dueAt: after(60) } });
    expect(left).not.toHaveProperty('delivery.backlog');
  });

  it.each([
    ['probe', 1, { do: 'ack', delivery: { status: 'PENDING', backlog, nextAttemptAt: after(70) } }],
    ['drain', 1, { do: 're-enqueue', notBefore: after(70), delivery: { status: 'PENDING', dispatch: 2 } }],
    ['probe', 5, { do: 're-enqueue', notBefore: after(10), delivery: { status: 'PENDING', dispatch: 2 } }],
    ['drain', 5, { do: 're-enqueue', notBefore: after(10), delivery: { status: 'PENDING', dispatch: 2 } }],
  ] as const)('a delivery that a %s calls with its failure number %i is recorded as %o', (source, charges, end) => {
    const called = drained({ ...waiting, attempts: past('FAILED', charges - 1) });
    if (called.do !== 'call') throw new Error(called.do);
    const recorded = recordOutcome(called.delivery, source, buildOutcome(failure, after(10)))!;
    expect(recorded).toMatchObject(end);
    // The fifth: its message finds that it has failed, and becomes the dead letter.
    if (charges === 5)
      expect(decide(recorded.delivery, { ...message, dispatch: 2 }, at(after(11)))).toMatchObject({
        do: 'fail',
        delivery: { status: 'FAILED', messageId: 'm-1' },
      });
  });
});
