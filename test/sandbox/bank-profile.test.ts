import { describe, expect, test } from 'vitest';
import { GetCapabilities } from '#functions/accounts/capabilities/contract.ts';
import { getCapabilities } from '#functions/accounts/capabilities/handler.ts';
import { GetBankProfile } from '#functions/order-tools/get-bank-profile/contract.ts';
import { getBankProfile } from '#functions/order-tools/get-bank-profile/handler.ts';
import { SetBankProfile } from '#functions/order-tools/set-bank-profile/contract.ts';
import { setBankProfile } from '#functions/order-tools/set-bank-profile/handler.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { createPayout } from '#functions/payouts/create/handler.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { createKey } from '#functions/pix-keys/create/handler.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { brl, chargeCode } from '#shared/contract/examples.ts';
import { centavos } from '#shared/core/money.ts';
import { dependenciesOf } from '#shared/sandbox/simulated-time.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import type { World } from '../support/bank-world.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  noon,
  otherCompany,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { refused } from '../support/refusals.ts';

const toolsOf = ({ deps }: Pick<World, 'deps'>) => {
  const put = caller(SetBankProfile, setBankProfile, deps);
  const get = caller(GetBankProfile, getBankProfile, deps);
  return {
    put: (body: object, companyId = companyOne): Promise<Answer> => put({ companyId, body }),
    shown: async (companyId = companyOne) => (await get({ companyId })).body,
  };
};

/** The requests of a company with one account, as they see the bank profile that it has set. */
async function requestsAs(profile: string) {
  const world = bankWorld();
  await world.openAccount(100_000_000, { pixTransactionLimit: centavos(1_500_000), payoutsAMinute: 600 });
  expect((await toolsOf(world).put({ profile })).status).toBe(200);
  const deps = await dependenciesOf(world.deps, companyOne);
  const params = { accountId: account };
  const create = { key: caller(CreateKey, createKey, deps), payout: caller(CreatePayout, createPayout, deps) };
  const called = caller(GetCapabilities, getCapabilities, deps);
  return {
    world,
    capabilities: async () => (await called({ companyId: companyOne, params })).body,
    createKey: (body: object) => create.key({ companyId: companyOne, params, body, key: world.ids.uuid() }),
    pay: (more: Readonly<Record<string, unknown>>) =>
      create.payout({ companyId: companyOne, body: payoutBody(more), key: world.ids.uuid() }),
  };
}

const limits = { pixPayment: '15000.00', pixPayout: '1350000.00', payoutsPerMinute: 600 };
const hours = { settlementErrorResends: { until: '21:00' }, scheduledPaymentCancellations: { until: '22:00' } };
const tedHours = { ted: { from: '06:30', until: '17:00' } };
const everyType = ['CHECKING_ACCOUNT', 'WAGE_ACCOUNT', 'SAVINGS_ACCOUNT', 'PAYMENT_ACCOUNT'];

test.each([
  [
    'FULL',
    {
      ...{ paymentMethods: ['PIX', 'TED'], accountTypes: everyType, keyLookup: 'FULL' },
      keyTypes: ['EMAIL', 'PHONE', 'CNPJ', 'RANDOM'],
      ...{ cancellation: true, settlementErrorResends: 'SERVICE', disputes: true },
      ...{ limits, hours: { ...tedHours, ...hours } },
    },
  ],
  [
    'EFI',
    {
      ...{ paymentMethods: ['PIX'], accountTypes: ['CHECKING_ACCOUNT', 'SAVINGS_ACCOUNT'], keyTypes: [] },
      ...{ keyLookup: 'NONE', cancellation: false, settlementErrorResends: 'BANK', disputes: true },
      ...{ limits, hours },
    },
  ],
  [
    'QITECH',
    {
      ...{ paymentMethods: ['PIX', 'TED'], accountTypes: everyType, keyTypes: ['CNPJ', 'RANDOM'], keyLookup: 'NONE' },
      ...{ cancellation: false, settlementErrorResends: 'BANK', disputes: true },
      ...{ limits, hours: { ...tedHours, ...hours } },
    },
  ],
])('the capabilities of an account show what the simulated bank can do as %s', async (profile, expected) => {
  expect(await (await requestsAs(profile)).capabilities()).toEqual(expected);
});

test('the capabilities of an account are not found for another company, nor for an unknown account', async () => {
  const { world } = await requestsAs('FULL');
  const get = caller(GetCapabilities, getCapabilities, world.deps);
  refused(await get({ companyId: otherCompany, params: { accountId: account } }), 404);
  refused(await get({ companyId: companyOne, params: { accountId: connectionId } }), 404);
});

describe('the simulated bank as EFI', () => {
  const bankAccount = (accountType: string) => ({ paymentData: { bankAccount: { ...accountElsewhere, accountType } } });

  test.each([
    ['a TED', 409, 'paymentMethod:INVALID_VALUE', { paymentMethod: 'TED', ...bankAccount('CHECKING_ACCOUNT') }],
    ...['PAYMENT_ACCOUNT', 'WAGE_ACCOUNT'].map(
      (type) => [`a ${type}`, 409, 'paymentData.bankAccount.accountType:INVALID_VALUE', bankAccount(type)] as const,
    ),
    ['a key without a receiver', 400, 'receiver:REQUIRED', { receiver: undefined }],
  ] as const)('refuses a payout to %s, and writes nothing', async (_what, status, fault, more) => {
    const { world, pay } = await requestsAs('EFI');
    refused(await pay({ receiver, ...more }), status, [fault]);
    expect(world.items('PAYOUT')).toEqual([]);
    const full = await requestsAs('FULL');
    expect((await full.pay({ receiver, ...more })).status).toBe(201);
  });

  test.each([
    ['owner-mismatch@bank.example', receiver, 'BE01'],
    ['key-not-found@bank.example', receiver, 'AC03'],
    ['unavailable@bank.example', receiver, undefined],
    ['maria@example.com', receiver, undefined],
    [
      'owner-mismatch@bank.example',
      { name: 'Outra Pessoa Ltda', document: { type: 'CNPJ', number: '11222333000181' } },
      undefined,
    ],
  ])('finds the owner of the key %s only when it pays', async (pixKey, named, code) => {
    const { world, pay } = await requestsAs('EFI');
    const created = await pay({ paymentData: { pixKey }, receiver: named });
    expect(created.status).toBe(201);
    const { id } = created.body as { readonly id: string };
    const { status, errorMessage } = (await world.getPayout({ companyId: companyOne, params: { id } })).body as {
      readonly status: string;
      readonly errorMessage?: string;
    };
    expect([status, errorMessage?.slice(0, 4)]).toEqual([code === undefined ? 'PENDING' : 'ERROR', code]);
  });

  test.each([
    { type: 'EMAIL', key: 'maria@example.com' },
    { type: 'PHONE', key: '+5511987654321' },
    { type: 'CNPJ' },
    { type: 'RANDOM' },
  ])('registers no key of type $type: 409, and nothing is written', async (key) => {
    const { world, createKey } = await requestsAs('EFI');
    refused(await createKey(key), 409, ['type:INVALID_VALUE']);
    expect([world.items('KEY_CODE'), world.items('KEY_VALIDATION')]).toEqual([[], []]);
    expect((await (await requestsAs('FULL')).createKey(key)).status).toBe(201);
  });

  test('pays a dynamic code as a whole: above the limit of one PIX it is refused', async () => {
    const { pay } = await requestsAs('EFI');
    const qrcodeData = chargeCode;
    refused(await pay({ paymentData: { qrcodeData }, amount: brl('15000.01') }), 400, ['amount.value:OUT_OF_RANGE']);
  });

  test('leaves another company as it was', async () => {
    const { world } = await requestsAs('EFI');
    const { bank } = await dependenciesOf(world.deps, otherCompany);
    expect((await bank.capabilities(otherCompany, undefined)).payouts.ted).toBe(true);
  });

  test('has a resend after a settlement error, which the service makes in its place', async () => {
    const world = await paymentWorld();
    await toolsOf(world).put({ profile: 'EFI' });
    Object.assign(world.bank, (await dependenciesOf(world.deps, companyOne)).bank);
    const { id } = await world.scheduled(paymentBody());
    world.clock.now = '2026-01-20T12:00:00.000Z';
    await world.forced(id, 'ACCEPTED', 'CANCELED_SETTLEMENT_ERROR');
    expect(await world.resend()).toMatchObject({ resent: 1, missed: 0 });
  });
});

describe('the windows of scheduled payments as PRODUCTION', () => {
  const productionWorld = async () => {
    const world = await paymentWorld();
    await toolsOf(world).put({ schedule: 'PRODUCTION' });
    Object.assign(world.deps, { settings: (await dependenciesOf(world.deps, companyOne)).settings });
    return world;
  };

  test.each([
    ['2026-01-15', 400],
    ['2026-01-16', 400],
    ['2026-01-17', 201],
  ])('a payment due on %s is answered with %i on the 15th', async (dueDate, status) => {
    const world = await productionWorld();
    expect((await world.schedule(paymentBody({ dueDate }))).status).toBe(status);
  });

  test('a payment waits as INITIAL until ten days before its settlement date', async () => {
    const world = await productionWorld();
    const { id, status } = await world.scheduled(paymentBody({ dueDate: '2026-01-26' }));
    expect(status).toBe('INITIAL');
    world.clock.now = '2026-01-16T03:00:00.000Z';
    expect(await world.advance()).toMatchObject({ released: 1 });
    expect((await world.payment(id)).status).toBe('PENDING');
  });
});

describe('the bank profile', () => {
  test('is FULL and OPEN before anything is set, and each field stays as it is when it is left out', async () => {
    const world = bankWorld();
    const { put, shown } = toolsOf(world);
    expect(await shown()).toEqual({ profile: 'FULL', schedule: 'OPEN' });
    expect((await put({ profile: 'EFI' })).body).toEqual({ profile: 'EFI', schedule: 'OPEN' });
    expect((await put({ schedule: 'PRODUCTION' })).body).toEqual({ profile: 'EFI', schedule: 'PRODUCTION' });
    expect((await put({})).body).toEqual({ profile: 'EFI', schedule: 'PRODUCTION' });
    expect(await shown()).toEqual({ profile: 'EFI', schedule: 'PRODUCTION' });
    expect(await shown(otherCompany)).toEqual({ profile: 'FULL', schedule: 'OPEN' });
  });

  test('keeps both fields when two requests set one each at once', async () => {
    const { put, shown } = toolsOf(bankWorld());
    await Promise.all([put({ profile: 'QITECH' }), put({ schedule: 'PRODUCTION' })]);
    expect(await shown()).toEqual({ profile: 'QITECH', schedule: 'PRODUCTION' });
  });

  test.each([{ profile: 'EFÍ' }, { schedule: 'CLOSED' }, { profile: null }, { bank: 'EFI' }])(
    'is not set to %j: 400',
    async (body) => {
      refused(await toolsOf(bankWorld()).put(body), 400);
    },
  );

  const connection: BankConnection = {
    ...{ id: connectionId, companyId: companyOne, dialect: 'EFI', clientId: 'client', secret: 'name' },
    ...{ apiUrl: 'https://bank.example', tokenUrl: 'https://bank.example/token', createdAt: noon },
    ...{ callback: { tokenHash: '1'.repeat(64), subject: 'CN=bank' }, accounts: {} },
  };

  test('is not set for a company with a bank of its own; one on this machine follows other windows', async () => {
    const world = bankWorld();
    const { put } = toolsOf(world);
    await world.store.write(connectedItems(connection), 'connect');
    refused(await put({ profile: 'FULL' }), 409, ['profile:INVALID_VALUE']);
    refused(await put({ schedule: 'PRODUCTION' }), 409, ['schedule:INVALID_VALUE']);
    const local = { ...connection, control: { url: 'http://127.0.0.1:1', client: 'tools' } };
    await world.store.write(connectedItems(local), 'connect again');
    refused(await put({ profile: 'EFI' }), 409, ['profile:INVALID_VALUE']);
    expect((await put({ schedule: 'PRODUCTION' })).status).toBe(200);
  });
});
