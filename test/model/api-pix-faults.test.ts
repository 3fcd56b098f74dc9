import { describe, expect, it } from 'vitest';
import { runLives } from './bank-runs.ts';

describe('the adapter of API Pix and the bank of this machine, whose calls, answers and callbacks are lost', () => {
  it('and a service whose processes die come to the same books', async () => {
    const { problems, seen } = await runLives(({ runCount }) => runCount >= 4, { seed: 13, bank: 'api-pix' });
    expect(problems).toEqual([]);
    // It means something only if the world was busy. What not most lives draw is wanted of the long run alone.
    for (const wanted of ['payout 201', 'pay-in 201', 'subscription 201', 'callback PAYOUT', 'callback PIX'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    for (const wanted of ['payout DIED', 'pay-in 503', 'bank LOST', 'bank GARBLED', 'told BankAccessRefused'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    for (const wanted of ['claim', 'returned by MED', 'claim ACEITA', 'defend 201', 'claim stays open'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    for (const wanted of ['bank answered about another thing', 'list slow', 'account moves', 'balances compared'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
  });
});
