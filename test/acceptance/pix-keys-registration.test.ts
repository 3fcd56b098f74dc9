import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { GetCapabilities } from '#functions/accounts/capabilities/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { SetBankProfile } from '#functions/order-tools/set-bank-profile/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import { RemoveKey } from '#functions/pix-keys/remove/contract.ts';
import type { HttpResponse, Partner } from '@banking-order/partner-tools';
import { readResponse } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { faultsOf, refused } from '../support/refusals.ts';
import { clockOf } from './clocks.ts';
import { balanceOf, difference } from './money.ts';
import { activeAccount, eventually, first, second } from './partners.ts';
import { brl, keyOfNobody, maria, payout } from './samples.ts';

type NewKey = z.input<(typeof CreateKey)['body']>;
type ListedKey = z.output<(typeof ListKeys)['responses'][200]>['data'][number];
type Owner = { readonly partner: Partner; readonly accountId: string };
type Answer = { readonly status: number; readonly received: HttpResponse };

const payer: Owner = { partner: first, accountId: activeAccount(first).id };
const [, { id: payeeId } = activeAccount(first)] = first.accounts.filter(({ status }) => status === 'ACTIVE');
const payee: Owner = { partner: first, accountId: payeeId };
/** Of another company, which has the simulated bank in every environment. */
const clinic: Owner = { partner: second, accountId: activeAccount(second).id };
const clinicParams = { accountId: clinic.accountId };

const random = { type: 'RANDOM' } as const;
const ownCnpj = { type: 'CNPJ', key: activeAccount(second).document.number } as const;
const registersNone = 'Efí registers no keys, and looks up none';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Removals of what a test made: other tests, and the next run, can have its keys then. */
const removals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const removal of removals.splice(0)) await removal();
});

async function create({ partner, accountId }: Owner, body: NewKey, key: string = randomUUID()) {
  const response = await partner.call(CreateKey, { params: { accountId }, key, body });
  const ask = { params: { accountId, validationId: response.body.validationId } };
  const isDone = ({ status }: HttpResponse) => status !== 503;
  removals.push(() => eventually(() => partner.answer(RemoveKey, ask), isDone));
  return response;
}

/** The request that confirms a key by its right code, with an idempotency key of its own. */
async function confirmation({ partner, accountId }: Owner, validationId: string) {
  const sent = await eventually(
    () => partner.answer(GetKeyCode, { params: { accountId, validationId } }),
    ({ status }) => status === 200,
  );
  const { code } = readResponse(GetKeyCode, sent, 'CLOSED').body;
  return { params: { accountId }, key: randomUUID(), body: { validationId, code } };
}

const remove = ({ partner, accountId }: Owner, validationId: string) =>
  partner.call(RemoveKey, { params: { accountId, validationId } });

async function listKeys(owner: Owner, page: Readonly<Record<string, string>> = {}): Promise<readonly ListedKey[]> {
  const ask = { params: { accountId: owner.accountId }, query: { limit: '100', ...page } };
  const { data, nextCursor } = (await owner.partner.call(ListKeys, ask)).body;
  return nextCursor === null ? data : [...data, ...(await listKeys(owner, { cursor: nextCursor }))];
}

const find = async (owner: Owner, id: string) => (await listKeys(owner)).find((one) => one.validationId === id);

/** What the account of the payee receives of a paid payout of 1.00 to a key, in centavos. */
async function receivedBy(pixKey: string): Promise<number> {
  const before = await balanceOf(first, payee.accountId);
  const body = payout(payer.accountId, { paymentData: { pixKey }, amount: brl('1.00') });
  const { id } = (await first.call(CreatePayout, { body })).body;
  await first.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
  return difference(before, await balanceOf(first, payee.accountId)).available;
}

function expectReplayed(again: Answer, once: Answer): void {
  expect([again.status, again.received.text]).toEqual([once.status, once.received.text]);
  expect(again.received.headers['idempotent-replayed']).toBe('true');
}

describe('a key that needs no code', () => {
  test('is confirmed at once when it is RANDOM, and payouts reach its account until it is removed', async (context) => {
    needs(context, 'simulated-bank', registersNone);
    const { status, body } = await create(payee, random);
    const { validationId, expiresAt } = body;
    const key = { type: 'RANDOM', key: expect.stringMatching(uuid) };
    expect([status, body]).toEqual([201, { validationId, status: 'CONFIRMED', expiresAt, key }]);
    const pixKey = body.key!.key;
    expect(await find(payee, validationId)).toMatchObject({ ...random, key: pixKey, status: 'CONFIRMED', expiresAt });
    expect(await receivedBy(pixKey)).toBe(100);
    await remove(payee, validationId);
    expect(await receivedBy(pixKey)).toBe(0);
  });

  test('is confirmed at once when it is the CNPJ of the holder, and again after it was removed', async () => {
    const { body } = await create(clinic, ownCnpj);
    expect(body).toMatchObject({ status: 'CONFIRMED', key: ownCnpj });
    const twice = await second.refused(CreateKey, { params: clinicParams, body: ownCnpj });
    refused(twice, 409, ['key:ALREADY_EXISTS']);
    await remove(clinic, body.validationId);
    const { body: again } = await create(clinic, ownCnpj);
    expect(again).toMatchObject({ status: 'CONFIRMED', key: ownCnpj });
    expect(again.validationId).not.toBe(body.validationId);
  });

  test('is refused when it is the CNPJ of somebody else, to a company and to a person', async (context) => {
    needs(context, 'simulated-bank', registersNone);
    for (const { accountId } of [payer, payee]) {
      const response = await first.refused(CreateKey, { params: { accountId }, body: ownCnpj });
      refused(response, 409, ['key:OWNER_MISMATCH']);
    }
  });
});

test.each([
  ['of type EMAIL without the key', { type: 'EMAIL' }, /^key:REQUIRED$/u],
  ['of type PHONE without the key', { type: 'PHONE' }, /^key:REQUIRED$/u],
  ['of type RANDOM that names the key', { type: 'RANDOM', key: randomUUID() }, /^key:[A-Z_]+$/u],
  ['of a type that cannot be registered', { type: 'CPF', key: maria.document.number }, /^type:[A-Z_]+$/u],
])('a new key %s is refused with 400', async (_what, body, fault) => {
  const response = refused(await second.refused(CreateKey, { params: clinicParams, body }), 400);
  expect(faultsOf(response).join(' ')).toMatch(fault);
});

describe('a removed key', () => {
  test('is answered as REMOVED, once more when it is removed again, and stays in the list', async () => {
    const { validationId } = (await create(clinic, random)).body;
    const confirmed = await find(clinic, validationId);
    expect(confirmed?.status).toBe('CONFIRMED');
    const { status, body, received } = await remove(clinic, validationId);
    expect([status, body]).toMatchObject([200, { ...confirmed, status: 'REMOVED' }]);
    expect((await remove(clinic, validationId)).received.text).toBe(received.text);
    expect(await find(clinic, validationId)).toEqual(body);
  });

  test('no longer leads to its account, and another company can have it then', async (context) => {
    needs(context, 'simulated-bank', registersNone);
    const key = keyOfNobody();
    const { validationId } = (await create(payee, key)).body;
    await first.call(ConfirmKey, await confirmation(payee, validationId));
    expect(await receivedBy(key.key)).toBe(100);
    const taken = await first.refused(CreateKey, { params: { accountId: payer.accountId }, body: key });
    refused(taken, 409, ['key:ALREADY_EXISTS']);
    await remove(payee, validationId);
    expect(await receivedBy(key.key)).toBe(0);
    const { validationId: otherId } = (await create(clinic, key)).body;
    const { body } = await second.call(ConfirmKey, await confirmation(clinic, otherId));
    expect(body).toEqual({ validationId: otherId, status: 'CONFIRMED', key });
    expect(await receivedBy(key.key)).toBe(0);
  });

  test('is a confirmed one before: a pending one is refused with 409, and can still be confirmed', async () => {
    const { validationId } = (await create(clinic, keyOfNobody())).body;
    refused(await second.refused(RemoveKey, { params: { ...clinicParams, validationId } }), 409);
    const { body } = await second.call(ConfirmKey, await confirmation(clinic, validationId));
    expect(body.status).toBe('CONFIRMED');
  });

  test('is not found for another company, and stays confirmed when that asks', async () => {
    const { validationId } = (await create(clinic, random)).body;
    for (const { accountId } of [clinic, payer])
      refused(await first.refused(RemoveKey, { params: { accountId, validationId } }), 404);
    expect(await find(clinic, validationId)).toMatchObject({ status: 'CONFIRMED' });
  });
});

describe('an equal request', () => {
  test('creates one key when it is sent twenty times at once', async () => {
    const before = await listKeys(clinic);
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(clinic, random, key)));
    expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
    expect(responses.filter(({ received }) => received.headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
    expect(await listKeys(clinic)).toHaveLength(before.length + 1);
  });

  test('gets the same bytes after the key was removed, and creates and confirms nothing again', async () => {
    const [randomAsk, emailAsk] = [randomUUID(), randomUUID()];
    const email = keyOfNobody();
    const [randomOnce, emailOnce] = [await create(clinic, random, randomAsk), await create(clinic, email, emailAsk)];
    const ask = await confirmation(clinic, emailOnce.body.validationId);
    const confirmedOnce = await second.call(ConfirmKey, ask);
    for (const { body } of [randomOnce, emailOnce]) await remove(clinic, body.validationId);
    const before = await listKeys(clinic);
    expectReplayed(await create(clinic, random, randomAsk), randomOnce);
    expectReplayed(await create(clinic, email, emailAsk), emailOnce);
    expectReplayed(await second.call(ConfirmKey, ask), confirmedOnce);
    expect(await listKeys(clinic)).toEqual(before);
  });
});

describe('the bank of the account', () => {
  const clock = clockOf(second);
  beforeAll(clock.reset);
  afterAll(clock.reset);

  test.for([
    ['owned-elsewhere@bank.example', 'OWNED_ELSEWHERE'],
    ['too-many-keys@bank.example', 'LIMIT_EXCEEDED'],
  ] as const)('refuses %s with the reason %s, which no other key has', async ([key, reason]) => {
    const { validationId } = (await create(clinic, { type: 'EMAIL', key })).body;
    const once = await second.call(ConfirmKey, await confirmation(clinic, validationId));
    expect(once.body).toMatchObject({ validationId, status: 'REFUSED', reason });
    expect(await find(clinic, validationId)).toMatchObject({ type: 'EMAIL', key, status: 'REFUSED', reason });
    refused(await second.refused(RemoveKey, { params: { ...clinicParams, validationId } }), 409);
    const others = (await listKeys(clinic)).filter(({ status }) => status !== 'REFUSED');
    expect(others.filter((other) => 'reason' in other)).toEqual([]);
  });

  test('registers a key later when it is silent: REGISTERING until then, and the first answer stays', async () => {
    const silent = { type: 'EMAIL', key: 'silent@bank.example' } as const;
    const { validationId } = (await create(clinic, silent)).body;
    const ask = await confirmation(clinic, validationId);
    const once = await second.call(ConfirmKey, ask);
    expect(once.body).toMatchObject({ validationId, status: 'REGISTERING' });
    expect(await find(clinic, validationId)).toMatchObject({ ...silent, status: 'REGISTERING' });
    refused(await second.refused(RemoveKey, { params: { ...clinicParams, validationId } }), 409);
    await clock.advance(300);
    expect(await find(clinic, validationId)).toMatchObject({ ...silent, status: 'CONFIRMED' });
    expectReplayed(await second.call(ConfirmKey, ask), once);
    expect((await remove(clinic, validationId)).body).toMatchObject({ ...silent, status: 'REMOVED' });
  });

  test.for<[profile: 'FULL' | 'EFI' | 'QITECH', keyTypes: readonly string[]]>([
    ['FULL', ['CNPJ', 'EMAIL', 'PHONE', 'RANDOM']],
    ['EFI', []],
    ['QITECH', ['CNPJ', 'RANDOM']],
  ])('%s registers the types %j of its capabilities, and the others are refused with 409', async ([profile, types]) => {
    const phone = { type: 'PHONE', key: `+55119${randomInt(10_000_000, 99_999_999)}` } as const;
    await second.call(SetBankProfile, { body: { profile } });
    try {
      const { keyTypes } = (await second.call(GetCapabilities, { params: clinicParams })).body;
      expect(keyTypes.toSorted()).toEqual(types);
      for (const body of [keyOfNobody(), phone, ownCnpj, random]) {
        const status = body.type === 'EMAIL' || body.type === 'PHONE' ? 'PENDING' : 'CONFIRMED';
        if (types.includes(body.type)) expect((await create(clinic, body)).body.status).toBe(status);
        else refused(await second.refused(CreateKey, { params: clinicParams, body }), 409, ['type:INVALID_VALUE']);
      }
    } finally {
      await second.call(SetBankProfile, { body: { profile: 'FULL' } });
    }
  });
});
