import { describe, expect, it, test } from 'vitest';
import type { AccountStatus } from '#shared/platform/ledger/balance.ts';
import type { KeyRules, KeyValidation } from '#shared/pix-keys/model.ts';
import { unusedQuota } from '#shared/pix-keys/quota.ts';
import {
  beginRegistration,
  beginValidation,
  decideConfirmation,
  nextLookUp,
  resendCode,
  wrongCode,
} from '#shared/pix-keys/states.ts';
import { created, later } from '../support/builders.ts';
import { sampleAccount } from '../support/listings.ts';
import { errorOf } from '../support/refusals.ts';

const companyId = 'company';
const key = { type: 'EMAIL', key: 'maria@example.com' } as const;
const rules: KeyRules = {
  ...{ codeValidSeconds: 1800, triesPerCode: 5, resendsPerValidation: 3, codesPerDay: 10, codesPerAddressAndDay: 10 },
  ...{ phonesAbroad: false, keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 } },
};
const validation = (more: Partial<KeyValidation> = {}): KeyValidation => ({
  ...{ id: 'v', companyId, accountId: 'a', ...key, status: 'PENDING', codeNumber: 1, codeHash: 'hash' },
  ...{ wrongTries: 0, validUntil: '2026-03-10T13:00:00.000Z', createdAt: created, version: 4 },
  ...more,
});
const recipient = (status: AccountStatus = 'ACTIVE') => ({
  account: sampleAccount({ companyId, id: 'a', status }),
  quota: unusedQuota('a', later),
  address: { day: '2026-03-10', codes: 0 },
});
const confirm = (isRight: boolean, overrides: Partial<KeyValidation> = {}, status?: AccountStatus) =>
  decideConfirmation(
    { ...recipient(status), validation: validation(overrides), isTaken: false },
    { isRight, at: later },
    rules,
  );
const resend = (overrides: Partial<KeyValidation> = {}, status?: AccountStatus) =>
  resendCode({ ...recipient(status), validation: validation(overrides), to: key }, later, rules);

test.each(['INACTIVE', 'CLOSED'] as const)('an account that is %s gets no code and no key', (status) => {
  const refused = `The account is ${status}; it must be ACTIVE.`;
  expect(() => beginValidation(recipient(status), { id: 'v', key, at: later }, rules)).toThrow(refused);
  expect(() => beginRegistration(recipient(status), { id: 'v', key: { type: 'RANDOM' }, at: later }, rules)).toThrow(
    refused,
  );
  expect(() => resend({}, status)).toThrow(refused);
  expect(() => confirm(true, {}, status)).toThrow(refused);
});

test('an account with all its keys gets no code for another one', () => {
  const { account, quota, address } = recipient();
  const full = { account, address, quota: { ...quota, keys: 5 } };
  expect(() => beginValidation(full, { id: 'v', key, at: later }, rules)).toThrow('can have 5 PIX keys');
});

test('a key is looked up two minutes later only while its bank has to answer', () => {
  expect(nextLookUp(validation(), later)).toBeUndefined();
  expect(nextLookUp(validation({ status: 'REGISTERING', askedAt: created }), '2026-03-10T13:00:00.000Z')).toBe(
    '2026-03-10T13:02:00.000Z',
  );
});

describe('a code that is sent again', () => {
  it('is the next one of its validation, with tries and time of its own', () => {
    const { validation: next, code } = resend({ wrongTries: 4 });
    const validUntil = '2026-03-10T13:00:00.000Z';
    const { codeHash: _replaced, ...kept } = validation();
    expect(next).toStrictEqual({ ...kept, codeNumber: 2, wrongTries: 0, validUntil, version: 5 });
    expect(code).toStrictEqual({ validationId: 'v', accountId: 'a', number: 2, validUntil, createdAt: later });
  });

  it('is refused after the third, and for a validation that has ended', () => {
    expect(resend({ codeNumber: 3 }).validation.codeNumber).toBe(4);
    expect(() => resend({ codeNumber: 4 })).toThrow(
      'A code is sent again at most 3 times. Create the key again for a new validation.',
    );
    expect(() => resend({ status: 'BLOCKED' })).toThrow(
      'Sending the code again is not allowed: the status is BLOCKED; no move is allowed from it.',
    );
    expect(() => resend({ validUntil: later })).toThrow(
      `The code expired at ${later}. Create the key again for a new validation.`,
    );
    expect(errorOf(() => resend({ codeNumber: 4 }))).toBe('409 validationId:LIMIT_EXCEEDED');
    expect(errorOf(() => resend({ validUntil: later }))).toBe('409 validationId:EXPIRED');
  });
});

describe('a confirmation', () => {
  it('gives the key and deletes the code hash when the code is right', () => {
    const { codeHash: _used, ...kept } = validation();
    expect(confirm(true)).toMatchObject({ outcome: 'RIGHT', quota: { keys: 1 } });
    expect(confirm(true).validation).toStrictEqual({ ...kept, status: 'REGISTERING', askedAt: later, version: 5 });
  });

  it('gives no key that another account has, and does not say which', () => {
    const taken = () =>
      decideConfirmation(
        { ...recipient(), validation: validation(), isTaken: true },
        { isRight: true, at: later },
        rules,
      );
    expect(errorOf(taken)).toBe('409 key:ALREADY_EXISTS');
    expect(taken).toThrow(/^The key belongs to an account already\.$/u);
  });

  it('counts a wrong code, and blocks the validation when that was the last try', () => {
    expect(confirm(false, { wrongTries: 3 })).toStrictEqual({
      ...{ outcome: 'WRONG', triesLeft: 1 },
      validation: validation({ wrongTries: 4, version: 5 }),
    });
    expect(confirm(false, { wrongTries: 4 })).toStrictEqual({
      ...{ outcome: 'WRONG', triesLeft: 0 },
      validation: validation({ wrongTries: 5, status: 'BLOCKED', version: 5 }),
    });
  });

  it.each([
    [2, 'The code is wrong. 2 tries are left.'],
    [1, 'The code is wrong. 1 try is left.'],
    [0, 'The code is wrong. No tries are left: the validation is blocked. Create the key again for a new one.'],
  ])('a confirmation with a wrong code has, with %s tries left, the message: %s', (triesLeft, text) => {
    expect(wrongCode(triesLeft).details).toEqual([{ field: 'code', issue: 'WRONG_CODE', description: text }]);
  });

  it('is refused for a validation that has ended', () => {
    expect(() => confirm(true, { status: 'CONFIRMED' })).toThrow(
      'A confirmation is not allowed: the status is CONFIRMED',
    );
  });
});
