import { expect, it } from 'vitest';
import { resolver } from '#shared/platform/target-guard.ts';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import { silentServer } from '#test/webhooks/silent-server.ts';

/* What waits for name servers that never answer, for two seconds each time. */

it('does not wait for silent name servers longer than two seconds, however many names are asked at once', async () => {
  using server = await silentServer();
  const resolve = resolver([server.address]);
  const startedAt = performance.now();
  const asked = await Promise.allSettled(Array.from({ length: 40 }, (_, place) => resolve(`p${place}.example`)));
  expect(asked.every(({ status }) => status === 'rejected')).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(4000);
  expect(server.asked()).toBeGreaterThanOrEqual(40);
});

it('waits no longer for two silent name servers than for one', async () => {
  using first = await silentServer();
  using second = await silentServer();
  const startedAt = performance.now();
  await expect(resolver([first.address, second.address])('partner.example')).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(3500);
});

it('has the call fail as one that reached nobody', async () => {
  using server = await silentServer();
  const send = sender({ rules: { allowLocal: true }, resolve: resolver([server.address]) });
  const result = await send({ endpoint: 'https://partner.example/hook', headers: {}, body: '{}' });
  expect(result).toMatchObject({ outcome: 'FAILED', error: 'DNS', isUnreached: true });
});
