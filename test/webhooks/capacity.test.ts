import { expect, it } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { closeCall, hasRelapsed, leave, newGate, reserveOf } from '#shared/webhooks/backlog/capacity.ts';
import { fc } from '../support/properties.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const most = 50;

it('an endpoint that is back has relapsed after a window of failures in a row, ten at most, whatever came before', () => {
  const outcomes = fc.array(fc.constantFrom('good', 'bad', 'bad', undefined), { maxLength: 120 });
  fc.assert(
    fc.property(outcomes, (calls) => {
      const gate = newGate({ name: 'address:00', url: 'https://partner.example/', state: 'HALF_OPEN', since: t0 });
      let inRow = 0;
      for (const [place, outcome] of calls.entries()) {
        gate.open += 1;
        closeCall(gate, outcome, { now: plusMilliseconds(t0, 100 * place), reason: 'STATUS', most });
        if (outcome !== undefined) inRow = outcome === 'bad' ? inRow + 1 : 0;
        const needed = Math.max(1, Math.min(10, Math.floor(gate.window)));
        expect([place, hasRelapsed(gate)]).toEqual([place, inRow >= needed]);
      }
      expect(gate.open).toBe(0);
    }),
  );
});

const outcome = { now: t0, reason: 'TIMEOUT', most };
const busy = { name: 'origin:00', url: 'https://partner.example', state: 'BUSY', until: t0 } as const;

it('a slow call leaves the window of an origin that has answered within a minute, six calls at most', () => {
  const gate = { ...newGate(busy), open: 12 };
  expect(leave(gate, t0)).toBe(false);
  closeCall(gate, 'good', outcome);
  const left = Array.from({ length: 10 }, () => leave(gate, plusMilliseconds(t0, 59_999)));
  expect(left.filter(Boolean)).toHaveLength(6);
  expect([gate.open, gate.left]).toEqual([5, 6]);
  closeCall(gate, undefined, { ...outcome, hasLeft: true });
  expect([gate.open, gate.left]).toEqual([5, 5]);
  expect(leave(gate, plusMilliseconds(t0, 60_000))).toBe(false);
});

it('an answer widens a full window, whether its call had left it or not', () => {
  for (const hasLeft of [false, true]) {
    const gate = { ...newGate(busy), open: hasLeft ? 7 : 8, left: 1 };
    closeCall(gate, 'good', { ...outcome, hasLeft });
    expect(gate.window).toBe(17);
  }
});

it.each([
  [16, 2, 8],
  [4, 1, 2],
  [2, 1, 1],
  [1, 0, 0],
])(
  'slow addresses leave %3$i of %1$i calls to others at an origin that answers, before that %2$i',
  (window, early, later) => {
    const gate = { ...newGate(busy), window, open: 0 };
    expect(reserveOf(gate, t0)).toBe(early);
    expect(reserveOf({ ...gate, answeredAt: t0 }, t0)).toBe(later);
  },
);
