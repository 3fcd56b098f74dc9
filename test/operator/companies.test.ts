import { describe, expect, it } from 'vitest';
import { createCompany } from '#infra/operator/onboarding.ts';
import { readApiClient } from '#shared/access/api-clients.ts';
import { companyIds, parseCompany } from '#shared/platform/company.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { memoryStore } from '../support/memory-store.ts';
import { parseWebhookSecret, parseWebhookSettings } from '#shared/webhooks/settings-store.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { at, testOperator } from './terminal.ts';

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/u;

describe('company:create', () => {
  it('creates the company with its registry entry, webhook settings and webhook secret', async () => {
    const { store, json } = testOperator();
    const { companyId = '', name, webhookSecret } = await json('company:create', '--name', 'Café São João');
    const companyKeys = [keys.company, keys.registry, keys.webhookSettings, keys.webhookSecret].map((key) =>
      key(companyId),
    );
    const [company, registry, settings, secret] = await store.read(companyKeys);
    expect(name).toBe('Café São João');
    expect(parseCompany(company!)).toMatchObject({ companyId, name, createdAt: at });
    expect(Buffer.from(parseCompany(company!).cursorKey, 'base64')).toHaveLength(32);
    expect(registry).toBeDefined();
    for await (const listed of companyIds(store)) expect(listed).toBe(companyId);
    expect(parseWebhookSettings(settings!)).toMatchObject({ companyId, events: [], status: 'ACTIVE' });
    expect(parseWebhookSecret(secret!)).toEqual({ companyId, current: webhookSecret, createdAt: at, version: 1 });
    expect(webhookSecret).toMatch(secretPattern);
  });

  it('prints the secret once, with a note, and never prints the cursor key', async () => {
    const { run, store } = testOperator();
    const companyId = randomIds.uuid();
    const { out } = await run('company:create', '--name', 'A', '--company-id', companyId);
    expect(out).toMatch(/whsec_/u);
    expect(out).toMatch(/shown only once/u);
    const [company] = await store.read([keys.company(companyId)]);
    expect(out).not.toContain(parseCompany(company!).cursorKey);
    expect((await run('company:list')).out).not.toMatch(/whsec_|cursorKey/u);
  });

  it('creates no second company for the same --company-id, and leaves the first unchanged', async () => {
    const { run, store } = testOperator();
    const companyId = randomIds.uuid();
    await run('company:create', '--name', 'A', '--company-id', companyId.toUpperCase());
    const before = await store.read([keys.company(companyId), keys.webhookSecret(companyId)]);
    const again = await run('company:create', '--name', 'B', '--company-id', companyId);
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('already');
    expect(await store.read([keys.company(companyId), keys.webhookSecret(companyId)])).toEqual(before);
  });

  it.each(['company#1', '', '../x', '1'])('refuses an id that is no UUID: %j', async (companyId) => {
    const store = memoryStore();
    const { run } = testOperator('local', store);
    expect((await run('company:create', '--name', 'A', '--company-id', companyId)).code).toBe(2);
    expect(store.all()).toEqual([]);
  });
});

describe('company:list', () => {
  it('shows all companies when there are more than 200', async () => {
    const operator = testOperator();
    const createdIds = new Set<string>();
    for (let place = 0; place < 201; place += 1)
      createdIds.add((await createCompany(operator, { name: `Company ${place}` })).companyId);
    const listed = (await operator.json('company:list')) as unknown as readonly { companyId: string }[];
    expect(new Set(listed.map(({ companyId }) => companyId))).toEqual(createdIds);
    expect(listed).toHaveLength(201);
  });

  it('shows every company, and says so when there is no company', async () => {
    const { json, run } = testOperator();
    expect(await run('company:list')).toMatchObject({ code: 0, out: 'No companies.' });
    await json('company:create', '--name', 'A');
    await json('company:create', '--name', 'B');
    const listed = (await json('company:list')) as unknown as readonly { name: string }[];
    expect(listed.map(({ name }) => name).sort()).toEqual(['A', 'B']);
  });
});

describe('secret:rotate', () => {
  it('creates another secret and keeps the first for the overlap', async () => {
    const { json, store } = testOperator();
    const { companyId = '', webhookSecret } = await json('company:create', '--name', 'A');
    const rotated = await json('secret:rotate', '--company', companyId, '--overlap-seconds', '60');
    const [item] = await store.read([keys.webhookSecret(companyId)]);
    expect(rotated['webhookSecret']).toMatch(secretPattern);
    expect(rotated['previousSecretExpiresAt']).toBe('2026-01-15T12:01:00.000Z');
    expect(parseWebhookSecret(item!)).toMatchObject({
      current: rotated['webhookSecret'],
      previous: webhookSecret,
      version: 2,
    });
  });

  it('rotates twice when two rotations run concurrently', async () => {
    const { json, store } = testOperator();
    const { companyId = '', webhookSecret } = await json('company:create', '--name', 'A');
    const rotate = () => json('secret:rotate', '--company', companyId);
    const rotatedSecrets = (await Promise.all([rotate(), rotate()])).map((output) => output['webhookSecret']);
    const [item] = await store.read([keys.webhookSecret(companyId)]);
    const { current, previous, version } = parseWebhookSecret(item!);
    expect(new Set([...rotatedSecrets, webhookSecret]).size).toBe(3);
    expect({ pair: new Set([current, previous]), version }).toEqual({ pair: new Set(rotatedSecrets), version: 3 });
  });

  it('refuses an unknown company, and an overlap of more than a week', async () => {
    const { run } = testOperator();
    const companyId = randomIds.uuid();
    expect(await run('secret:rotate', '--company', companyId)).toMatchObject({ code: 1, err: 'Company not found.' });
    expect(await run('secret:rotate', '--company', companyId, '--overlap-seconds', '604801')).toMatchObject({
      code: 2,
    });
  });
});

describe('client:create', () => {
  it('creates client and secret in the local environment, and gives the secret to the issuer', async () => {
    const { json, store, secrets } = testOperator();
    const { companyId = '' } = await json('company:create', '--name', 'A');
    const { clientId = '', clientSecret } = await json('client:create', '--company', companyId);
    expect(await readApiClient(store, clientId)).toEqual({ clientId, companyId, status: 'ACTIVE', createdAt: at });
    expect(secrets.get(clientId)).toBe(clientSecret);
    expect(Buffer.from(clientSecret!, 'base64url')).toHaveLength(32);
    expect((await store.read([keys.apiClient(clientId)]))[0]).not.toHaveProperty('clientSecret');
  });

  it('creates the mapping alone on AWS, for a client that the identity provider named', async () => {
    const { json, run, store } = testOperator('aws');
    const { companyId = '' } = await json('company:create', '--name', 'A');
    expect(await run('client:create', '--company', companyId)).toMatchObject({ code: 2 });
    const key = 'k'.repeat(20);
    const result = await json(
      'client:create',
      '--company',
      companyId,
      '--client-id',
      'entra-1',
      '--api-key-value',
      key,
    );
    expect(result).toEqual({ clientId: 'entra-1', companyId, status: 'ACTIVE' });
    expect(await readApiClient(store, 'entra-1')).toMatchObject({ companyId, usageIdentifierKey: key });
  });

  it('can be repeated, and can add the API key later', async () => {
    const { json, store } = testOperator('aws');
    const { companyId = '' } = await json('company:create', '--name', 'A');
    const command = ['client:create', '--company', companyId, '--client-id', 'entra-1'];
    const first = await json(...command);
    expect(await json(...command)).toEqual(first);
    await json(...command, '--api-key-value', 'k'.repeat(20));
    expect(await readApiClient(store, 'entra-1')).toMatchObject({ usageIdentifierKey: 'k'.repeat(20) });
  });

  it("never takes another company's client", async () => {
    const { json, run, store, secrets } = testOperator();
    const { companyId: one = '' } = await json('company:create', '--name', 'A');
    const { companyId: other = '' } = await json('company:create', '--name', 'B');
    const { clientId = '', clientSecret } = await json('client:create', '--company', one);
    expect(await run('client:create', '--company', other, '--client-id', clientId)).toMatchObject({ code: 1 });
    expect(await readApiClient(store, clientId)).toMatchObject({ companyId: one });
    expect(secrets.get(clientId)).toBe(clientSecret);
  });

  it('refuses an unknown company', async () => {
    const { run, secrets } = testOperator();
    expect(await run('client:create', '--company', randomIds.uuid())).toMatchObject({
      code: 1,
      err: 'Company not found.',
    });
    expect(secrets.size).toBe(0);
  });
});

describe('client:revoke and client:restore', () => {
  it('disable a client and enable it again', async () => {
    const { json, store } = testOperator();
    const { companyId = '' } = await json('company:create', '--name', 'A');
    const { clientId = '' } = await json('client:create', '--company', companyId);
    expect(await json('client:revoke', '--client-id', clientId)).toEqual({ clientId, companyId, status: 'DISABLED' });
    expect(await readApiClient(store, clientId)).toMatchObject({ status: 'DISABLED' });
    await json('client:restore', '--client-id', clientId);
    expect(await readApiClient(store, clientId)).toMatchObject({ status: 'ACTIVE' });
  });

  it('refuse an unknown client', async () => {
    const { run } = testOperator();
    expect(await run('client:revoke', '--client-id', 'nobody')).toMatchObject({ code: 1, err: 'Client not found.' });
  });
});

describe('company:equal-payouts', () => {
  const holder = ['--name', 'Ana', '--document', '52998224725', '--email', 'a@b.co', '--phone', '+5511987654321'];
  const refusing = (listed: unknown) =>
    (listed as readonly { readonly equalPayouts?: string }[]).map((one) => one.equalPayouts === 'REFUSED');

  it('changes all accounts of the company and those that are created later, and of no other company', async () => {
    const { json, run } = testOperator();
    const { companyId = '' } = await json('company:create', '--name', 'A');
    const { companyId: other = '' } = await json('company:create', '--name', 'B');
    for (const each of [companyId, companyId, other]) await json('account:create', '--company', each, ...holder);
    const refused = await json('company:equal-payouts', '--company', companyId, '--policy', 'refuse');
    expect(refused).toMatchObject({ companyId, policy: 'refuse', accounts: 2 });
    await json('account:create', '--company', companyId, ...holder);
    expect(refusing(await json('account:list', '--company', companyId))).toEqual([true, true, true]);
    expect(refusing(await json('account:list', '--company', other))).toEqual([false]);
    expect(refusing(await json('company:list')).toSorted()).toEqual([false, true]);
    await run('company:equal-payouts', '--company', companyId, '--policy', 'allow');
    expect(refusing(await json('account:list', '--company', companyId))).toEqual([false, false, false]);
    await json('account:create', '--company', companyId, ...holder);
    expect(refusing(await json('account:list', '--company', companyId))).toEqual([false, false, false, false]);
  });

  it('fails for an unknown company, and creates none', async () => {
    const store = memoryStore();
    const { run } = testOperator('local', store);
    const { code } = await run('company:equal-payouts', '--company', randomIds.uuid(), '--policy', 'refuse');
    expect(code).toBe(1);
    expect(store.all().filter(({ entity }) => entity !== 'OPERATOR_COMMAND')).toEqual([]);
  });
});
