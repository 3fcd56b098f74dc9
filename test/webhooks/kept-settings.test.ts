import { beforeEach, describe, expect, test } from 'vitest';
import { rotateSecret } from '#infra/operator/onboarding.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import {
  activateEndpoints,
  deactivateEndpoints,
  overlapSeconds,
  replaceEndpoints,
  setHold,
  validSecrets,
} from '#shared/webhooks/settings.ts';
import type { WebhookSettings } from '#shared/webhooks/settings.ts';
import { readWebhookSecret, readWebhookSettings, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { each } from '../support/each.ts';
import { testClient } from '../support/api.ts';
import { testIds } from '../support/test-ids.ts';
import { refused } from '../support/refusals.ts';
import type { World } from './webhook-world.ts';
import { company as companyId, noon, webhookSecret, webhookWorld } from './webhook-world.ts';

let world: World;
beforeEach(async () => {
  world = await webhookWorld();
});

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** Every optional field of the item: a new one is a type error here. */
const optional: Required<Pick<WebhookSettings, OptionalKeys<WebhookSettings>>> = {
  heldSince: '2026-01-14T15:00:00.000Z',
  updatedBy: testClient,
};
const endpoint = (type: 'PAYIN' | 'PAYOUT', path: string) => ({ type, endpoint: `https://93.184.216.34/${path}` });
const full = (settings: WebhookSettings): WebhookSettings => ({
  ...settings,
  events: [
    { ...endpoint('PAYIN', 'a'), status: 'ACTIVE', createdAt: noon, updatedAt: noon },
    { ...endpoint('PAYOUT', 'b'), status: 'INACTIVE', createdAt: noon, updatedAt: noon },
  ],
  ...optional,
});
const later = plusSeconds(noon, 60);

describe('a change of settings keeps the fields that it does not own', () => {
  const owns: Readonly<Record<string, readonly (keyof WebhookSettings)[]>> = {
    replace: ['events', 'updatedAt', 'version'],
    deactivate: ['events', 'updatedAt', 'version'],
    activate: ['events', 'updatedAt', 'version'],
    hold: ['heldSince', 'version'],
    release: ['heldSince', 'version'],
  };
  const changes: Readonly<Record<string, (settings: WebhookSettings) => WebhookSettings | undefined>> = {
    replace: (settings) => replaceEndpoints(settings, [endpoint('PAYIN', 'c')], later).settings,
    deactivate: (settings) => deactivateEndpoints(settings, () => true, later),
    activate: (settings) => activateEndpoints(settings, () => true, later),
    hold: (settings) => setHold(settings, later),
    release: (settings) => setHold(settings, undefined),
  };

  test.each(each(Object.entries(changes)))('when it is %s', async (name, change) => {
    const before = full(await readWebhookSettings(world.memory, companyId));
    const after = change(before);
    const without = (settings: object | undefined) =>
      Object.fromEntries(Object.entries(settings ?? {}).filter(([key]) => !owns[name]?.includes(key as never)));
    expect(without(after)).toEqual(without(before));
    expect(after?.version).toBe(before.version + 1);
  });

  test('a partner replaces its endpoints: every optional field of the item is as it was', async () => {
    const before = full(await readWebhookSettings(world.memory, companyId));
    await world.memory.write([{ put: webhookSettingsItem(before) }], 'given');
    for (const events of each([[endpoint('PAYIN', 'c')], [], [endpoint('PAYOUT', 'b'), endpoint('PAYIN', 'a')]])) {
      const response = await world.replace({ companyId, body: { events } });
      expect(response.status, response.text).toBe(200);
      const after = await readWebhookSettings(world.memory, companyId);
      expect(after).toMatchObject(optional);
      expect(after.events).toHaveLength(events.length);
    }
  });
});

describe('the overlap of a rotation', () => {
  const bySeconds = (seconds: number | undefined) => (seconds === undefined ? {} : { overlapSeconds: seconds });
  const ways: Readonly<Record<string, (seconds: number | undefined) => Promise<unknown>>> = {
    'by the partner': async (seconds) => {
      const { status, body, text } = await world.rotate({ companyId, body: bySeconds(seconds), key: 'k' });
      expect(status, text).toBe(200);
      return (body as { previousSecretExpiresAt: unknown }).previousSecretExpiresAt;
    },
    'by an operator': async (seconds) => {
      const deps = { store: world.memory, ids: testIds('rotation'), now: () => world.clock.now };
      return (await rotateSecret(deps, { companyId, ...bySeconds(seconds) })).previousSecretExpiresAt;
    },
  };
  const week = 604_800;
  const day = 86_400;
  const rows = Object.keys(ways).flatMap((way) =>
    [1, 60, day - 1, day, day + 1, week - 1, week].map((seconds) => [way, seconds, seconds] as const),
  );

  test('is a day, and at most a week', () => {
    expect(overlapSeconds).toEqual({ usual: day, longest: week });
  });

  test.each([...rows, ['by the partner', undefined, day], ['by an operator', undefined, day]] as const)(
    '%s of %s s lets the previous secret sign for %i s, and not a millisecond longer',
    async (way, asked, seconds) => {
      const end = plusSeconds(noon, seconds);
      expect(await ways[way]!(asked)).toBe(end);
      const secret = await readWebhookSecret(world.memory, companyId);
      expect(secret.current).not.toBe(webhookSecret);
      const signing = (milliseconds: number) => validSecrets(secret, plusMilliseconds(end, milliseconds)).previous;
      for (const milliseconds of each([-1000 * seconds, -1])) expect(signing(milliseconds)).toBe(webhookSecret);
      for (const milliseconds of each([0, 1, 1000 * week])) expect(signing(milliseconds)).toBeUndefined();
    },
  );

  test.each(Object.keys(ways))('%s of 0 s drops the previous secret immediately', async (way) => {
    await ways[way]!(0);
    expect(await readWebhookSecret(world.memory, companyId)).not.toHaveProperty('previous');
  });

  test.each([-1, week + 1, 1.5])('is refused when the partner asks for %d s', async (seconds) => {
    refused(await world.rotate({ companyId, body: bySeconds(seconds), key: 'k' }), 400);
    expect((await readWebhookSecret(world.memory, companyId)).current).toBe(webhookSecret);
  });
});
