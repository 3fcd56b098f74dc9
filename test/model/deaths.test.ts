import { describe, expect, it } from 'vitest';
import type { Notification } from '@banking-order/partner-tools';
import { reservedKeys, timeoutAccount } from '#shared/bank/simulated/reserved.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import type { Deliveries } from '#test/crash/checks/deliveries.ts';
import { findDeliveryViolations } from '#test/crash/checks/deliveries.ts';
import { findStatementViolations } from '#test/crash/checks/money.ts';
import { findNotificationViolations } from '#test/crash/checks/notifications.ts';
import type { Resource } from '#test/crash/checks/resources.ts';
import { findStatusViolations } from '#test/crash/checks/statuses.ts';
import { dueIn } from '#test/crash/checks/table.ts';
import type { Violation } from '#test/crash/journal.ts';
import { openJournal } from '#test/crash/journal.ts';

/* What `npm run crash` judges by. The deaths themselves are real, and no test's. */

const invariantsOf = (faults: readonly Violation[]): readonly string[] => faults.map(({ invariant }) => invariant);
const read = (kind: Resource['kind'], ...statuses: readonly string[]): Resource => {
  return { kind, id: 'r-1', about: 'r-1', statuses };
};

describe('statuses', () => {
  it.each<[Resource['kind'], readonly string[] | undefined, readonly string[]]>([
    ['PAY_IN', undefined, ['REFUNDED']],
    ['PAY_IN', ['PAID'], ['REFUNDED']],
    ['PAYOUT', ['PENDING'], ['PARTIALLY_PAID']],
    ['SUBSCRIPTION', ['INITIAL'], ['INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED']],
    ['SCHEDULED_PAYMENT', undefined, ['INITIAL', 'PENDING', 'ACCEPTED', 'COMPLETED']],
  ])('of %s may change from %j to %j', (kind, seen, now) => {
    expect(findStatusViolations(read(kind, ...now), seen)).toEqual([]);
  });

  it.each<[Resource['kind'], readonly string[] | undefined, readonly string[], string]>([
    ['PAYOUT', ['PAID'], ['ERROR'], 'a final status stays'],
    ['PAY_IN', ['PAID'], ['PENDING'], 'a status changes only by an allowed transition'],
    ['PAYMENT', undefined, ['PARTIALLY_PAID'], 'a status changes only by an allowed transition'],
    ['SUBSCRIPTION', undefined, ['INITIAL', 'ACCEPTED'], 'a status changes only by an allowed transition'],
    ['SUBSCRIPTION', undefined, ['PENDING_AUTHORIZATION'], 'a history begins with its first status'],
    ['SCHEDULED_PAYMENT', ['INITIAL', 'PENDING'], ['INITIAL', 'CANCELED'], 'a history only grows'],
  ])('of %s may not change from %j to %j', (kind, seen, now, invariant) => {
    expect(invariantsOf(findStatusViolations(read(kind, ...now), seen))).toContain(invariant);
  });
});

describe('money', () => {
  const entry = (available: string, reserved: string) => ({ id: 'e-1', available, reserved });

  it('is the sum of its entries, in centavos', () => {
    const entries = [entry('0.10', '0.00'), entry('0.20', '0.00'), entry('-0.30', '0.30')];
    expect(findStatementViolations('a-1', entries, { available: '0.00', reserved: '0.30' })).toEqual([]);
    expect(invariantsOf(findStatementViolations('a-1', entries, { available: '0.01', reserved: '0.30' }))).toEqual([
      'a balance is the sum of its entries',
    ]);
  });

  it('is never below zero after any entry', () => {
    const entries = [entry('-0.01', '0.00'), entry('0.01', '0.00')];
    expect(invariantsOf(findStatementViolations('a-1', entries, { available: '0.00', reserved: '0.00' }))).toEqual([
      'no balance is below zero',
    ]);
  });
});

describe('notifications', () => {
  const notificationsOf = (...events: readonly string[]) =>
    events.map((event, place) => ({ id: `d-${place}`, event, resourceId: 'r-1' }));

  it.each<[Resource, readonly string[]]>([
    [read('PAY_IN', 'PENDING'), []],
    [read('PAY_IN', 'REFUNDED'), ['ORDER-PAYIN.PAID']],
    [read('REFUND', 'SETTLED'), ['ORDER-PAYIN.REFUNDED']],
    [read('PAYOUT', 'PARTIALLY_PAID'), ['ORDER-PAYOUT.ERROR']],
    [read('PAYMENT', 'PAID'), []],
    [read('SUBSCRIPTION', 'INITIAL', 'PENDING_AUTHORIZATION', 'REJECTED'), ['SUBSCRIPTION.REJECTED']],
    [
      read('SCHEDULED_PAYMENT', 'INITIAL', 'PENDING', 'CANCELED'),
      ['SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING', 'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED'],
    ],
  ])('of the resource %j are the events %j', (resource, events) => {
    expect(findNotificationViolations([resource], notificationsOf(...events))).toEqual([]);
    const fault = ['each transition that notifies has one notification'];
    if (events.length > 0)
      expect(invariantsOf(findNotificationViolations([resource], notificationsOf(...events.slice(1))))).toEqual(fault);
    expect(
      invariantsOf(findNotificationViolations([resource], notificationsOf(...events, 'ORDER-PAYIN.EXPIRED'))),
    ).toEqual(fault);
    if (events.length > 0)
      expect(invariantsOf(findNotificationViolations([resource], notificationsOf(events[0]!, ...events)))).toEqual(
        fault,
      );
  });
});

describe('deliveries', () => {
  const [id, at, body] = ['d-1', '2026-01-15T12:00:00.000Z', '{"event":"ORDER-PAYIN.PAID"}'] as const;
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const delivered: Delivery = {
    ...newDelivery('c-1', {
      ...{ id, event: 'ORDER-PAYIN.PAID', resource: { type: 'PAY_IN', id: 'r-1' }, target: { type: 'PAYIN' } },
      ...{ body, createdAt: at, requestId: 'q-1' },
    }),
    status: 'DELIVERED',
    attempts: [{ number: 1, at, claimId: 'k-1', outcome: 'DELIVERED' }],
  };
  const call: Notification = {
    ...{ id, at: Date.parse(at), method: 'POST', raw: Buffer.from(body), body: {}, call: 1, reply: { kind: 'ok' } },
    headers: Object.fromEntries(
      Object.entries(signatureHeaders({ id, at, body, secrets: { current: secret } })).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
    ),
  };
  const good: Deliveries = {
    ...{ deliveries: [delivered], bodies: new Map([[id, body]]), calls: [call], secrets: [secret], letters: [] },
  };
  const failed: Delivery = { ...delivered, status: 'FAILED' };
  const fiveFailed = Array.from({ length: 5 }, (_none, place) => {
    return { number: place + 1, at, claimId: `k-${place}`, outcome: 'FAILED' as const };
  });

  it('pass all invariants when they are correct', () => {
    expect(findDeliveryViolations(good)).toEqual([]);
    expect(
      findDeliveryViolations({ ...good, deliveries: [{ ...failed, attempts: fiveFailed }], letters: [id] }),
    ).toEqual([]);
  });

  it('pass all invariants when a failed delivery was resent, whose calls have the same webhook-id', () => {
    const refused = { ...call, reply: { kind: 'status', status: 500 } } as const;
    const first = { ...failed, attempts: fiveFailed };
    const resent = good.deliveries.map((delivery) => ({ ...delivery, id: 'resend', resendOf: id }));
    const bodies = new Map([...good.bodies, ['resend', body]]);
    const all = { ...good, bodies, deliveries: [first, ...resent], letters: [id] };
    const five = Array.from({ length: 5 }, () => refused);
    expect(findDeliveryViolations({ ...all, calls: [...five, call] })).toEqual([]);
    const unheard = findDeliveryViolations({ ...all, calls: [...five, refused] });
    expect(invariantsOf(unheard)).toEqual(['a delivered notification was acknowledged']);
    const extra = findDeliveryViolations({ ...all, calls: [...five, refused, call] });
    expect(invariantsOf(extra)).toContain('each call is recorded as an attempt');
  });

  it.each<[string, Partial<Deliveries>]>([
    ['a notification always has the same bytes', { bodies: new Map([[id, `${body} `]]) }],
    ['a notification is signed', { secrets: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs='] }],
    ['each call is recorded as an attempt', { calls: [call, call] }],
    ['a delivered notification was acknowledged', { calls: [{ ...call, reply: { kind: 'status', status: 500 } }] }],
    ['a delivered notification was acknowledged', { calls: [] }],
    ['each call belongs to a delivery', { deliveries: [], bodies: new Map() }],
    ['a failed notification has one dead letter', { letters: [id] }],
    ['a failed notification has one dead letter', { deliveries: [{ ...failed, attempts: fiveFailed }] }],
    [
      'a failed notification has one dead letter',
      { deliveries: [{ ...failed, attempts: fiveFailed }], letters: [id, id] },
    ],
    ['a failed delivery had five attempts', { deliveries: [failed], letters: [id] }],
  ])('break the invariant "%s" (%#)', (invariant, change) => {
    expect(invariantsOf(findDeliveryViolations({ ...good, ...change }))).toContain(invariant);
  });
});

it('the due items are those a minute late and commands of the next minutes, without those that never get an answer', () => {
  const now = '2026-01-15T12:00:00.000Z';
  const due = (kind: Parameters<typeof dueAttributesAt>[1], at: string): readonly string[] =>
    dueIn([{ PK: 'C#c-1#P', SK: 'S', ...dueAttributesAt('c-1', kind, at, 'x') }], () => now);
  expect(due('DELIVERY', '2026-01-15T11:59:00.000Z')).toHaveLength(1);
  expect(due('DELIVERY', '2026-01-15T11:59:59.000Z')).toEqual([]);
  expect(due('PAYOUT_SUBMISSION', '2026-01-15T12:02:00.000Z')).toHaveLength(1);
  expect(due('PAYOUT_POLL', '2026-01-15T12:02:00.000Z')).toEqual([]);
  expect(dueIn([{ PK: 'C#c-1#P', SK: 'S' }], () => now)).toEqual([]);
  const unanswered = { PK: 'C#c-1#P', SK: 'S', ...dueAttributesAt('c-1', 'PAYOUT_SUBMISSION', now, 'x') };
  for (const paymentData of [{ pixKey: reservedKeys.timeout }, { bankAccount: { accountNumber: timeoutAccount } }])
    expect(dueIn([{ ...unanswered, paymentData }], () => now)).toEqual([]);
  expect(dueIn([{ ...unanswered, paymentData: { pixKey: reservedKeys.refused } }], () => now)).toHaveLength(1);
});

it('a finding has its cycle and the last events of its ids', () => {
  const journal = openJournal();
  journal.begin();
  journal.note('createPayout p-1');
  journal.note('createPayout p-2');
  journal.begin();
  journal.finding('one payout for each key', 'p-1 twice', ['p-1', '']);
  expect(journal.found).toMatchObject([{ cycle: 2, invariant: 'one payout for each key' }]);
  expect(journal.found[0]?.last).toEqual([expect.stringContaining('cycle 1: createPayout p-1')]);
});
