import { describe, expect, it } from 'vitest';
import { apiPixMutations } from '#test/model/api-pix-mutations.ts';
import { runModel } from '#test/model/bank-model.ts';
import { runLives } from '#test/model/bank-runs.ts';

/** Of CI; a million on demand. */
const wantedSteps = Number(process.env['STEPS'] ?? 100_000);

describe('the adapter of API Pix and the bank of this machine, whose calls, answers and callbacks are lost', () => {
  it(
    'and a service whose processes die come to the same books',
    async () => {
      const began = process.hrtime.bigint();
      const { lives, steps, commands, problems, seen } = await runLives((runs) => runs.steps >= wantedSteps, {
        ...{ seed: Number(process.env['SEED'] ?? 1000), bank: 'api-pix' },
      });
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      process.stdout.write(
        `${lives} lives, ${steps} steps, ${commands} commands in ${seconds.toFixed(1)} s: ${problems.length} wrong\n`,
      );
      expect(problems).toEqual([]);
      for (const wanted of ['payout 201', 'payout 503', 'payout DIED', 'pay-in 503', 'refund 201', 'cancel 200'])
        expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(10);
      for (const wanted of ['bank answered about another thing', 'credit booked by the operator'])
        expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(10);
      for (const wanted of ['list too slow', 'bank TOKEN_FAILS', 'bank NO_TOKEN', 'control characters'])
        expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
      for (const wanted of ['callback PIX', 'callback PAYOUT', 'callback RECURRENCE', 'missed by callback'])
        expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(10);
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
    }, 120_000);
});
