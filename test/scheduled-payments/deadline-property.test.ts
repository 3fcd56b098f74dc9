import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { commandDeadline } from '#shared/scheduled-payments/window.ts';
import type { Found } from '#test/support/lost-commands.ts';
import { lostCommandsWorld } from '#test/support/lost-commands.ts';
import { fc } from '#test/support/properties.ts';

const neverSeen = { outcome: 'NEVER_SEEN' } as const;
const unknown = { outcome: 'UNKNOWN' } as const;
const done = { outcome: 'DONE', state: { attempts: [] } } as const;
type Lose = Awaited<ReturnType<typeof lostCommandsWorld>>['lose'];
/** Each kind, decided early enough for a worker to try it before its hour. */
const early = {
  charge: (lose: Lose) => lose.charge(),
  resend: (lose: Lose) => lose.resend('20:40'),
  'new attempt': (lose: Lose) => lose['new attempt'](),
  withdrawal: (lose: Lose) => lose.withdrawal('21:40'),
};

test('no command is handed over at or after its hour, whatever the times', async () => {
  const within = (seconds: number) => fc.integer({ min: -seconds, max: seconds });
  const runs = fc.array(fc.oneof(within(5), within(600), within(200_000)), { minLength: 1, maxLength: 12 });
  const responseLists = fc.array(fc.constantFrom<Found>(neverSeen, neverSeen, unknown, done), {
    minLength: 1,
    maxLength: 6,
  });
  const kinds = fc.constantFrom('charge', 'resend', 'new attempt', 'withdrawal');
  const seen = { handed: 0, missed: 0 };
  await fc.assert(
    fc.asyncProperty(
      kinds,
      runs,
      responseLists,
      fc.integer({ min: 0, max: 3 }),
      async (kind, around, responses, asking) => {
        const world = await lostCommandsWorld();
        const { bank, clock } = world;
        const { purpose, settlementDate } = await early[kind](world.lose);
        const deadline = commandDeadline(kind === 'withdrawal' ? 'CANCEL' : 'SCHEDULE', { purpose, settlementDate });
        let asked = 0;
        bank.found = () => {
          clock.now = plusSeconds(clock.now, asking);
          return responses[asked++ % responses.length] ?? unknown;
        };
        const begun = clock.now;
        for (const second of around.toSorted((a, b) => a - b)) {
          const now = plusSeconds(deadline, second);
          if (now < begun) continue;
          clock.now = now;
          const { tooLate } = await world.advance();
          seen.missed += tooLate;
        }
        for (const { at } of bank.handed) expect(at < deadline).toBe(true);
        seen.handed += bank.handed.length;
        // Whatever happened, the bank's next word ends it.
        bank.found = () => neverSeen;
        world.at('12:00', '2026-01-30');
        await world.advance();
        await world.advance();
        expect(world.waiting()).toBe(0);
      },
    ),
    { numRuns: 80 },
  );
  expect(Math.min(seen.handed, seen.missed)).toBeGreaterThan(0);
});
