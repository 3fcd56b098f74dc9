import { expect, it } from 'vitest';
import { resolver } from '#shared/platform/target-guard.ts';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import { silentServer } from '#test/webhooks/silent-server.ts';

/* What waits for name servers that never answer, for two seconds each time. */

it('the resolver fails 40 lookups at once, not one after the other, when the name server is silent', async () => {
  using server = await silentServer();
  const resolve = resolver([server.address]);
  const startedAt = performance.now();
  const asked = await Promise.allSettled(Array.from({ length: 40 }, (_, place) => resolve(`p${place}.example`)));
  expect(asked.every(({ status }) => status === 'rejected')).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(server.asked()).toBeGreaterThanOrEqual(40);
});

it('the resolver waits no longer for two silent name servers than for one', async () => {
  using first = await silentServer();
  using second = await silentServer();
  const tookMs: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const startedAt = performance.now();
    await expect(resolver([first.address, second.address])('partner.example')).rejects.toThrow();
    tookMs.push(performance.now() - startedAt);
  }
  // What else the machine does may hold up one of them.
  expect(Math.min(...tookMs)).toBeLessThan(3500);
});

it('a webhook call fails with DNS, as one that reached no server, when the name server is silent', async () => {
  using server = await silentServer();
  const send = sender({ rules: { allowLocal: true }, resolve: resolver([server.address]) });
  const result = await send({ endpoint: 'https://partner.example/hook', headers: {}, body: '{}' });
  expect(result).toMatchObject({ outcome: 'FAILED', error: 'DNS', isUnreached: true });
});
