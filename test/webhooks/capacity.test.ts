import { expect, it } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { closeCall, hasRelapsed, newGate } from '#shared/webhooks/backlog/capacity.ts';
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
