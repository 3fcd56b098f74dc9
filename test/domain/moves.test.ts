import { describe, expect, test } from 'vitest';
import type { Move, Resource } from '../../shared/domain/moves.ts';
import { findMove, moves, triggersFrom } from '../../shared/domain/moves.ts';
import { PAY_IN_STATUSES } from '../../shared/domain/pay-in.ts';
import { PAYOUT_STATUSES } from '../../shared/domain/payout-batch.ts';
import { SUBSCRIPTION_STATUSES } from '../../shared/domain/subscription.ts';

/** Section 3 of the specification, copied by hand: resource, from, value of the tool, to. Not derived from the code. */
const SECTION_3 = `
SUBSCRIPTION  PENDING_AUTHORIZATION  ACCEPTED               ACCEPTED
SUBSCRIPTION  PENDING_AUTHORIZATION  REJECTED               REJECTED
SUBSCRIPTION  ACCEPTED               CANCELED               CANCELED
SUBSCRIPTION  ACCEPTED               CANCELLATION_REJECTED  ACCEPTED
PAY_IN        PENDING                PAID                   PAID
PAY_IN        PENDING                CANCELED               CANCELED
PAY_IN        PENDING                EXPIRED                EXPIRED
PAY_IN        PENDING                ERROR                  ERROR
PAY_IN        PAID                   REFUNDED               REFUNDED
PAYOUT        PENDING                PAID                   PAID
PAYOUT        PENDING                ERROR                  ERROR
PAYOUT        PENDING                CANCELED               CANCELED
`;
/** What the service does by itself. */
const BY_ITSELF = `
PAY_IN        PENDING                EXPIRED                EXPIRED
`;
/** States that no tool can change. An order that was PAID is final for a payout, and can be refunded for a pay-in. */
const FINAL: Partial<Record<Resource, readonly string[]>> = {
  SUBSCRIPTION: ['REJECTED', 'CANCELED', 'ERROR'],
  PAY_IN: ['EXPIRED', 'CANCELED', 'REFUNDED', 'ERROR'],
  PAYOUT: ['PAID', 'CANCELED', 'ERROR', 'PARTIALLY_PAID'],
};
const STATUSES: Partial<Record<Resource, readonly string[]>> = {
  SUBSCRIPTION: SUBSCRIPTION_STATUSES,
  PAY_IN: PAY_IN_STATUSES,
  PAYOUT: PAYOUT_STATUSES,
};

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/u).join(' '));
const bank = new Set(rowsOf(SECTION_3));
const service = new Set(rowsOf(BY_ITSELF));
const resources = Object.keys(STATUSES) as Resource[];
const triggers = [
  ...new Set([...bank].map((row) => row.split(' ')[2] ?? '')),
  'INITIAL',
  'PENDING',
  'PENDING_AUTHORIZATION',
  '',
  'toString',
];

describe.each(resources)('a %s', (resource) => {
  const statuses = STATUSES[resource] ?? [];

  test.each(['bank', 'service'] as const)(
    'moved by the %s moves as section 3 says, and in no other way',
    (by: Move['by']) => {
      const found = statuses.flatMap((from) =>
        triggers.flatMap((trigger) => {
          const move = findMove(resource, from, trigger, by);
          return move ? [`${resource} ${from} ${trigger} ${move.to}`] : [];
        }),
      );
      const table = by === 'bank' ? bank : service;
      expect(found.toSorted()).toEqual([...table].filter((row) => row.startsWith(`${resource} `)).toSorted());
    },
  );

  test('in a final state is never moved, by nobody', () => {
    for (const from of FINAL[resource] ?? []) {
      expect(moves.filter((move) => move.resource === resource && move.from === from)).toEqual([]);
      expect(triggersFrom(resource, from)).toEqual([]);
    }
  });

  test('in any other state can be moved, and names its moves', () => {
    const open = statuses.filter((status) => FINAL[resource]?.includes(status) !== true);
    const named = open.flatMap((from) => triggersFrom(resource, from).map((trigger) => `${from} ${trigger}`));
    const expected = [...bank]
      .filter((row) => row.startsWith(`${resource} `))
      .map((row) => row.split(' ').slice(1, 3).join(' '));
    expect(named.toSorted()).toEqual(expected.toSorted());
  });
});

test('each move is listed once', () => {
  const rows = moves.map(({ resource, from, trigger, by }) => `${by} ${resource} ${from} ${trigger}`);
  expect(new Set(rows).size).toBe(rows.length);
});

test('INITIAL, PENDING_AUTHORIZATION and ERROR of a subscription cannot be asked for', () => {
  for (const from of SUBSCRIPTION_STATUSES)
    for (const wanted of ['INITIAL', 'PENDING_AUTHORIZATION', 'ERROR'])
      expect(findMove('SUBSCRIPTION', from, wanted, 'bank')).toBeUndefined();
});
