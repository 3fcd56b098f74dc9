import { describe, expect, it } from 'vitest';
import { allRetryDelays, retryDelaySeconds } from '#shared/webhooks/deliveries/states.ts';
import { fc } from '../support/properties.ts';

const delays = [60, 300, 900, 1800];

describe('the wait after a failure', () => {
  it('is the delay of its place', () => {
    expect([1, 2, 3, 4].map((failures) => retryDelaySeconds(delays, failures, 0))).toEqual(delays);
    expect(retryDelaySeconds([1], 4, 0)).toBe(1);
    expect(allRetryDelays([1, 2])).toEqual([1, 2, 2, 2]);
  });

  it('is whole seconds, and longer by at most a fifth', () => {
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fraction, (failures, chance) => {
        const base = delays[failures - 1] ?? 0;
        const wait = retryDelaySeconds(delays, failures, chance);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(base);
        expect(wait).toBeLessThanOrEqual(base * 1.2);
      }),
    );
    expect(retryDelaySeconds(delays, 4, 0.999)).toBe(2159);
  });
});
