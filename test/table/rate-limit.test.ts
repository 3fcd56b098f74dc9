import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { RequestError } from '#shared/core/errors.ts';
import { takeCall } from '#shared/platform/rate-limit.ts';
import { onEveryStore } from '../support/stores.ts';

const noon = '2026-03-02T12:00:10.500Z';

onEveryStore((store) => {
  /** How many of so many simultaneous calls are taken, and after how many seconds the others may come again. */
  const take = async (companyId: string, calls: number, at = noon, operation: 'RESEND' | 'TEST' = 'RESEND') => {
    const deps = { store: store(), now: () => at };
    const ends = await Promise.allSettled(Array.from({ length: calls }, () => takeCall(deps, companyId, operation)));
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    for (const error of refusals) expect(error).toBeInstanceOf(RequestError);
    const waits = refusals.map((error) => (error as RequestError).retryAfterSeconds);
    return { taken: calls - refusals.length, waits: [...new Set(waits)] };
  };

  it('the rate limit takes 30 of 45 concurrent calls of a minute, and refuses the rest with the seconds to the next', async () => {
    expect(await take(randomUUID(), 45)).toEqual({ taken: 30, waits: [50] });
  });

  it('the rate limit counts each operation, company and minute separately', async () => {
    const companyId = randomUUID();
    expect(await take(companyId, 30)).toEqual({ taken: 30, waits: [] });
    expect(await take(companyId, 1)).toEqual({ taken: 0, waits: [50] });
    expect(await take(companyId, 30, noon, 'TEST')).toEqual({ taken: 30, waits: [] });
    expect(await take(randomUUID(), 1)).toEqual({ taken: 1, waits: [] });
    expect(await take(companyId, 31, '2026-03-02T12:01:59.999Z')).toEqual({ taken: 30, waits: [1] });
  });

  it('the rate limit counts a call in the minute that others have begun when its machine’s clock is behind', async () => {
    const companyId = randomUUID();
    expect(await take(companyId, 29, '2026-03-02T12:01:00.100Z')).toEqual({ taken: 29, waits: [] });
    expect(await take(companyId, 2, '2026-03-02T12:00:59.900Z')).toEqual({ taken: 1, waits: [61] });
  });
});
