import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { findAccountByKey } from '#shared/accounts/store.ts';
import { account, companyOne, noon, otherCompany } from '#test/support/bank-world.ts';
import type { Answer } from '#test/support/api.ts';
import { email, keyWorld, otherThan, phone } from '#test/support/key-world.ts';
import { refused } from '#test/support/refusals.ts';

const sibling = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const maria = email('maria@example.com');
let world: ReturnType<typeof keyWorld>;
beforeEach(async () => {
  world = keyWorld();
  await world.openAccount(0);
});

const issues = ({ status, body }: Answer): string => {
  const { details = [] } = body as { details?: { field: string; issue: string }[] };
  return [status, ...details.map(({ field, issue }) => `${field}:${issue}`)].join(' ');
};
const confirmed = async (body: object, by = {}): Promise<Answer> => {
  const { validationId, code } = await world.begun(body, by);
  return world.confirm(validationId, code, by);
};

describe('the right code', () => {
  it('gives the key to the account, which payouts to it then reach', async () => {
    await world.openAccount(0, { id: sibling, email: maria.key, createdAt: '2025-01-01T00:00:00.000Z' });
    expect((await findAccountByKey(world.store, companyOne, maria))?.id).toBe(sibling);
    const { validationId, code } = await world.begun(maria);
    const response = await world.confirm(validationId, code);
    expect(response).toMatchObject({ status: 200, body: { validationId, status: 'CONFIRMED', key: maria } });
    expect((await findAccountByKey(world.store, companyOne, maria))?.id).toBe(account);
  });

  it('is taken once: 20 equal requests get one answer, another request is refused', async () => {
    const { validationId, code } = await world.begun(maria);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.confirm(validationId, code, { key: 'k' })),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    refused(await world.confirm(validationId, code), 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(world.items('KEY_QUOTA')).toMatchObject([{ keys: 1, codes: 1 }]);
  });

  it('counts until its 30 minutes are over', async () => {
    const { validationId, code, expiresAt } = await world.begun(maria);
    world.clock.now = expiresAt;
    refused(await world.confirm(validationId, code), 409, ['validationId:EXPIRED']);
    world.clock.now = plusSeconds(noon, 1799);
    expect((await world.confirm(validationId, code)).status).toBe(200);
  });

  it('is that of this validation alone', async () => {
    const one = await world.begun(maria);
    const other = await world.begun(phone('+5511987650002'));
    expect(one.code).not.toBe(other.code);
    refused(await world.confirm(one.validationId, other.code), 409, ['code:WRONG_CODE']);
    await world.openAccount(0, { id: sibling });
    refused(await world.confirm(one.validationId, one.code, { accountId: sibling }), 404, []);
    refused(await world.confirm(one.validationId, one.code, { companyId: otherCompany }), 404, []);
  });
});

describe('a wrong code', () => {
  it('is counted: the fifth blocks the validation, for the right code too', async () => {
    const { validationId, code } = await world.begun(maria);
    for (let wrong = 1; wrong <= 5; wrong += 1) {
      refused(await world.confirm(validationId, otherThan(code, wrong)), 409, ['code:WRONG_CODE']);
    }
    refused(await world.confirm(validationId, code), 409, ['status:TRANSITION_NOT_ALLOWED']);
    refused(await world.resend(validationId), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  it('is counted once for 20 equal concurrent requests and for later ones, with one response', async () => {
    const { validationId, code } = await world.begun(maria);
    const wrong = otherThan(code);
    const ask = () => world.confirm(validationId, wrong, { key: 'k' });
    const responses = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(responses[0]?.text).toContain('4 tries are left');
    await world.confirm(validationId, otherThan(code, 2));
    expect((await ask()).text).toBe(responses[0]?.text);
    expect(world.items('KEY_VALIDATION')).toMatchObject([{ wrongTries: 2 }]);
    refused(await world.confirm(validationId, code, { key: 'k' }), 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    expect((await world.confirm(validationId, code)).status).toBe(200);
  });

  it('is compared five times at most when 20 different ones arrive concurrently', async () => {
    const { validationId, code } = await world.begun(maria);
    const codes = Array.from({ length: 20 }, (_, by) => otherThan(code, by + 1));
    const responses = await Promise.all(codes.map((wrong) => world.confirm(validationId, wrong)));
    expect(responses.filter((response) => issues(response) === '409 code:WRONG_CODE')).toHaveLength(5);
    expect(responses.filter((response) => issues(response) === '409 status:TRANSITION_NOT_ALLOWED')).toHaveLength(15);
  });

  it('is every code, before one was sent', async () => {
    const { validationId } = (await world.create(maria)).body as { validationId: string };
    refused(await world.confirm(validationId, '000000'), 409, ['code:WRONG_CODE']);
    refused(await world.confirm(validationId, '12345'), 400, ['code:INVALID_FORMAT']);
  });
});

describe('a key', () => {
  it('is refused at its creation when an account of the company has it', async () => {
    await world.openAccount(0, { id: sibling });
    await confirmed(maria, { accountId: sibling });
    refused(await world.create(maria), 409, ['key:ALREADY_EXISTS']);
    refused(await world.create(maria, { accountId: sibling }), 409, ['key:ALREADY_EXISTS']);
  });

  it('is refused with ALREADY_EXISTS, when another company has it, only after the right code was given', async () => {
    await world.openAccount(0, { companyId: otherCompany });
    await confirmed(maria, { companyId: otherCompany });
    const { validationId, code } = await world.begun(maria);
    refused(await world.confirm(validationId, otherThan(code)), 409, ['code:WRONG_CODE']);
    refused(await world.confirm(validationId, code), 409, ['key:ALREADY_EXISTS']);
    expect(await findAccountByKey(world.store, companyOne, maria)).toBeUndefined();
    expect((await findAccountByKey(world.store, otherCompany, maria))?.companyId).toBe(otherCompany);
  });

  it('is given to one account when two confirm it concurrently', async () => {
    await world.openAccount(0, { companyId: otherCompany });
    const [ownValidation, theirs] = [await world.begun(maria), await world.begun(maria, { companyId: otherCompany })];
    const responses = await Promise.all([
      world.confirm(ownValidation.validationId, ownValidation.code),
      world.confirm(theirs.validationId, theirs.code, { companyId: otherCompany }),
    ]);
    expect(responses.map(issues).toSorted()).toEqual(['200', '409 key:ALREADY_EXISTS']);
  });

  it.each([
    ['INDIVIDUAL', 5],
    ['ORGANIZATION', 20],
  ] as const)('is refused when an account of an %s has the maximum of %i', async (holderType, most) => {
    await world.openAccount(0, { id: sibling, holderType });
    const by = { accountId: sibling };
    const key = (number: number) => email(`key-${number}@example.com`);
    for (let number = 1; number < most; number += 1) {
      if (number % 9 === 0) world.clock.now = plusSeconds(world.clock.now, 86_400);
      expect((await confirmed(key(number), by)).status).toBe(200);
    }
    world.clock.now = plusSeconds(world.clock.now, 86_400);
    const [last, tooMany] = [await world.begun(key(most), by), await world.begun(key(most + 1), by)];
    const responses = await Promise.all(
      [last, tooMany].map(({ validationId, code }) => world.confirm(validationId, code, by)),
    );
    expect(responses.map(issues).toSorted()).toEqual(['200', '409 accountId:LIMIT_EXCEEDED']);
    refused(await world.create(undefined, by), 409, ['accountId:LIMIT_EXCEEDED']);
  });
});
