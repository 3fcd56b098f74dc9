import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import {
  countFailure,
  countSuccess,
  hasFailedTooLong,
  nextLastAttemptAt,
  nextProbeAt,
  admit,
} from '#shared/webhooks/health/circuit.ts';
import type { Backlog } from '#shared/webhooks/backlog/model.ts';
import { holdBacklog, newBacklog, releaseBacklog, isEmptyBacklog } from '#shared/webhooks/backlog/model.ts';
import { fc } from '../support/properties.ts';
import { circuitRules as rules } from '../support/circuit.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const name = 'endpoint:00ff';
const url = 'https://partner.example/hooks';
const clean = newBacklog('c', name, url);

type Call = { readonly after: number; readonly delivery: number; readonly ends: 'ok' | 'failed' | 'timeout' };

/** The backlog after these calls, and at which of them the circuit opened, from 0. */
function after(calls: readonly Call[]): { readonly backlog: Backlog; readonly openedAt: number } {
  let backlog = clean;
  let openedAt = -1;
  calls.forEach(({ after: seconds, delivery, ends }, place) => {
    const at = plusSeconds(t0, seconds);
    const failure = { at, deliveryId: `d-${delivery}`, timedOut: ends === 'timeout' };
    backlog = (ends === 'ok' ? countSuccess(backlog, at) : countFailure(backlog, failure, rules)) ?? backlog;
    if (openedAt < 0 && backlog.open !== undefined) openedAt = place;
  });
  return { backlog, openedAt };
}
const row = (count: number, of: (place: number) => Partial<Call> = () => ({})): Call[] =>
  Array.from({ length: count }, (_, place) => ({ after: place, delivery: place, ends: 'failed', ...of(place) }));

describe('a circuit', () => {
  it.each([
    ['50 failures in a row over 50 deliveries', row(60), 49],
    ['50 failures over 25 deliveries', row(60, (n) => ({ delivery: n % 25 })), 49],
    ['any number of failures over 24 deliveries', row(400, (n) => ({ delivery: n % 24 })), -1],
    ['50 failures within 10 minutes', row(50, (n) => ({ after: n === 49 ? 600 : n })), 49],
    ['50 failures in more than 10 minutes', row(50, (n) => ({ after: n === 49 ? 601 : n })), -1],
    [
      'the first 50 that lie within 10 minutes, however many came before',
      row(90, (n) => ({ after: n > 30 ? 750 + n - 30 : n * 25 })),
      57,
    ],
    ['49 failures, a success, 49 failures', row(99, (n) => ({ ends: n === 49 ? 'ok' : 'failed' })), -1],
    ['10 timeouts in a row over 10 deliveries', row(12, () => ({ ends: 'timeout' })), 9],
    ['10 timeouts over 9 deliveries', row(10, (n) => ({ ends: 'timeout', delivery: n % 9 })), -1],
    ['9 timeouts, a refusal, 9 timeouts', row(19, (n) => ({ ends: n === 9 ? 'failed' : 'timeout' })), -1],
    ['five attempts of one delivery', row(5, () => ({ delivery: 0, ends: 'timeout' })), -1],
  ])('opens by its rules: %s', (_what, calls, openedAt) => {
    expect(after(calls).openedAt).toBe(openedAt);
  });

  it('says since when the endpoint fails, and counts no more while it is open', () => {
    const { backlog } = after(row(60));
    expect(backlog.open).toEqual({
      at: plusSeconds(t0, 49),
      failingSince: t0,
      probes: 0,
      probedAt: plusSeconds(t0, 49),
    });
    expect(backlog).not.toHaveProperty('failures');
    expect(countFailure(backlog, { at: t0, deliveryId: 'd', timedOut: true }, rules)).toBeUndefined();
    expect(
      countFailure(holdBacklog(clean, 'OPERATOR', t0, t0), { at: t0, deliveryId: 'd', timedOut: true }, rules),
    ).toBeUndefined();
  });

  it('costs no write for an endpoint that answers, and one for the first answer after failures', () => {
    expect(countSuccess(clean, t0)).toBeUndefined();
    const failing = after(row(3)).backlog;
    const well = countSuccess(failing, t0)!;
    expect(isEmptyBacklog(failing)).toBe(false);
    expect(isEmptyBacklog(well)).toBe(true);
    expect(countSuccess(well, t0)).toBeUndefined();
  });

  it('is closed by the first success, and lets everybody out', () => {
    const closed = countSuccess(after(row(60)).backlog, plusSeconds(t0, 99))!;
    expect(closed).toMatchObject({ releasedAt: plusSeconds(t0, 99), dueAt: plusSeconds(t0, 99) });
    expect(closed).not.toHaveProperty('open');
  });

  it('is probed after 1, 2, 4, 8 and then 15 minutes, by a last attempt after 6 hours, and given up after 5 days', () => {
    const open = { at: t0, failingSince: t0, probes: 0, probedAt: t0 };
    const waits = [0, 1, 2, 3, 4, 5, 99].map((probes) => nextProbeAt({ ...open, probes }, rules));
    expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900].map((seconds) => plusSeconds(t0, seconds)));
    expect(nextLastAttemptAt(open, rules)).toBe(plusSeconds(t0, 6 * 3600));
    expect(hasFailedTooLong(open, plusSeconds(t0, 5 * 86_400 - 1), rules)).toBe(false);
    expect(hasFailedTooLong(open, plusSeconds(t0, 5 * 86_400), rules)).toBe(true);
  });

  it('keeps no more than it needs, and never opens while successes come often enough', () => {
    const call = fc.record({
      after: fc.nat(60),
      delivery: fc.nat(100),
      ends: fc.constantFrom('failed' as const, 'timeout' as const),
    });
    fc.assert(
      fc.property(fc.array(fc.array(call, { maxLength: 9 }), { maxLength: 30 }), (runs) => {
        const { backlog, openedAt } = after(
          runs.flatMap((run) => [...run, { after: 61, delivery: 0, ends: 'ok' as const }]),
        );
        expect(openedAt).toBe(-1);
        expect(backlog.failures ?? []).toEqual([]);
      }),
    );
    expect(after(row(49)).backlog.failures).toHaveLength(49);
    expect(after(row(300, (n) => ({ delivery: n % 3 }))).backlog.failures).toHaveLength(50);
  });
});

describe('the way of a delivery', () => {
  const delivery = { target: { type: 'PAYIN' as const }, attempts: [] };
  const begun = { ...delivery, attempts: [{ number: 1, claimId: 'c', at: t0, outcome: 'FAILED' as const }] };
  const claim = { id: 'c', number: 1, at: t0, leaseUntil: t0 };
  const settings = {
    events: [{ type: 'PAYIN' as const, endpoint: url, status: 'ACTIVE' as const, createdAt: t0, updatedAt: t0 }],
  };
  const open = after(row(60)).backlog;
  const held = holdBacklog(clean, 'OPERATOR', t0, t0);

  it.each([
    ['leads to the endpoint', delivery, settings, undefined, { to: 'endpoint', endpoint: url }],
    [
      'leads there while failures are only counted',
      delivery,
      settings,
      after(row(9)).backlog,
      { to: 'endpoint', endpoint: url },
    ],
    [
      'ends in the line of the company',
      delivery,
      { ...settings, heldSince: t0 },
      open,
      { to: 'hold', backlog: 'company' },
    ],
    ['ends in the line of its type', begun, { events: [] }, undefined, { to: 'hold', backlog: 'type:PAYIN' }],
    ['ends in the line of a held endpoint, begun or not', begun, settings, held, { to: 'hold', backlog: name }],
    [
      'ends in the line of a held endpoint for its turn too',
      { ...delivery, releasedFrom: { backlog: name } },
      settings,
      held,
      { to: 'hold', backlog: name },
    ],
    ['pauses before an open circuit', delivery, settings, open, { to: 'defer', backlog: name }],
    [
      'pauses there when it comes from another line',
      { ...delivery, releasedFrom: { backlog: 'type:PAYIN' } },
      settings,
      open,
      { to: 'defer', backlog: name },
    ],
    ['goes on through an open circuit when it has begun', begun, settings, open, { to: 'endpoint', endpoint: url }],
    ['goes on when its claim is open', { ...delivery, claim }, settings, open, { to: 'endpoint', endpoint: url }],
    [
      'leads through an open circuit as a probe',
      { ...delivery, releasedFrom: { backlog: name, probe: true } },
      settings,
      open,
      { to: 'endpoint', endpoint: url },
    ],
  ] as const)('%s', (_what, of, known, backlog, admission) => {
    const isActive = known.events.length > 0;
    expect(admit(of, known, isActive ? { name, backlog } : undefined, t0)).toEqual(admission);
  });
});

describe('a line', () => {
  it('that is held forgets its failures and keeps since when the endpoint failed; released it starts afresh', () => {
    const held = holdBacklog(after(row(60)).backlog, 'CIRCUIT', plusSeconds(t0, 99), plusSeconds(t0, 100));
    expect(held).toMatchObject({ held: { by: 'CIRCUIT', failingSince: t0 }, dueAt: plusSeconds(t0, 100) });
    expect(held).not.toHaveProperty('open');
    const released = releaseBacklog(held, plusSeconds(t0, 200));
    expect(released).toMatchObject({
      releasedAt: plusSeconds(t0, 200),
      dueAt: plusSeconds(t0, 200),
      version: held.version + 1,
    });
    expect(released).not.toHaveProperty('held');
  });
});
