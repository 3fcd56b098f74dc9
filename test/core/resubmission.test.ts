import { expect, test } from 'vitest';
import { responseTimeoutMs } from '#shared/bank/outcome.ts';
import { instantFromEpochMs, millisecondsBetween } from '#shared/core/brasilia-time.ts';
import { askAgainAt, timeToSubmit } from '#shared/core/resubmission.ts';

const begin = instantFromEpochMs(0);

/** A request under way that its caller gave up, and the reads of a bank behind its writes, milliseconds. */
const longest = { way: 20_000, lag: 80_000 };

test('a bank shows a submitted command in its reads before the worker looks the command up again', () => {
  let leftMs = 50_000;
  const remainingMs = timeToSubmit(() => leftMs);
  let lastAfterMs = 0;
  for (let afterMs = 0; afterMs <= 50_000; afterMs += 100) {
    leftMs = 50_000 - afterMs;
    if (remainingMs() >= responseTimeoutMs) lastAfterMs = afterMs;
  }
  expect(lastAfterMs).toBeGreaterThan(0);
  expect(lastAfterMs + longest.way + longest.lag).toBeLessThan(millisecondsBetween(begin, askAgainAt(begin)));
});

test('the time to submit a command is never longer than the remaining time of the worker', () => {
  let leftMs = 10_000;
  const remainingMs = timeToSubmit(() => leftMs);
  leftMs = 2000;
  expect(remainingMs()).toBe(2000);
});
