import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '#shared/platform/table/store.ts';
import type { Ask } from '#test/access/authorizer-harness.ts';
import { authorizer, good, outcome, storeWithClients } from '#test/access/authorizer-harness.ts';
import type { TestIssuer } from '#test/access/authorizer-issuer.ts';
import { inSeconds, startTestIssuer } from '#test/access/authorizer-issuer.ts';
import { memoryStore } from '#test/support/memory-store.ts';

/* What waits for an issuer that never answers. */

const minute = 60_000;

let issuer: TestIssuer;
let clients: Store;
/** The table where authorizers keep the issuer's keys. */
let kept: Store;
let aheadMs: number;
let written: string[];

beforeEach(async () => {
  issuer = await startTestIssuer('ES256');
  clients = await storeWithClients();
  kept = memoryStore();
  aheadMs = 0;
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
});
afterEach(() => issuer.stop());

const later = (ms: number): void => {
  aheadMs += ms;
};
/** An authorizer as it is after a cold start. */
const coldStart = (): Ask => authorizer(issuer.jwksUri, clients, { kept, nowMs: () => Date.now() + aheadMs });
const token = (): Promise<string> => issuer.sign(good({ exp: inSeconds(30 * 24 * 3600) }));

/** What it takes, in milliseconds of the real clock. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

const failures = (): number =>
  written.filter((line) => line.includes('"IssuerKeys"') && line.includes('FAILED')).length;

describe('the time of a request', () => {
  it('is a second more at most once in half a minute while the issuer is silent', async () => {
    const ask = coldStart();
    const bearer = await token();
    await outcome(ask, bearer);
    issuer.respondWith('silence');
    later(11 * minute);
    const before = issuer.fetches();
    // Without its brake it would be three seconds, and twenty for those after it.
    expect(await took(() => outcome(ask, bearer))).toBeLessThan(2900);
    expect(
      await took(async () => {
        for (let time = 0; time < 20; time += 1) await outcome(ask, bearer);
      }),
    ).toBeLessThan(15_000);
    expect(issuer.fetches() - before).toBe(1);
    expect(failures()).toBe(1);
    later(31_000);
    await outcome(ask, bearer);
    expect(issuer.fetches() - before).toBe(2);
  });

  it('is not three seconds for each, where there are no keys at all', async () => {
    const ask = coldStart();
    const bearer = await token();
    issuer.respondWith('silence');
    expect(await outcome(ask, bearer)).toBe('IssuerUnavailable');
    expect(await took(() => outcome(ask, bearer))).toBeLessThan(2900);
    issuer.respondWith(undefined);
    later(6000);
    expect(await outcome(ask, bearer)).toBe('Allow');
  });
});
