import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GetCapabilities } from '#functions/accounts/capabilities/contract.ts';
import { GetBankProfile } from '#functions/order-tools/get-bank-profile/contract.ts';
import { SetBankProfile } from '#functions/order-tools/set-bank-profile/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { refused } from '../support/refusals.ts';
import { activeAccount, environment, eventually, first, second } from './partners.ts';
import { acme, bankAccount, keyOfNobody, maria, payout } from './samples.ts';

const { id: accountId } = activeAccount(second);
const params = { accountId };

test('an account has the capabilities of its bank, and a company with a bank of its own sets no profile', async () => {
  const { body } = await first.call(GetCapabilities, { params: { accountId: activeAccount(first).id } });
  if (environment.bank === undefined) {
    const all = {
      keyTypes: ['EMAIL', 'PHONE', 'CNPJ', 'RANDOM'],
      keyLookup: 'FULL',
      settlementErrorResends: 'SERVICE',
    };
    expect(body).toMatchObject({ paymentMethods: ['PIX', 'TED'], ...all });
    return;
  }
  const own = {
    'api-pix': { paymentMethods: ['PIX'], disputes: true },
    qitech: { paymentMethods: ['PIX', 'TED'], disputes: false },
  }[environment.bank];
  expect(body).toMatchObject({ ...own, keyTypes: [], keyLookup: 'NONE', settlementErrorResends: 'BANK' });
  refused(await first.refused(SetBankProfile, { body: { profile: 'EFI' } }), 409, ['profile:INVALID_VALUE']);
});

test('the capabilities of another company’s account are not found', async () => {
  refused(await second.refused(GetCapabilities, { params: { accountId: activeAccount(first).id } }), 404);
});

test('malformed requests for capabilities and profiles are 400, with the field that is wrong', async () => {
  refused(await second.refused(GetCapabilities, { params: { accountId: 'mine' } }), 400, ['accountId:INVALID_FORMAT']);
  refused(await second.refused(GetBankProfile, { query: { a: '1' } }), 400, ['a:UNKNOWN_FIELD']);
  refused(await second.refused(SetBankProfile, { body: { profile: 'ANY' } }), 400, ['profile:INVALID_VALUE']);
});

describe('a sandbox that is as narrow as EFI', () => {
  beforeAll(async () => {
    await second.call(SetBankProfile, { body: { profile: 'EFI' } });
  });
  afterAll(async () => {
    await second.call(SetBankProfile, { body: { profile: 'FULL' } });
  });
  const ordered = (changes: Parameters<typeof payout>[1]) => ({ body: payout(accountId, changes) });

  test('is shown by the profile of its company and by the capabilities of its accounts', async () => {
    expect((await second.call(GetBankProfile)).body).toEqual({ profile: 'EFI', schedule: 'OPEN' });
    const { body } = await second.call(GetCapabilities, { params });
    expect(body).toMatchObject({ paymentMethods: ['PIX'], keyTypes: [], keyLookup: 'NONE', cancellation: false });
    expect(body.hours).not.toHaveProperty('ted');
  });

  test('refuses a TED, a key without a receiver and a new key, on the field that asks for it', async () => {
    const ted = { paymentMethod: 'TED', paymentData: { bankAccount }, receiver: acme } as const;
    refused(await second.refused(CreatePayout, ordered(ted)), 409, ['paymentMethod:INVALID_VALUE']);
    const { receiver: _receiver, ...ownerless } = payout(accountId);
    refused(await second.refused(CreatePayout, { body: ownerless }), 400, ['receiver:REQUIRED']);
    refused(await second.refused(CreateKey, { params, body: keyOfNobody() }), 409, ['type:INVALID_VALUE']);
  });

  test('finds an owner who is not the receiver when it pays: the payout becomes ERROR', async () => {
    const wanted = { paymentData: { pixKey: 'owner-mismatch@bank.example' }, receiver: maria };
    const { id } = (await second.call(CreatePayout, ordered(wanted))).body;
    const { body } = await eventually(
      () => second.call(GetPayout, { params: { id } }),
      (read) => read.body.status !== 'PENDING',
    );
    expect([body.status, body.errorMessage?.slice(0, 5)]).toEqual(['ERROR', 'BE01:']);
  });
});
