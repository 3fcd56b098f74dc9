import { describe, expect, it } from 'vitest';
import { apiPixMutations } from '#test/model/api-pix-mutations.ts';
import { runModel } from '#test/model/bank-model.ts';
import { runLives } from '#test/model/bank-runs.ts';

/** Of CI; a million on demand. */
const wantedSteps = Number(process.env['STEPS'] ?? 100_000);

/** What is drawn once a life needs lives: some of them have many steps. */
const isEnough = (runs: { readonly steps: number; readonly runCount: number }): boolean =>
  runs.steps >= wantedSteps && runs.runCount >= 40;

const often = [
  ...['payout 201', 'payout 503', 'payout DIED', 'pay-in 201', 'pay-in 503', 'subscription 201', 'charge 201'],
  ...['callback PIX', 'callback PAYOUT', 'callback RECURRENCE', 'callback RECURRING_CHARGE', 'callback read again'],
  ...['bank answered about another thing', 'list slow', 'control characters', 'account moves'],
  ...['claim', 'claim of two', 'claim ACEITA', 'claim REJEITADA', 'claim CANCELADA_EFI', 'claim stays open'],
  ...[
    'returned by MED',
    'returned by MED without a claim',
    'defend 201',
    'run DISPUTE_DEFENCE',
    'run DISPUTE_REMINDER',
  ],
  ...['told AnswersAboutOthers', 'told BankAccessRefused', 'told BanksPaused', 'balances compared'],
];
/** What a third of the lives draws. */
const seldom = [
  ...['refund 201', 'cancel 200', 'end 201', 'missed by callback', 'credit booked by the operator', 'list too slow'],
  ...['claim ACEITA before its return', 'claim accepted without money', 'defended in the app', 'defend 503'],
  ...['return 201', 'run MED_BLOCK', 'run CREDIT_RETURN'],
  ...['bank REFUSED', 'bank FOREIGN_AUTHORITY', 'bank INVALID_CLIENT', 'bank NO_TOKEN', 'bank TOKEN_FAILS'],
  ...['account moves with payouts open', 'account moves to the other', 'account moves back', 'operator repeats'],
  ...['accounts at one client', 'accounts at two clients', 'balances compared together'],
];

describe('the adapter of API Pix and the bank of this machine, whose calls, answers and callbacks are lost', () => {
  it(
    'and a service whose processes die come to the same books',
    async () => {
      const began = process.hrtime.bigint();
      const { runCount, steps, commands, problems, seen } = await runLives(isEnough, {
        ...{ seed: Number(process.env['SEED'] ?? 1000), bank: 'api-pix' },
      });
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      process.stdout.write(
        `${runCount} lives, ${steps} steps, ${commands} commands in ${seconds.toFixed(1)} s: ${problems.length} wrong\n`,
      );
      expect(problems).toEqual([]);
      // Several times as many are seen, so that another chance drawn before them makes no difference.
      for (const wanted of often) expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(10);
      for (const wanted of seldom) expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
    },
    300_000 + wantedSteps * 3,
  );

  for (const [name, { mutation, seenBy }] of Object.entries(apiPixMutations))
    it(`sees a service that ${name}, by ${seenBy.join(' and ')}`, async () => {
      const seen = new Set<string>();
      for (let seed = 1; seed <= 40 && !seenBy.every((check) => seen.has(check)); seed += 1) {
        const { problems } = await runModel({ seed, mutation, bank: 'api-pix' });
        for (const { check } of problems) seen.add(check);
      }
      expect([...seen]).toEqual(expect.arrayContaining([...seenBy]));
    });
});
