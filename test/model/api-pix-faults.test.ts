import { describe, expect, it } from 'vitest';
import { runLives } from './bank-runs.ts';

describe('the adapter of API Pix and the bank of this machine, whose calls, answers and callbacks are lost', () => {
  it('and a service whose processes die come to the same books', async () => {
    const { problems, seen } = await runLives(({ steps }) => steps >= 8000, { seed: 1, bank: 'api-pix' });
    expect(problems).toEqual([]);
    // It means something only if the world was busy.
    for (const wanted of [
      'payout 201',
      'payout DIED',
      'pay-in 503',
      'callback PAYOUT',
      'callback PIX',
      'callback read again',
      'bank LOST',
      'bank answered about another thing',
    ])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    for (const wanted of ['bank REFUSED', 'bank FOREIGN_AUTHORITY', 'bank INVALID_CLIENT', 'bank NO_TOKEN'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    for (const wanted of ['list slow', 'control characters', 'told BankAccessRefused', 'told BanksPaused'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
  }, 60_000);
});
