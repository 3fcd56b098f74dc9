import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { World } from '../webhooks/webhook-world.ts';
import { company as companyId, webhookWorld } from '../webhooks/webhook-world.ts';
import type { Answer } from '../support/api.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import { repeated } from '../support/repeated.ts';

const atOnce = 20;

let engine: TestEngine;
let store: Store;
let world: World;
beforeAll(async () => {
  engine = await startEngine('races');
  store = dynamoStore({ client: engine.client, tableName: engine.tableName });
});
afterAll(async () => {
  await engine.stop();
});
beforeEach(async () => {
  world = await webhookWorld(() => store, randomIds.uuid());
  for (const put of world.memory.all()) await store.writeOne({ put });
});

async function twenty(call: (place: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: atOnce }, (_, place) => repeated(call)(place)));
}

describe('twenty concurrent calls', () => {
  it('replace the settings one after the other', async () => {
    const responses = await twenty((place) => {
      const endpoint = `https://93.184.216.34/${String(place)}`;
      return world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint }] } });
    });
    expect(responses.map(({ status }) => status)).toEqual(Array(atOnce).fill(200));
    const [settings] = await store.read([keys.webhookSettings(companyId)]);
    expect(settings).toMatchObject({ version: 1 + atOnce });
  });

  it.each(['without a key', 'each with its key'])('rotate the secret one after the other, %s', async (keyUse) => {
    const key = (place: number) => (keyUse === 'without a key' ? {} : { key: `k-${String(place)}` });
    const responses = await twenty((place) => world.rotate({ companyId, body: {}, ...key(place) }));
    expect(responses.map(({ status }) => status)).toEqual(Array(atOnce).fill(200));
    const secrets = responses.map(({ body }) => (body as { secret: string }).secret);
    expect(new Set(secrets).size).toBe(atOnce);
    const [secret] = await store.read([keys.webhookSecret(companyId)]);
    expect(secret).toMatchObject({ version: 1 + atOnce });
    expect(secrets).toContain(secret?.['current']);
  });

  it('create one secret, and all get it in their response, when they rotate with one key', async () => {
    const responses = await twenty(() => world.rotate({ companyId, key: 'one', body: {} }));
    expect(new Set(responses.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
    const replayed = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replayed).toHaveLength(atOnce - 1);
    const [secret] = await store.read([keys.webhookSecret(companyId)]);
    expect(secret).toMatchObject({ version: 2, current: (responses[0]!.body as { secret: string }).secret });
  });
});
