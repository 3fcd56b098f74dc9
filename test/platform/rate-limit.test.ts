import { describe, expect, test } from 'vitest';
import type { RequestError } from '#shared/core/errors.ts';
import { takeCall, takeCalls } from '#shared/platform/rate-limit.ts';
import { each } from '#test/support/each.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const company = 'company-a';
const minute = '2026-01-15T12:00';

/** A limiter whose clock a test sets. */
function limiter() {
  const clock = { now: `${minute}:00.000Z` };
  return { clock, limited: { store: memoryStore(), now: () => clock.now } };
}

describe.each(['RESEND', 'TEST'] as const)('calls of a company to %s', (operation) => {
  test('are 30 in a minute, to its last millisecond, and 30 in the next one from its first', async () => {
    const { clock, limited } = limiter();
    for (let call = 1; call <= 30; call += 1) await takeCall(limited, company, operation);
    const seconds: readonly (readonly [string, number])[] = [
      ['00.000', 60],
      ['59.000', 1],
      ['59.999', 1],
    ];
    for (const [second, wait] of each(seconds)) {
      clock.now = `${minute}:${second}Z`;
      const refused: unknown = await takeCall(limited, company, operation).catch((error: unknown) => error);
      expect((refused as RequestError).kind).toBe('throttled');
      expect((refused as RequestError).retryAfterSeconds).toBe(wait);
    }
    clock.now = '2026-01-15T12:01:00.000Z';
    for (let call = 1; call <= 30; call += 1) await takeCall(limited, company, operation);
    await expect(takeCall(limited, company, operation)).rejects.toThrow('At most 30');
  });
});

describe('ids that a bank calls about', () => {
  const take = (limited: ReturnType<typeof limiter>['limited'], count: number) =>
    takeCalls({ ...limited, random: () => 0.999 }, company, count, 10_000);

  test('are 10 000 at once and not one more, in a minute that had none', async () => {
    expect(await take(limiter().limited, 10_000)).toBe(true);
    expect(await take(limiter().limited, 10_001)).toBe(false);
  });

  test('are 10 000 in a minute, all of a call or none', async () => {
    const { clock, limited } = limiter();
    expect(await take(limited, 9_999)).toBe(true);
    expect(await take(limited, 2)).toBe(false);
    expect(await take(limited, 1)).toBe(true);
    clock.now = `${minute}:59.999Z`;
    expect(await take(limited, 1)).toBe(false);
    clock.now = '2026-01-15T12:01:00.000Z';
    expect(await take(limited, 10_000)).toBe(true);
  });

  test('are counted above 10 000 in parts, each in an item and a partition of its own, and are so many in all', async () => {
    const { limited } = limiter();
    let calls = 0;
    const random = () => ((calls += 1) % 9) / 9;
    const wide = () => takeCalls({ ...limited, random }, company, 1_000, 90_000);
    const taken = await Promise.all(Array.from({ length: 99 }, wide));
    expect(taken.filter(Boolean)).toHaveLength(90);
    const items = limited.store.all().filter(({ entity }) => entity === 'CALL_LIMIT');
    expect(new Set(items.map(({ PK }) => PK)).size).toBe(9);
    expect(items.map(({ left }) => left)).toEqual(Array.from({ length: 9 }, () => 0));
    expect(await takeCalls({ ...limited, random: () => 0 }, 'company-b', 10_001, 90_000)).toBe(false);
  });
});
