import { GetBalance } from '../../functions/accounts/balance/contract.ts';
import { getBalance } from '../../functions/accounts/balance/handler.ts';
import { ForceOrderStatus } from '../../functions/order-tools/force-order-status/contract.ts';
import { forceOrderStatus } from '../../functions/order-tools/force-order-status/handler.ts';
import { CreatePayIn } from '../../functions/pay-ins/create/contract.ts';
import { createPayIn } from '../../functions/pay-ins/create/handler.ts';
import { GetPayIn } from '../../functions/pay-ins/get/contract.ts';
import { getPayIn } from '../../functions/pay-ins/get/handler.ts';
import { RefundPayIn } from '../../functions/pay-ins/refund/contract.ts';
import { refundPayIn } from '../../functions/pay-ins/refund/handler.ts';
import { CreatePayout } from '../../functions/payouts/create/contract.ts';
import { createPayout } from '../../functions/payouts/create/handler.ts';
import { GetPayout } from '../../functions/payouts/get/contract.ts';
import { getPayout } from '../../functions/payouts/get/handler.ts';
import { expirePayIns } from '../../functions/workers/expire-pay-ins/handler.ts';
import { submitPayouts } from '../../functions/workers/submit-payouts/handler.ts';
import type { Account, AccountStatus } from '../../shared/domain/account.ts';
import { centavos } from '../../shared/domain/money.ts';
import { accountCreation, accountStatusWrites } from '../../shared/persistence/accounts.ts';
import { keys } from '../../shared/persistence/keys.ts';
import { memoryStore } from '../../shared/persistence/memory-store.ts';
import type { Item, Store } from '../../shared/persistence/store.ts';
import type { Bank } from '../../shared/provider/bank.ts';
import type { BankDependencies } from '../../shared/runtime/bank-dependencies.ts';
import { bankOf } from '../../shared/runtime/bank-dependencies.ts';
import { caller } from './api.ts';
import { testIds } from './test-ids.ts';

export const COMPANY = '11111111-1111-4111-8111-111111111111';
export const OTHER_COMPANY = '22222222-2222-4222-8222-222222222222';
export const ACCOUNT = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const HOLDER = { name: 'Padaria São João Ltda', document: { type: 'CNPJ', number: '11444777000161' } } as const;

/** A Thursday at noon in Brasilia: the TED window is open. */
export const NOON = '2026-01-15T15:00:00.000Z';

export type World = ReturnType<typeof bankWorld>;

/** The service around orders on a store of its own: operations as a caller meets them, a clock to turn, a bank to break. */
export function bankWorld(
  options: { readonly wrap?: (memory: Store) => Store; readonly now?: string; readonly seed?: string } = {},
) {
  const memory = memoryStore();
  const store = options.wrap?.(memory) ?? memory;
  const clock = { now: options.now ?? NOON };
  const ids = testIds(options.seed);
  const settings = {
    ispb: '99999004',
    pixHost: 'pix.service.example',
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: 86_400,
    pixTransactionLimitCentavos: 1_500_000,
    allowLocalTargets: true,
  };
  const simulated = bankOf(store, settings.pixHost);
  /** Replace a call to see what the service does with another bank. */
  const bank: { -readonly [Call in keyof Bank]: Bank[Call] } = { ...simulated };
  const deps: BankDependencies = { store, now: () => clock.now, ids, settings, bank };
  const tool = caller(ForceOrderStatus, forceOrderStatus, deps);
  return {
    store,
    clock,
    ids,
    deps,
    bank,
    simulated,
    /** Everything in the table. */
    items: (entity?: string): readonly Item[] =>
      memory.all().filter((item) => entity === undefined || item['entity'] === entity),
    /** The bodies of all notifications, in the order in which they were written. */
    notifications: (): Record<string, unknown>[] =>
      memory
        .all()
        .map((item) => (item['entity'] === 'DELIVERY_BODY' ? item['body'] : undefined))
        .filter((body) => typeof body === 'string')
        .map((body) => JSON.parse(body) as Record<string, unknown>),
    createPayout: caller(CreatePayout, createPayout, deps),
    getPayout: caller(GetPayout, getPayout, deps),
    getBalance: caller(GetBalance, getBalance, deps),
    createPayIn: caller(CreatePayIn, createPayIn, deps),
    getPayIn: caller(GetPayIn, getPayIn, deps),
    refundPayIn: caller(RefundPayIn, refundPayIn, deps),
    /** The simulation tool for orders. */
    force: (id: string, status: string, companyId = COMPANY) => tool({ companyId, body: { id, status } }),
    submitPayouts: () => submitPayouts({ ...deps, ispb: settings.ispb }),
    expirePayIns: () => expirePayIns({ ...deps, ispb: settings.ispb }),
    openAccount: async (available: number, more: Partial<Account> = {}): Promise<Account> => {
      const account = accountOf(more);
      const opening = { amount: centavos(available), entryId: ids.uuid(), at: clock.now };
      const registered = { put: { ...keys.registry(account.companyId), entity: 'REGISTRY' } };
      const outcome = await store.write([...accountCreation(account, opening), registered], ids.uuid());
      if (!outcome.ok) throw new Error('The account exists.');
      return account;
    },
    setAccountStatus: async (from: AccountStatus, to: AccountStatus, accountId = ACCOUNT, companyId = COMPANY) => {
      const writes = accountStatusWrites(companyId, { accountId, from, to, at: clock.now });
      const outcome = await store.write([...writes], ids.uuid());
      if (!outcome.ok) throw new Error(`The account was not ${from}.`);
    },
  };
}

function accountOf(more: Partial<Account>): Account {
  return {
    id: ACCOUNT,
    companyId: COMPANY,
    status: 'ACTIVE',
    holderType: 'ORGANIZATION',
    fullName: HOLDER.name,
    email: 'contato@padaria.example',
    phone: '+5511987654321',
    document: HOLDER.document,
    bankAccountData: {
      ispb: '99999004',
      branchNumber: '0001',
      accountNumber: '1234567',
      accountType: 'PAYMENT_ACCOUNT',
      createdAt: '2026-01-01T00:00:00.000Z',
    },
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

let sequence = 0;

/** A payout by a CPF key that is accepted as it stands; `more` replaces fields. */
export function payoutBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  sequence += 1;
  return {
    externalId: `payout-${sequence}`,
    accountId: ACCOUNT,
    paymentMethod: 'PIX',
    paymentData: { pixKey: '52998224725' },
    amount: { currency: 'BRL', value: '10.00' },
    description: 'Supplier',
    ...more,
  };
}

/** A pay-in that is accepted as it stands; `more` replaces fields. */
export function payInBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  sequence += 1;
  return {
    externalId: `pay-in-${sequence}`,
    accountId: ACCOUNT,
    amount: { currency: 'BRL', value: '25.00' },
    description: 'Order 42',
    payer: RECEIVER,
    ...more,
  };
}

/** An account at another bank, for TED and manual payouts. */
export const BANK_ACCOUNT = {
  bankNumber: '341',
  accountType: 'CHECKING_ACCOUNT',
  branchNumber: '0001',
  accountNumber: '12345-6',
} as const;
export const RECEIVER = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } } as const;
