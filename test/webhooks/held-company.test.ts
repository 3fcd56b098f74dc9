import { expect, it } from 'vitest';
import type { NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import { addressCircuit, admit, newHealth, originCircuit } from '#shared/webhooks/health/health.ts';
import { holdCompany } from '#shared/webhooks/health/operations.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';

const at = '2026-03-02T12:00:00.000Z';
const [a, b, c] = ['https://a.example/hooks', 'https://b.example/hooks', 'https://c.example/hooks'];
const open = { since: at, failingSince: at, reason: 'HTTP 503', probes: 0, probeAt: at, probedAt: at } as const;
const circuits: readonly Circuit[] = [
  { name: addressCircuit(a), url: a, state: 'OPEN', ...open },
  { name: originCircuit(b), url: new URL(b).origin, state: 'HELD', since: at, by: 'CIRCUIT' },
];
const targets: readonly NotificationTarget[] = [
  ...webhookTypes.map((type) => ({ type })),
  ...[a, b, c].map((endpoint) => ({ endpoint })),
];

it.each([
  ['hold', at],
  ['release', undefined],
])('the %s of a company asks for a drain of every backlog in which one of its deliveries can wait', (_what, since) => {
  const none = newWebhookSettings({ id: 's', companyId: 'c', organizationId: 'o', at });
  const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint: a }], at);
  const before = { settings, health: { ...newHealth('c'), circuits } };
  const after = holdCompany(before, at, since);
  expect(after.health).toMatchObject({ drains: 1, drainAt: at });
  const drained = after.health.backlogs.map(({ name }) => name);
  for (const { settings, health } of [before, after])
    for (const target of targets) {
      const admission = admit({ target, attempts: [] }, settings, health, at);
      if (admission.to !== 'endpoint') expect(drained).toContain(admission.backlog);
    }
});
