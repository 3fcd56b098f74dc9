import { describe, expect, it } from 'vitest';
import { runModel } from '#test/model/bank-model.ts';
import { mutations } from '#test/model/bank-mutations.ts';
import { runLives } from '#test/model/bank-runs.ts';

const wantedSteps = 100_000;
const wantedCommands = 10_000;

describe('a bank that answers late, twice, wrongly or never', () => {
  it('and a service whose processes die come to the same books', async () => {
    const began = process.hrtime.bigint();
    const { runCount, steps, commands, problems, seen } = await runLives(
      (runs) => runs.steps >= wantedSteps && runs.commands >= wantedCommands,
      { seed: Number(process.env['SEED'] ?? 1000) },
    );
    const seconds = Number(process.hrtime.bigint() - began) / 1e9;
    const countProblems = (...checks: readonly string[]): number =>
      problems.filter((problem) => checks.some((check) => problem.includes(`: ${check}: `))).length;
    process.stdout.write(
      `${runCount} lives, ${steps} steps, ${commands} commands in ${seconds.toFixed(1)} s: ${countProblems('doubled')} doubled, ` +
        `${countProblems('refused here alone', 'state')} falsely refused, ${countProblems('left')} left after quiet\n`,
    );
    expect(problems).toEqual([]);
    for (const wanted of ['payout 201', 'payout 503', 'payout DIED', 'pay-in 503', 'refund 201', 'cancel 200'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(20);
    for (const wanted of ['callback CHARGE', 'callback REFUND', 'run PAY_IN_EXPIRY', 'run REFUND_POLL'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(20);
  }, 600_000);

  it('leaves each of 10 000 payouts with a certificate that verifies, and each end-to-end id in one of them', async () => {
    const { certificates, problems, seen } = await runLives((runs) => runs.certificates >= 10_000, {
      seed: Number(process.env['SEED'] ?? 9000),
      ...{ intents: 120, onlyPayouts: true },
    });
    process.stdout.write(`${certificates} certificates of payouts\n`);
    expect(problems).toEqual([]);
    for (const wanted of ['payout 201', 'payout 503', 'payout DIED', 'run PAYOUT_SUBMISSION'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(1000);
  }, 600_000);

  for (const [name, { mutation, seenBy }] of Object.entries(mutations))
    it(`sees a service that ${name}, by ${seenBy.join(' and ')}`, async () => {
      const seen = new Set<string>();
      for (let seed = 1; seed <= 60 && !seenBy.every((check) => seen.has(check)); seed += 1)
        for (const { check } of (await runModel({ seed, intents: 20, mutation })).problems) seen.add(check);
      expect([...seen]).toEqual(expect.arrayContaining([...seenBy]));
    });
});
