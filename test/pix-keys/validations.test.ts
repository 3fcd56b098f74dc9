import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { account, noon, otherCompany } from '#test/support/bank-world.ts';
import type { Answer } from '#test/support/api.ts';
import type { ValidationResponse } from '#test/support/key-world.ts';
import { email, keyWorld, otherThan, phone } from '#test/support/key-world.ts';
import { refused } from '#test/support/refusals.ts';

const sibling = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
let world: ReturnType<typeof keyWorld>;
beforeEach(async () => {
  world = keyWorld();
  await world.openCompany('11111111-1111-4111-8111-111111111111');
  await world.openAccount(0);
});

const idOf = ({ body }: Answer): string => (body as ValidationResponse).validationId;

describe('creating a key', () => {
  it('answers a pending validation whose code expires in 30 minutes, and sends it as the DICT spells the key', async () => {
    const response = await world.create(email('Maria.Souza@Example.com'));
    expect(response).toMatchObject({ status: 201, body: { status: 'PENDING', expiresAt: plusSeconds(noon, 1800) } });
    await world.sendInserted();
    expect(world.sent).toMatchObject([{ type: 'EMAIL', key: 'maria.souza@example.com' }]);
    expect(world.sent[0]?.code).toMatch(/^\d{6}$/u);
  });

  it.each([
    [email('+5511999999999'), 'key:INVALID_FORMAT'],
    [email('maria@'), 'key:INVALID_FORMAT'],
    [phone('maria@example.com'), 'key:INVALID_FORMAT'],
    [phone('11999999999'), 'key:INVALID_FORMAT'],
    [{ type: 'CPF', key: '52998224725' }, 'type:INVALID_VALUE'],
    [{ type: 'EMAIL' }, 'key:REQUIRED'],
  ])('refuses %j', async (body, issue) => {
    refused(await world.create(body), 400, [issue]);
  });

  it('takes equal requests once, 20 concurrent or later, and refuses their idempotency key for another', async () => {
    const key = 'one';
    const body = email('maria@example.com');
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.create(body, { key })));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    await world.sendInserted();
    await world.sendInserted();
    expect(world.sent).toHaveLength(1);
    world.clock.now = plusSeconds(noon, 7200);
    expect((await world.create(email('MARIA@example.com'), { key })).text).toBe(responses[0]?.text);
    refused(await world.create(email('ana@example.com'), { key }), 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  });

  it('needs an active account of the company', async () => {
    refused(await world.create(undefined, { accountId: sibling }), 404, []);
    refused(await world.create(undefined, { companyId: otherCompany }), 404, []);
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    refused(await world.create(), 409, ['accountId:INVALID_VALUE']);
  });

  it('allows ten codes per account and day in Brasilia, resends included', async () => {
    const first = idOf(await world.create());
    await world.resend(first);
    for (let code = 3; code <= 10; code += 1) await world.create();
    refused(await world.create(), 409, ['accountId:LIMIT_EXCEEDED']);
    refused(await world.resend(first), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.now = '2026-01-16T02:59:59.999Z';
    refused(await world.create(), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.now = '2026-01-16T03:00:00.000Z';
    expect(await world.create()).toMatchObject({ status: 201 });
  });

  it('allows no more codes when a company changes its simulated clock: days are those of the real clock', async () => {
    world.clock.real = noon;
    const first = await world.create();
    for (let code = 2; code <= 10; code += 1) {
      world.clock.now = plusSeconds(noon, 86_400 * code);
      expect(await world.create()).toMatchObject({ status: 201 });
    }
    world.clock.now = '2033-03-15T15:00:00.000Z';
    refused(await world.create(), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.now = noon;
    refused(await world.resend(idOf(first)), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.real = '2026-01-16T02:59:59.999Z';
    refused(await world.create(), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.real = '2026-01-16T03:00:00.000Z';
    expect(await world.create()).toMatchObject({ status: 201 });
  });

  it('is refused with LIMIT_EXCEEDED for the reserved address when the sandbox allows more codes', async () => {
    const { settings } = world.deps;
    world.deps.settings = {
      ...settings,
      keyRules: { ...settings.keyRules, codesPerDay: 1000, codesPerAddressAndDay: 20 },
    };
    const { details } = refused(await world.create(email('Limit@bank.example')), 409, ['accountId:LIMIT_EXCEEDED']);
    expect(details[0]?.description).toContain('at most 20 to an address');
    expect(world.items('KEY_VALIDATION')).toEqual([]);
    expect(await world.create()).toMatchObject({ status: 201 });
  });

  it('allows ten codes per address and day across accounts, and does not disclose that others asked', async () => {
    const maria = email('maria@example.com');
    const theirs = { companyId: otherCompany, accountId: sibling };
    await world.openAccount(0, { id: sibling });
    await world.openAccount(0, { id: sibling, companyId: otherCompany });
    world.clock.real = noon;
    const created = await world.create(maria);
    await world.resend(idOf(created));
    for (let code = 3; code <= 5; code += 1)
      expect(await world.create(maria, { accountId: sibling })).toMatchObject({ status: 201 });
    for (let code = 6; code <= 10; code += 1) expect(await world.create(maria, theirs)).toMatchObject({ status: 201 });
    const tooMany = await world.create(email('MARIA@example.com'));
    refused(tooMany, 409, ['accountId:LIMIT_EXCEEDED']);
    refused(await world.resend(idOf(created)), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.now = plusSeconds(noon, 90 * 86_400);
    refused(await world.create(maria, theirs), 409, ['accountId:LIMIT_EXCEEDED']);
    world.clock.now = noon;
    for (let code = 3; code <= 10; code += 1) expect(await world.create()).toMatchObject({ status: 201 });
    expect((await world.create()).body).toEqual(tooMany.body);
    world.clock.real = '2026-01-16T03:00:00.000Z';
    expect(await world.create(maria, theirs)).toMatchObject({ status: 201 });
    expect(world.items('ADDRESS_QUOTA').filter(({ PK }) => /maria|example/iu.test(PK))).toEqual([]);
  });
});

describe('a phone', () => {
  const abroad = ['+19005550100', '+881612345678', '+123', '+351912345678'];
  const wrong = ['+5511', '+5501987654321', '+5520987654321', '+551187654321', '+55119876543210', '+5511187654321'];

  it.each([...abroad, ...wrong])('is not sent a code when it is not a valid Brazilian number: %s', async (key) => {
    refused(await world.create(phone(key)), 400, ['key:INVALID_FORMAT']);
    expect(world.items('KEY_CODE')).toEqual([]);
  });

  it.each(['+5511987654321', '+556132345678'])('is sent a code when it is a Brazilian number: %s', async (key) => {
    expect(await world.create(phone(key))).toMatchObject({ status: 201 });
  });

  it('is sent a code when the environment allows foreign numbers, but not when it is an invalid Brazilian one', async () => {
    const { settings } = world.deps;
    world.deps.settings = { ...settings, keyRules: { ...settings.keyRules, phonesAbroad: true } };
    expect(await world.create(phone('+351912345678'))).toMatchObject({ status: 201 });
    refused(await world.create(phone('+5501987654321')), 400, ['key:INVALID_FORMAT']);
  });
});

describe('sending a code again', () => {
  it('replaces the code, begins the tries and the 30 minutes again, and keeps the id', async () => {
    const { validationId, code } = await world.begun();
    for (let wrong = 1; wrong < 5; wrong += 1) await world.confirm(validationId, otherThan(code, wrong));
    world.clock.now = plusSeconds(noon, 60);
    const again = await world.resend(validationId);
    const expiresAt = plusSeconds(noon, 1860);
    expect(again).toMatchObject({ status: 200, body: { validationId, status: 'PENDING', expiresAt } });
    expect(world.items('KEY_VALIDATION')[0]).not.toHaveProperty('codeHash');
    // Until the new one is under way no code is the right one, the replaced least of all.
    refused(await world.confirm(validationId, code), 409, ['code:WRONG_CODE']);
    await world.sendInserted();
    const next = world.sent.at(-1)?.code ?? '';
    expect(next).not.toBe(code);
    refused(await world.confirm(validationId, code), 409, ['code:WRONG_CODE']);
    expect((await world.confirm(validationId, next)).status).toBe(200);
  });

  it('sends one code for 20 equal requests and every replay of them, and the code stays valid', async () => {
    const { validationId } = await world.begun();
    const key = account;
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.resend(validationId, { key })));
    expect(new Set(responses.map(({ text, status }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    await world.sendInserted();
    const { code = '' } = world.sent.at(-1) ?? {};
    world.clock.now = plusSeconds(noon, 5);
    expect((await world.resend(validationId, { key })).text).toBe(responses[0]?.text);
    await world.sendInserted();
    await world.sendDue();
    expect(world.sent).toHaveLength(2);
    const confirmed = await world.confirm(validationId, code);
    expect(confirmed.status).toBe(200);
    // Also after the validation has ended.
    expect((await world.resend(validationId, { key })).text).toBe(responses[0]?.text);
  });

  it('happens three times a validation', async () => {
    const { validationId } = await world.begun();
    for (let resend = 1; resend <= 3; resend += 1) expect((await world.resend(validationId)).status).toBe(200);
    refused(await world.resend(validationId), 409, ['validationId:LIMIT_EXCEEDED']);
    await world.sendInserted();
    expect(world.sent).toHaveLength(2);
  });

  it('is refused when the validation is not pending or not one of the account', async () => {
    const { validationId, code } = await world.begun();
    await world.openAccount(0, { id: sibling });
    refused(await world.resend(validationId, { accountId: sibling }), 404, []);
    refused(await world.resend(validationId, { companyId: otherCompany }), 404, []);
    refused(await world.resend(account), 404, []);
    await world.confirm(validationId, code);
    refused(await world.resend(validationId), 409, ['status:TRANSITION_NOT_ALLOWED']);
    const late = await world.begun();
    world.clock.now = late.expiresAt;
    refused(await world.resend(late.validationId), 409, ['validationId:EXPIRED']);
  });
});

describe('the list of key validations', () => {
  it('shows the status of each validation, in exact pages, and never a code', async () => {
    const confirmed = await world.begun(phone('+5511987650001'));
    await world.confirm(confirmed.validationId, confirmed.code);
    world.clock.now = plusSeconds(noon, 1);
    const blocked = await world.begun();
    for (let wrong = 1; wrong <= 5; wrong += 1)
      await world.confirm(blocked.validationId, otherThan(blocked.code, wrong));
    world.clock.now = plusSeconds(noon, 2);
    const open = await world.begun();
    world.clock.now = plusSeconds(noon, 1801);
    const pending = await world.begun();
    const { body, text } = await world.list();
    expect(body).toMatchObject({
      hasNext: false,
      nextCursor: null,
      data: [
        { validationId: pending.validationId, status: 'PENDING' },
        { validationId: open.validationId, status: 'PENDING' },
        { validationId: blocked.validationId, status: 'BLOCKED' },
        { validationId: confirmed.validationId, status: 'CONFIRMED', confirmedAt: noon, key: '+5511987650001' },
      ],
    });
    for (const { code } of [confirmed, blocked, open, pending]) expect(text).not.toContain(`"${code}"`);
    world.clock.now = plusSeconds(noon, 1802);
    const walked: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await world.list({ limit: '1', sort: 'asc', ...(cursor !== null && { cursor }) });
      const { data, nextCursor } = page.body as {
        data: { validationId: string; status: string }[];
        nextCursor: string | null;
      };
      walked.push(...data.map(({ validationId, status }) => `${validationId} ${status}`));
      cursor = nextCursor;
    } while (cursor !== null);
    expect(walked).toEqual([
      `${confirmed.validationId} CONFIRMED`,
      `${blocked.validationId} BLOCKED`,
      `${open.validationId} EXPIRED`,
      `${pending.validationId} PENDING`,
    ]);
  });

  it('is empty for an account without keys, and 404 for an unknown account', async () => {
    expect(await world.list()).toMatchObject({ status: 200, body: { data: [] } });
    refused(await world.list({}, { accountId: sibling }), 404);
    refused(await world.list({ cursor: 'changed' }), 400, ['cursor:INVALID_VALUE']);
  });
});
