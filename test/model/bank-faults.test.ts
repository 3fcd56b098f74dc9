import { describe, expect, it } from 'vitest';
import { runLives } from './bank-runs.ts';

describe('a bank that answers late, twice, wrongly or never', () => {
  it('and a service whose processes die come to the same books', async () => {
    const { problems, seen } = await runLives(({ steps }) => steps >= 4000, { seed: 1 });
    expect(problems).toEqual([]);
    // It means something only if the world was busy.
    for (const wanted of ['payout 201', 'payout DIED', 'pay-in 503', 'callback PAYOUT', 'run PAYOUT_POLL'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
  });
});
