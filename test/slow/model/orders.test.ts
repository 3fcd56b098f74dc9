import { describe, expect, it } from 'vitest';
import { fc } from '#test/support/properties.ts';
import { bankWorld } from '#test/support/bank-world.ts';
import type { Weather } from '#test/support/remembering-bank.ts';
import { rememberingPayouts } from '#test/support/remembering-bank.ts';
import type { Fault } from '#test/support/faulty-store.ts';
import { faultyStore } from '#test/support/faulty-store.ts';
import { readable } from '#test/support/readable-items.ts';
import type { ModelWorld, Sent } from '#test/model/orders-commands.ts';
import { anyRounds, carryOut, prepare } from '#test/model/orders-commands.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';

const anyFault = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Fault>('none') },
  { weight: 1, arbitrary: fc.constant<Fault>('before') },
  { weight: 1, arbitrary: fc.constant<Fault>('after') },
);
const anyWeather = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Weather>('FINE') },
  { weight: 1, arbitrary: fc.constant<Weather>('LOST') },
  { weight: 1, arbitrary: fc.constant<Weather>('UNANSWERED') },
);

/**
 * Once everything is well again, what is still open is with the bank (but for what it never answers), each payment
 * once, and none failed for being repeated.
 */
async function checkBank(world: ModelWorld): Promise<void> {
  for (let steps = 0; steps < 15; steps += 1) {
    world.clock.now = new Date(Date.parse(world.clock.now) + 10 * 3_600_000).toISOString();
    await world.submitPayouts();
  }
  checkOrders(world.items());
  const { made: carriedOut, state } = world.remembering;
  const references = carriedOut.map(({ reference }) => reference);
  expect(new Set(references).size, 'one payment a reference').toBe(references.length);
  for (const item of world.items().map(readable)) {
    if (item['entity'] !== 'PAYOUT' && item['entity'] !== 'PAYOUT_PAYMENT') continue;
    expect(item['errorMessage'] ?? '', 'a repetition does not fail a payment').not.toContain('DUPL');
    const isSilent = JSON.stringify(item['receiver'] ?? {}).includes('silent@');
    if (item['entity'] === 'PAYOUT' && item['status'] === 'PENDING' && !isSilent)
      expect(item['GSI2PK'], 'the bank has every open payment').toBeUndefined();
    if (item['entity'] === 'PAYOUT' && item['status'] === 'PENDING' && item['openPayments'] === undefined && !isSilent)
      expect(state(item['id'] as string)?.outcome, 'the bank has every open payment').toBe('DONE');
  }
}

/** Requests whose responses say that they were carried out get the same bytes again at any time. */
async function checkAnswers(sent: readonly Sent[]): Promise<void> {
  const firsts = new Map<string, string>();
  for (const { name, response } of sent) {
    if (response.status !== 201) continue;
    expect(response.text, `${name}: equal requests have equal responses`).toBe(firsts.get(name) ?? response.text);
    firsts.set(name, response.text);
  }
  for (const { name, again } of sent) {
    const response = await again();
    const first = firsts.get(name);
    if (first !== undefined) expect(response, `${name}: repeated`).toMatchObject({ status: 201, text: first });
    if (response.status === 201) firsts.set(name, response.text);
    expect([201, 400, 409, 422], `${name}: a response of the contract`).toContain(response.status);
  }
}

describe('orders, whatever partners, banks, clocks and a failing table do at the same time', () => {
  it('keep money, keys, batches and notifications right after every write', async () => {
    const seen = new Map<string, number>();
    const count = (occurrence: string) => seen.set(occurrence, (seen.get(occurrence) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(
        anyRounds,
        fc.scheduler(),
        fc.array(anyFault, { minLength: 1, maxLength: 60 }),
        fc.array(anyWeather, { minLength: 1, maxLength: 40 }),
        async (rounds, scheduler, faults, faultSchedule) => {
          let disturbed = false;
          let calls = 0;
          let broken: unknown;
          let asked = 0;
          const base = bankWorld({
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
                    if (disturbed) checkOrders(base.items());
                  } catch (error) {
                    broken ??= error;
                  }
                },
              }),
          });
          const remembering = rememberingPayouts(
            (order) =>
              base.simulated.payouts.send.submit(order, { companyId: '', connection: undefined, at: base.clock.now }),
            () => (disturbed ? faultSchedule[(asked += 1) % faultSchedule.length]! : 'FINE'),
          );
          Object.assign(base.bank.payouts, remembering.payouts);
          const world = Object.assign(base, { remembering });
          await prepare(world);

          disturbed = true;
          const sent: Sent[] = [];
          for (const round of rounds) {
            const running = round.map(async (command) => {
              const one = await carryOut(world, command);
              if (one === undefined) return;
              expect([201, 400, 404, 409, 422, 503], 'a response of the contract').toContain(one.response.status);
              sent.push(one);
              count(`${command.do} ${one.response.status}`);
            });
            await scheduler.waitFor(Promise.all(running));
            if (broken !== undefined) throw broken as Error;
          }
          disturbed = false;
          await checkAnswers(sent);
          checkOrders(world.items());
          await checkBank(world);
          for (const item of world.items('PAYOUT')) {
            const { internal, status } = item as unknown as { internal?: { payInId?: string }; status: string };
            const destination = internal?.payInId === undefined ? 'another account' : 'a charge';
            if (internal !== undefined) count(`${destination} ${status}`);
          }
        },
      ),
      { numRuns: 100 },
    );
    // The property means something only if the world was busy.
    for (const wanted of ['payout 201', 'payout 409', 'payout 422', 'payout 503', 'pay-in 201', 'refund 201'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(5);
    for (const wanted of ['another account PAID', 'a charge PAID', 'a charge ERROR'])
      expect(seen.get(wanted) ?? 0, wanted).toBeGreaterThan(0);
  });
});
