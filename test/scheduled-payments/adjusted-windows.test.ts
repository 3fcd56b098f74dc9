import { expect, test } from 'vitest';
import { instantAt, plusDays, weekday } from '#shared/core/brasilia-time.ts';
import { each } from '../support/each.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { refused } from '../support/refusals.ts';

/** A week from its Sunday; subscriptions began before it. */
const sunday = '2026-02-01';
const week = Array.from({ length: 7 }, (_, day) => plusDays(sunday, day));
const noon = '12:00';

/** Saturday and Sunday settle on Monday where the subscription moves them (specification, 2.2). */
const settles = (due: string, adjusts: boolean): string =>
  plusDays(due, adjusts ? ({ 6: 2, 0: 1 }[weekday(due)] ?? 0) : 0);

test.each([
  [0, false],
  [0, true],
  [2, false],
  [2, true],
])(
  'a charge is accepted when its settlement date is at least %i days ahead (weekends are moved: %s)',
  async (days, adjusts) => {
    const world = await paymentWorld({ now: '2026-01-15T15:00:00.000Z', schedule: { minDaysAhead: days } });
    for (const today of each(week))
      for (const ahead of each([0, 1, 2, 3])) {
        world.clock.now = '2026-01-15T15:00:00.000Z';
        const subscriptionId = await world.accepted({ allowAdjustToBusinessDay: adjusts });
        world.clock.now = instantAt(today, noon);
        const dueDate = plusDays(today, ahead);
        const response = await world.schedule(paymentBody({ dueDate }), subscriptionId);
        const settlementDate = settles(dueDate, adjusts);
        const isInWindow = settlementDate >= plusDays(today, days);
        const description = `${dueDate} on ${today}: ${response.text}`;
        expect(response.status, description).toBe(isInWindow ? 201 : 400);
        if (isInWindow) expect(response.body, description).toMatchObject({ dueDate, settlementDate });
      }
  },
);

test.each([
  ['Saturday', '2026-02-07', true, 201],
  ['Sunday', '2026-02-08', true, 201],
  ['Saturday', '2026-02-07', false, 409],
  ['Monday', '2026-02-09', true, 409],
  ['Monday', '2026-02-09', false, 409],
])(
  'a charge of today (%s, %s; weekends are moved: %s) is created after 21:00 only when it settles on another day',
  async (_day, today, adjusts, status) => {
    const world = await paymentWorld({ now: '2026-01-15T15:00:00.000Z' }, { allowAdjustToBusinessDay: adjusts });
    for (const hour of each(['21:00', '23:59'])) {
      world.clock.now = instantAt(today, hour);
      const response = await world.schedule(paymentBody({ dueDate: today }));
      // The second one of a cycle is refused for that: the first has said it.
      if (hour === '21:00') expect(response.status, response.text).toBe(status);
      else refused(response, 409);
    }
  },
);

test.each([true, false])(
  'a withdrawal ends on the eve of the settlement date at 22:00 (weekends are moved: %s)',
  async (adjusts) => {
    for (const dueDate of each(week.map((day) => plusDays(day, 7)))) {
      const world = await paymentWorld({ now: '2026-01-15T15:00:00.000Z' }, { allowAdjustToBusinessDay: adjusts });
      const { id } = await world.scheduled(paymentBody({ dueDate }));
      const eve = plusDays(settles(dueDate, adjusts), -1);
      world.clock.now = instantAt(eve, '22:00');
      refused(await world.withdraw(id, 'late'), 409, undefined, `${dueDate} at 22:00`);
      world.clock.now = instantAt(eve, '21:59');
      expect((await world.withdraw(id, 'in-time')).status, `${dueDate} at 21:59`).toBe(201);
    }
  },
);
