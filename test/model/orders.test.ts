import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bankWorld } from '../support/bank-world.ts';
import type { Fault } from '../support/faulty-store.ts';
import { faultyStore } from '../support/faulty-store.ts';
import type { Sent } from './orders-commands.ts';
import { anyRounds, carryOut, prepare } from './orders-commands.ts';
import { checkOrders } from './orders-invariants.ts';

const anyFault = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Fault>('none') },
  { weight: 1, arbitrary: fc.constant<Fault>('before') },
  { weight: 1, arbitrary: fc.constant<Fault>('after') },
);
/** Requests whose answers say that they were carried out are answered with the same bytes for ever. */
async function checkAnswers(sent: readonly Sent[]): Promise<void> {
  const firsts = new Map<string, string>();
  for (const { name, answer } of sent) {
    if (answer.status !== 201) continue;
    expect(answer.text, `${name}: equal requests have equal answers`).toBe(firsts.get(name) ?? answer.text);
    firsts.set(name, answer.text);
  }
  for (const { name, again } of sent) {
    const answer = await again();
    const first = firsts.get(name);
    if (first !== undefined) expect(answer, `${name}: repeated`).toMatchObject({ status: 201, text: first });
    if (answer.status === 201) firsts.set(name, answer.text);
    expect([201, 400, 409, 422], `${name}: an answer of the contract`).toContain(answer.status);
  }
}

describe('orders, whatever partners, banks, clocks and a failing table do at the same time', () => {
  it('keep money, keys, batches and notifications right after every write', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        anyRounds,
        fc.scheduler(),
        fc.array(anyFault, { minLength: 1, maxLength: 60 }),
        async (rounds, scheduler, faults) => {
          let disturbed = false;
          let calls = 0;
          let broken: unknown;
          const world = bankWorld({
            wrap: (memory) =>
              faultyStore(memory, {
                nextFault: () => (disturbed ? faults[(calls += 1) % faults.length]! : 'none'),
                interleave:
                  (call) =>
                  async (...given) => {
                    if (disturbed) await scheduler.schedule(Promise.resolve());
                    return call(...given);
                  },
                // An operation would make an answer of what is thrown here: it is kept until the round is over.
                onWritten: () => {
                  try {
                    if (disturbed) checkOrders(world.items());
                  } catch (error) {
                    broken ??= error;
                  }
                },
              }),
          });
          await prepare(world);

          disturbed = true;
          const sent: Sent[] = [];
          for (const round of rounds) {
            const running = round.map(async (command) => {
              const one = await carryOut(world, command);
              if (one === undefined) return;
              expect([201, 400, 404, 409, 422, 503], 'an answer of the contract').toContain(one.answer.status);
              sent.push(one);
              seen.set(`${command.do} ${one.answer.status}`, (seen.get(`${command.do} ${one.answer.status}`) ?? 0) + 1);
            });
            await scheduler.waitFor(Promise.all(running));
            if (broken !== undefined) throw broken as Error;
          }
          disturbed = false;
          await checkAnswers(sent);
          checkOrders(world.items());
        },
      ),
      { numRuns: 100 },
    );
    // The property means something only if the world was busy.
    for (const wanted of ['payout 201', 'payout 409', 'payout 422', 'payout 503', 'pay-in 201', 'refund 201'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(5);
  }, 120_000);
});
