import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { findAccountByKey } from '#shared/accounts/store.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { account, companyOne, holder, otherCompany } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { dueIdsOf } from '../support/due.ts';
import type { KeyBank } from '../support/key-bank.ts';
import { connectKeyBank, madeUpKey, neverSeen, registered, removed, unknown } from '../support/key-bank.ts';
import { email, keyWorld } from '../support/key-world.ts';
import { collectLines } from '../support/logged.ts';
import { refused } from '../support/refusals.ts';

const maria = email('maria@example.com');
const cnpj = { type: 'CNPJ', key: holder.document.number } as const;
const owned = { outcome: 'REFUSED', code: 'OWNED_ELSEWHERE', reason: 'Another bank has it.' } as const;

let world: ReturnType<typeof keyWorld>;
let bank: KeyBank;
beforeEach(async () => {
  collectLines();
  world = keyWorld();
  await world.openCompany(companyOne);
  await world.openAccount(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function connect(): void {
  bank = connectKeyBank(world);
}

const passes = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const create = async (body: object) => {
  const response = await world.create(body);
  expect(response.status, response.text).toBe(201);
  return response.body as { readonly validationId: string; readonly status: string; readonly key?: object };
};
/** A key whose registration the bank has not answered yet. */
const waiting = async (body: object = { type: 'RANDOM' }): Promise<string> => {
  bank.register = () => unknown;
  const { validationId } = await create(body);
  return validationId;
};
const due = () => dueIdsOf(world.store, companyOne, 'KEY_COMMAND', '9999-12-31T00:00:00.000Z');
const quota = () => world.items('KEY_QUOTA').map(({ keys }) => keys);

describe('a key that needs no code', () => {
  it('is the CNPJ of the holder, registered at once, and leads to the account', async () => {
    const created = await create({ type: 'CNPJ' });
    expect(created).toMatchObject({ status: 'CONFIRMED', key: cnpj });
    expect(await world.record(created.validationId)).toMatchObject({ ...cnpj, status: 'CONFIRMED' });
    expect(world.items('KEY_CODE')).toEqual([]);
    expect(quota()).toEqual([1]);
  });

  it('is made up by the bank for the type RANDOM, and leads to the account', async () => {
    const { key } = await create({ type: 'RANDOM' });
    const { key: text } = key as { readonly key: string };
    expect(text).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect((await findAccountByKey(world.store, companyOne, { type: 'RANDOM', key: text }))?.id).toBe(account);
    const other = (await create({ type: 'RANDOM' })).key as { readonly key: string };
    expect(other.key).not.toBe(text);
  });

  it('is answered the same for an equal request, also after its removal', async () => {
    const key = world.ids.uuid();
    const first = await world.create({ type: 'RANDOM' }, { key });
    await world.remove((first.body as { readonly validationId: string }).validationId);
    const again = await world.create({ type: 'RANDOM' }, { key });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(world.items('KEY_VALIDATION')).toHaveLength(1);
  });

  it.each([
    [{ type: 'RANDOM', key: madeUpKey }, 400, ['key:INVALID_VALUE']],
    [{ type: 'CNPJ', key: '11222333000181' }, 409, ['key:OWNER_MISMATCH']],
    [{ type: 'CNPJ', key: 'maria@example.com' }, 400, ['key:INVALID_FORMAT']],
    [{ type: 'EMAIL' }, 400, ['key:REQUIRED']],
    [{ type: 'CPF', key: '52998224725' }, 400, ['type:INVALID_VALUE']],
  ])('is refused with the body %j', async (body, status, faults) => {
    refused(await world.create(body), status, faults);
    expect(world.items('KEY_VALIDATION')).toEqual([]);
  });

  it('is refused as a CNPJ for a holder without one, and while another account has it', async () => {
    const person = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await world.openAccount(0, { id: person, document: { type: 'CPF', number: '52998224725' } });
    refused(await world.create({ type: 'CNPJ' }, { accountId: person }), 409, ['type:INVALID_VALUE']);
    await create({ type: 'CNPJ' });
    refused(await world.create({ type: 'CNPJ' }), 409, ['key:ALREADY_EXISTS']);
    await world.openAccount(0, { companyId: otherCompany });
    refused(await world.create({ type: 'CNPJ' }, { companyId: otherCompany }), 409, ['key:ALREADY_EXISTS']);
  });

  it('gets no code', async () => {
    const { validationId } = await create({ type: 'RANDOM' });
    refused(await world.resend(validationId), 409, ['validationId:TRANSITION_NOT_ALLOWED']);
    refused(await world.confirm(validationId, '123456'), 409);
  });
});

describe('a reserved key of the simulated bank', () => {
  it.each([
    ['owned-elsewhere@bank.example', 'OWNED_ELSEWHERE'],
    ['too-many-keys@bank.example', 'LIMIT_EXCEEDED'],
  ])('%s is refused for %s after its right code, and belongs to no account', async (text, reason) => {
    const { validationId, code } = await world.begun(email(text));
    const key = world.ids.uuid();
    const response = await world.confirm(validationId, code, { key });
    expect(response.body).toEqual({ validationId, status: 'REFUSED', key: email(text), reason });
    expect((await world.confirm(validationId, code, { key })).text).toBe(response.text);
    expect(await world.record(validationId)).toMatchObject({ status: 'REFUSED', reason });
    expect(world.items('PIX_KEY')).toEqual([]);
    expect(await findAccountByKey(world.store, companyOne, email(text))).toBeUndefined();
    expect(quota()).toEqual([0]);
  });

  it('silent@bank.example is REGISTERING until its worker finds it registered', async () => {
    const text = email('silent@bank.example');
    const { validationId, code } = await world.begun(text);
    expect((await world.confirm(validationId, code)).body).toMatchObject({ status: 'REGISTERING' });
    expect(await findAccountByKey(world.store, companyOne, text)).toBeUndefined();
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED' });
    expect((await findAccountByKey(world.store, companyOne, text))?.id).toBe(account);
    expect(await due()).toEqual([]);
  });
});

describe('a registration at a connected bank', () => {
  beforeEach(connect);

  it('is a command of the connection, with the id of the key; the answer is REGISTERING, and the key CONFIRMED', async () => {
    const { validationId, code } = await world.begun(maria);
    const key = world.ids.uuid();
    const response = await world.confirm(validationId, code, { key });
    expect(response.body).toEqual({ validationId, status: 'REGISTERING', key: maria });
    expect(bank.orders).toEqual([{ reference: validationId, accountId: account, ...maria, connection: connectionId }]);
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED', confirmedAt: world.clock.now });
    expect((await findAccountByKey(world.store, companyOne, maria))?.id).toBe(account);
    expect((await world.confirm(validationId, code, { key })).text).toBe(response.text);
    expect(bank.orders).toHaveLength(1);
    expect(await due()).toEqual([]);
  });

  it('of a random key has the text that the bank gives, and none before', async () => {
    const validationId = await waiting();
    expect(await world.record(validationId)).toMatchObject({ status: 'REGISTERING', type: 'RANDOM' });
    expect(await world.record(validationId)).not.toHaveProperty('key');
    bank.find = () => registered(madeUpKey);
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED', key: madeUpKey });
    expect(bank.orders).toHaveLength(1);
  });

  it('holds the key in the whole service from the right code on, for one account alone', async () => {
    await waiting(cnpj);
    await world.openAccount(0, { companyId: otherCompany });
    refused(await world.create(cnpj, { companyId: otherCompany }), 409, ['key:ALREADY_EXISTS']);
  });

  it('is submitted again only when a lookup does not find it', async () => {
    const validationId = await waiting(cnpj);
    bank.find = () => unknown;
    passes(121);
    await world.runCommands();
    expect(bank.orders).toHaveLength(1);
    bank.find = () => neverSeen;
    bank.register = () => registered(cnpj.key);
    passes(121);
    await world.runCommands();
    expect(bank.orders).toHaveLength(2);
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is not submitted twice by two concurrent runs', async () => {
    await waiting(cnpj);
    bank.register = () => registered(cnpj.key);
    passes(121);
    await Promise.all([world.runCommands(), world.runCommands()]);
    expect(bank.orders).toHaveLength(2);
  });

  it.each([
    ['OWNED_ELSEWHERE', 'OWNED_ELSEWHERE'],
    ['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'],
    ['KEY_BLOCKED', 'REFUSED'],
  ])('that the bank refuses for %s gives the key back, with the reason %s', async (code, reason) => {
    bank.register = () => ({ ...owned, code });
    const { validationId } = await create(cnpj);
    expect(await world.record(validationId)).toMatchObject({ status: 'REFUSED', reason });
    expect(quota()).toEqual([0]);
    bank.register = () => registered(cnpj.key);
    const again = await create(cnpj);
    expect(await world.record(again.validationId)).toMatchObject({ status: 'CONFIRMED' });
    expect(quota()).toEqual([1]);
  });

  it('that the bank has not taken within half an hour ends as REFUSED, without another submission', async () => {
    const validationId = await waiting(cnpj);
    passes(1799);
    bank.find = () => unknown;
    await world.runCommands();
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'REGISTERING' });
    bank.find = () => neverSeen;
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'REFUSED', reason: 'NOT_IN_TIME' });
    expect(bank.orders).toHaveLength(1);
    expect(world.items('PIX_KEY')).toEqual([]);
  });

  it.each([
    ['another key', cnpj, '11222333000181'],
    ['another key of another type', cnpj, 'ana@example.com'],
    ['a key of another type', { type: 'RANDOM' }, 'ana@example.com'],
    ['what is no key', { type: 'RANDOM' }, 'none'],
  ])('is not confirmed by an answer about %s', async (_what, body, text) => {
    bank.register = () => registered(text);
    const { validationId } = await create(body);
    expect(await world.record(validationId)).toMatchObject({ status: 'REGISTERING' });
    expect(world.items('ACCOUNT_KEY').filter(({ validationId: of }) => of === validationId)).toEqual([]);
  });

  it('waits while the bank has taken it and not decided', async () => {
    bank.register = () => ({ outcome: 'DONE', state: { status: 'PENDING' } });
    const { validationId } = await create(cnpj);
    expect(await due()).toEqual([`${account}#${validationId}`]);
    bank.find = () => registered(cnpj.key);
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED' });
  });
});

describe('the removal of a key', () => {
  it('at the simulated bank ends it at once: it leads nowhere, and another account can have it', async () => {
    const { validationId } = await create({ type: 'CNPJ' });
    world.bank.keys.remove.submit = () => Promise.reject(new Error('The simulated bank gets no command.'));
    const response = await world.remove(validationId);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ validationId, ...cnpj, status: 'REMOVED' });
    expect((await world.remove(validationId)).text).toBe(response.text);
    expect([world.items('PIX_KEY'), quota()]).toEqual([[], [0]]);
    await world.openAccount(0, { companyId: otherCompany });
    expect((await world.create({ type: 'CNPJ' }, { companyId: otherCompany })).status).toBe(201);
  });

  it('is refused unless the key is confirmed, and not found for another company', async () => {
    const { validationId } = await world.begun(maria);
    const pending = refused(await world.remove(validationId), 409);
    expect(pending.message).toBe('REMOVED is not allowed: the status is PENDING; no move is allowed from it.');
    const random = await create({ type: 'RANDOM' });
    refused(await world.remove(random.validationId, { companyId: otherCompany }), 404);
    refused(await world.remove(world.ids.uuid()), 404);
    expect(await world.record(random.validationId)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('at a connected bank is answered when the bank has removed it', async () => {
    connect();
    const { validationId } = await create(cnpj);
    expect((await world.remove(validationId)).body).toMatchObject({ status: 'REMOVED' });
    expect(bank.orders.at(-1)).toEqual({
      ...{ reference: validationId, accountId: account, ...cnpj },
      connection: connectionId,
    });
    expect([await due(), world.items('PIX_KEY'), quota()]).toEqual([[], [], [0]]);
  });

  it('that the bank does not answer is 503, is not sent twice, and is done by the worker', async () => {
    connect();
    const { validationId } = await create(cnpj);
    bank.remove = () => unknown;
    expect((await world.remove(validationId)).status).toBe(503);
    expect((await world.remove(validationId)).status).toBe(503);
    expect(bank.orders).toHaveLength(2);
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED' });
    bank.findRemoved = () => removed;
    passes(121);
    await world.runCommands();
    expect(await world.record(validationId)).toMatchObject({ status: 'REMOVED' });
    expect(bank.orders).toHaveLength(2);
    expect((await world.remove(validationId)).status).toBe(200);
  });

  it('that the bank refuses is 409, and the key stays', async () => {
    connect();
    const { validationId } = await create(cnpj);
    bank.remove = () => ({ outcome: 'REFUSED', reason: 'A claim is open.' });
    refused(await world.remove(validationId), 409, ['validationId:INVALID_VALUE']);
    expect([await due(), quota()]).toEqual([[], [1]]);
    expect(await world.record(validationId)).toMatchObject({ status: 'CONFIRMED' });
    bank.remove = () => removed;
    expect((await world.remove(validationId)).status).toBe(200);
  });
});

describe('closing an account', () => {
  const close = () =>
    setAccountStatus(
      { store: world.store, ids: world.ids, now: () => world.clock.now },
      { companyId: companyOne, accountId: account, status: 'CLOSED' },
    );

  it('removes the keys of the simulated bank', async () => {
    const { validationId } = await create({ type: 'CNPJ' });
    await close();
    expect(await world.record(validationId)).toMatchObject({ status: 'REMOVED' });
    expect(world.items('PIX_KEY')).toEqual([]);
  });

  it('is refused while a key is at a connected bank, or on its way there', async () => {
    connect();
    const validationId = await waiting(cnpj);
    await expect(close()).rejects.toThrow('PIX keys at its bank (1)');
    bank.find = () => registered(cnpj.key);
    passes(121);
    await world.runCommands();
    await expect(close()).rejects.toThrow('PIX keys at its bank (1)');
    await world.remove(validationId);
    await close();
    expect(await world.record(validationId)).toMatchObject({ status: 'REMOVED' });
  });
});
