import { finalStatuses } from '#test/support/final-statuses.ts';
import { each } from '#test/support/each.ts';
import { describe, expect, test } from 'vitest';
import { creditReturnStatuses, creditStatuses } from '#shared/credits/model.ts';
import { disputeStatuses } from '#shared/disputes/model.ts';
import { keyValidationStatuses } from '#shared/pix-keys/model.ts';
import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import type { Actor, TransitionTable } from '#shared/core/transition.ts';
import { isTrigger, nextStatus, triggersFrom } from '#shared/core/transition.ts';
import { subscriptionTransitions } from '#shared/subscriptions/states.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';
import { scheduledPaymentStatuses } from '#shared/scheduled-payments/model.ts';
import { refundStatuses } from '#shared/refunds/model.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';

/** Section 3 of the specification, copied by hand: resource, from, value of the tool, to. Not derived from the code. */
const section3 = `
SUBSCRIPTION  PENDING_AUTHORIZATION  ACCEPTED               ACCEPTED
SUBSCRIPTION  PENDING_AUTHORIZATION  REJECTED               REJECTED
SUBSCRIPTION  ACCEPTED               CANCELED               CANCELED
SUBSCRIPTION  ACCEPTED               CANCELLATION_REJECTED  ACCEPTED
SCHEDULED_PAYMENT  PENDING   ACCEPTED                       ACCEPTED
SCHEDULED_PAYMENT  PENDING   REJECTED                       REJECTED
SCHEDULED_PAYMENT  PENDING   ERROR                          ERROR
SCHEDULED_PAYMENT  PENDING   CANCELED                       CANCELED
SCHEDULED_PAYMENT  ACCEPTED  COMPLETED                      COMPLETED
SCHEDULED_PAYMENT  ACCEPTED  ERROR                          ERROR
SCHEDULED_PAYMENT  ACCEPTED  CANCELED                       CANCELED
SCHEDULED_PAYMENT  ACCEPTED  CANCELED_INSUFFICIENT_BALANCE  CANCELED_INSUFFICIENT_BALANCE
SCHEDULED_PAYMENT  ACCEPTED  CANCELED_SETTLEMENT_ERROR      CANCELED
SCHEDULED_PAYMENT  PENDING   CANCELED_SETTLEMENT_ERROR      CANCELED
SCHEDULED_PAYMENT  INITIAL   CANCELLATION_PENDING           INITIAL
SCHEDULED_PAYMENT  PENDING   CANCELLATION_PENDING           PENDING
SCHEDULED_PAYMENT  ACCEPTED  CANCELLATION_PENDING           ACCEPTED
SCHEDULED_PAYMENT  INITIAL   CANCELLATION_REJECTED          INITIAL
SCHEDULED_PAYMENT  PENDING   CANCELLATION_REJECTED          PENDING
SCHEDULED_PAYMENT  ACCEPTED  CANCELLATION_REJECTED          ACCEPTED
PAY_IN        PENDING                PAID                   PAID
PAY_IN        PENDING                CANCELED               CANCELED
PAY_IN        PENDING                EXPIRED                EXPIRED
PAY_IN        PENDING                ERROR                  ERROR
PAY_IN        PAID                   REFUNDED               REFUNDED
REFUND        PENDING                SETTLED                SETTLED
REFUND        PENDING                FAILED                 FAILED
CREDIT        OPEN                   RETURNED               RETURNED
CREDIT_RETURN  PENDING               SETTLED                SETTLED
CREDIT_RETURN  PENDING               FAILED                 FAILED
DISPUTE       OPEN                   DEFENDED               DEFENDED
DISPUTE       OPEN                   ACCEPTED               ACCEPTED
DISPUTE       OPEN                   REJECTED               REJECTED
DISPUTE       OPEN                   CANCELED               CANCELED
DISPUTE       DEFENDED               ACCEPTED               ACCEPTED
DISPUTE       DEFENDED               REJECTED               REJECTED
DISPUTE       DEFENDED               CANCELED               CANCELED
KEY_VALIDATION  REGISTERING          CONFIRMED              CONFIRMED
KEY_VALIDATION  REGISTERING          REFUSED                REFUSED
PAYOUT        PENDING                PAID                   PAID
PAYOUT        PENDING                ERROR                  ERROR
PAYOUT        PENDING                CANCELED               CANCELED
`;
/** What the service does by itself. */
const byItself = `
CREDIT        OPEN      ASSIGN                         ASSIGNED
DISPUTE       OPEN      DEFEND                         DEFENDED
SCHEDULED_PAYMENT  INITIAL   WINDOW_OPENED                  PENDING
SCHEDULED_PAYMENT  INITIAL   CANCELED                       CANCELED
SCHEDULED_PAYMENT  INITIAL   AUTHORIZATION_CANCELED         CANCELED
SCHEDULED_PAYMENT  PENDING   AUTHORIZATION_CANCELED         CANCELED
SCHEDULED_PAYMENT  ACCEPTED  AUTHORIZATION_CANCELED         CANCELED
SCHEDULED_PAYMENT  PENDING   ERROR                          ERROR
SCHEDULED_PAYMENT  PENDING   CANCELLATION_REJECTED          PENDING
SCHEDULED_PAYMENT  ACCEPTED  CANCELLATION_REJECTED          ACCEPTED
PAY_IN        PENDING                EXPIRED                EXPIRED
PAY_IN        PENDING                CANCELED               CANCELED
SUBSCRIPTION  INITIAL                PENDING_AUTHORIZATION  PENDING_AUTHORIZATION
SUBSCRIPTION  INITIAL                ERROR                  ERROR
SUBSCRIPTION  PENDING_AUTHORIZATION  CANCELED               CANCELED
SUBSCRIPTION  PENDING_AUTHORIZATION  REJECTED               REJECTED
SUBSCRIPTION  PENDING_AUTHORIZATION  ENDED                  CANCELED
SUBSCRIPTION  ACCEPTED               ENDED                  CANCELED
KEY_VALIDATION  PENDING              REGISTERING            REGISTERING
KEY_VALIDATION  PENDING              CONFIRMED              CONFIRMED
KEY_VALIDATION  PENDING              REFUSED                REFUSED
KEY_VALIDATION  CONFIRMED            REMOVED                REMOVED
KEY_VALIDATION  PENDING              BLOCKED                BLOCKED
KEY_VALIDATION  PENDING              EXPIRED                EXPIRED
`;
/** What the bank alone causes, beside the moves of the tools. */
const byBankAlone = `
SCHEDULED_PAYMENT  PENDING   CANCELED_INSUFFICIENT_BALANCE  CANCELED_INSUFFICIENT_BALANCE
SUBSCRIPTION  PENDING_AUTHORIZATION  CANCELED               CANCELED
SUBSCRIPTION  PENDING_AUTHORIZATION  ENDED                  CANCELED
SUBSCRIPTION  ACCEPTED               ENDED                  CANCELED
`;
const statusesOf: Readonly<Record<Resource, readonly string[]>> = {
  SUBSCRIPTION: subscriptionStatuses,
  SCHEDULED_PAYMENT: scheduledPaymentStatuses,
  PAY_IN: payInStatuses,
  REFUND: refundStatuses,
  PAYOUT: payoutStatuses,
  CREDIT: creditStatuses,
  CREDIT_RETURN: creditReturnStatuses,
  DISPUTE: disputeStatuses,
  KEY_VALIDATION: keyValidationStatuses,
};

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/u).join(' '));
const bank = new Set(rowsOf(section3));
const service = new Set(rowsOf(byItself));
const bankAlone = new Set([...bank, ...rowsOf(byBankAlone)]);
const resources = Object.keys(statusesOf) as Resource[];
const triggers = [
  ...new Set([...bankAlone, ...service].map((row) => row.split(' ')[2] ?? '')),
  'INITIAL',
  'PENDING',
  '',
  'toString',
];

const expectedOf: Readonly<Record<Actor, ReadonlySet<string>>> = { bank, bankAlone, service };
const actors = ['bank', 'bankAlone', 'service'] as const satisfies readonly Actor[];
/** Every move of a resource that the code finds, whatever is asked for, as a row of the tables above. */
const tables: Readonly<Record<Resource, TransitionTable>> = transitions;
const found = (resource: Resource, statuses: readonly string[], by: Actor): readonly string[] =>
  statuses.flatMap((from) =>
    triggers.flatMap((trigger) => {
      const to = isTrigger(tables[resource], trigger) ? nextStatus(tables[resource], from, trigger, by) : undefined;
      return to === undefined ? [] : [`${resource} ${from} ${trigger} ${to}`];
    }),
  );

describe.each(resources)('a %s', (resource) => {
  const statuses = statusesOf[resource];
  const isFinal = (status: string): boolean => finalStatuses[resource].some((one) => one === status);

  test.each(actors)('has the transitions of section 3, and no others, when the actor is the %s', (by) => {
    const expected = [...expectedOf[by]].filter((row) => row.startsWith(`${resource} `));
    expect(found(resource, statuses, by).toSorted()).toEqual(expected.toSorted());
  });

  test('has the triggers of its rows, for every actor, and no other trigger', () => {
    const own = [...bankAlone, ...service].filter((row) => row.startsWith(`${resource} `));
    const expected = new Set(own.map((row) => row.split(' ')[2] ?? ''));
    expect(triggers.filter((trigger) => isTrigger(tables[resource], trigger)).toSorted()).toEqual(
      [...expected].toSorted(),
    );
  });

  test('makes no transition from a final status, for any actor', () => {
    for (const from of each(finalStatuses[resource])) {
      expect(actors.flatMap((by) => found(resource, [from], by))).toEqual([]);
      expect(actors.flatMap((by) => (tables[resource][by] ?? []).filter((row) => row[0] === from))).toEqual([]);
      expect(triggersFrom(tables[resource], from)).toEqual([]);
    }
  });

  test('lists its allowed triggers in every status that is not final', () => {
    const open = statuses.filter((status) => !isFinal(status));
    const named = open.flatMap((from) => triggersFrom(tables[resource], from).map((trigger) => `${from} ${trigger}`));
    const expected = [...bank]
      .filter((row) => row.startsWith(`${resource} `))
      .map((row) => row.split(' ').slice(1, 3).join(' '));
    expect(named.toSorted()).toEqual(expected.toSorted());
  });
});

test.each(resources)('each row of a %s is a status, a trigger and a status', (resource) => {
  for (const row of each(actors.flatMap((by) => tables[resource][by] ?? []))) {
    expect(statusesOf[resource]).toEqual(expect.arrayContaining([row[0], row[2]]));
    expect(row).toHaveLength(3);
  }
});

test('each transition is listed once', () => {
  const rows = resources.flatMap((resource) =>
    actors.flatMap((by) =>
      (tables[resource][by] ?? []).map(([from, trigger]) => `${by} ${resource} ${from} ${trigger}`),
    ),
  );
  expect(new Set(rows).size).toBe(rows.length);
});

test('INITIAL, PENDING_AUTHORIZATION and ERROR of a subscription cannot be asked for', () => {
  for (const from of each(subscriptionStatuses))
    for (const wanted of ['INITIAL', 'PENDING_AUTHORIZATION', 'ERROR'])
      expect(
        isTrigger(subscriptionTransitions, wanted) && nextStatus(subscriptionTransitions, from, wanted, 'bank'),
      ).toBeFalsy();
});
