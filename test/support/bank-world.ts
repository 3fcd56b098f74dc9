import { setShards } from '#infra/operator/accounts/accounts.ts';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { getBalance } from '#functions/accounts/balance/handler.ts';
import { AssignCredit } from '#functions/credits/assign/contract.ts';
import { assignCredit } from '#functions/credits/assign/handler.ts';
import { GetCredit } from '#functions/credits/get/contract.ts';
import { getCredit } from '#functions/credits/get/handler.ts';
import { ListCredits } from '#functions/credits/list/contract.ts';
import { listCredits } from '#functions/credits/list/handler.ts';
import { ReturnCredit } from '#functions/credits/return/contract.ts';
import { returnCredit } from '#functions/credits/return/handler.ts';
import { DefendDispute } from '#functions/disputes/defend/contract.ts';
import { defendDispute } from '#functions/disputes/defend/handler.ts';
import { GetDispute } from '#functions/disputes/get/contract.ts';
import { getDispute } from '#functions/disputes/get/handler.ts';
import { ListDisputes } from '#functions/disputes/list/contract.ts';
import { listDisputes } from '#functions/disputes/list/handler.ts';
import { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import { forceDisputeStatus } from '#functions/order-tools/force-dispute-status/handler.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { forceOrderStatus } from '#functions/order-tools/force-order-status/handler.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { receiveCredit } from '#functions/order-tools/receive-credit/handler.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { cancelPayIn } from '#functions/pay-ins/cancel/handler.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { createPayIn } from '#functions/pay-ins/create/handler.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { getPayIn } from '#functions/pay-ins/get/handler.ts';
import { GetRefundCertificate } from '#functions/pay-ins/get-refund-certificate/contract.ts';
import { getRefundCertificate } from '#functions/pay-ins/get-refund-certificate/handler.ts';
import { ListRefunds } from '#functions/pay-ins/list-refunds/contract.ts';
import { listRefunds } from '#functions/pay-ins/list-refunds/handler.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { listEntries } from '#functions/accounts/list-entries/handler.ts';
import { refundPayIn } from '#functions/pay-ins/refund/handler.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { createPayout } from '#functions/payouts/create/handler.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { getPayout } from '#functions/payouts/get/handler.ts';
import { GetPayoutCertificate } from '#functions/payouts/get-certificate/contract.ts';
import { getPayoutCertificate } from '#functions/payouts/get-certificate/handler.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { listPayouts } from '#functions/payouts/list/handler.ts';
import type { Account } from '#shared/accounts/model.ts';
import type { AccountStatus } from '#shared/platform/ledger/balance.ts';
import { centavos } from '#shared/core/money.ts';
import { accountInserts, accountStatusUpdates, readAccount } from '#shared/accounts/store.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { memoryStore } from './memory-store.ts';
import { runCounted } from './run-jobs.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { PayingDependencies } from '#functions/banks.ts';
import { commandBank, payingBankOf } from '#functions/banks.ts';
import type { DefendingDependencies, KeyDependencies, ReceivingDependencies } from '#functions/banks.ts';
import { caller } from './api.ts';
import { keyRules } from './key-rules.ts';
import { readable } from './readable-items.ts';
import { localSigningKey } from './signing-key.ts';
import { testIds } from './test-ids.ts';

export const companyOne = '11111111-1111-4111-8111-111111111111';
export const otherCompany = '22222222-2222-4222-8222-222222222222';
export const account = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const holder = { name: 'Padaria São João Ltda', document: { type: 'CNPJ', number: '11444777000161' } } as const;

/** A Thursday at noon in Brasilia: the TED window is open. */
export const noon = '2026-01-15T15:00:00.000Z';

type Mutable<Calls> = { -readonly [Call in keyof Calls]: Calls[Call] };
type Replaceable<Ports> = {
  -readonly [Port in keyof Ports]: Ports[Port] extends (...given: never) => unknown
    ? Ports[Port]
    : { -readonly [Call in keyof Ports[Port]]: ReplaceableCall<Ports[Port][Call]> };
};
type ReplaceableCall<Call> = Call extends (...given: never) => unknown ? Call : Mutable<Call>;

/** A copy whose every call can be replaced, to see what the service does with another bank. */
function replaceable<Ports extends object>(ports: Ports): Replaceable<Ports> {
  const copy = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]))
      : value;
  return copy(ports) as Replaceable<Ports>;
}

type BankDependencies = PayingDependencies & ReceivingDependencies & DefendingDependencies & KeyDependencies;
export type World = ReturnType<typeof bankWorld>;

/**
 * The service around orders on a store of its own: operations as a caller meets them, a clock to turn, a bank to break.
 */
export function bankWorld(
  options: {
    readonly wrap?: (memory: Store) => Store;
    readonly now?: string;
    readonly seed?: string;
    /** What the simulated bank knows, if not the table. */
    readonly known?: Store;
  } = {},
) {
  const memory = memoryStore();
  const store = options.wrap?.(memory) ?? memory;
  /** `now` is the company's time, and the machine's unless `real` says another. */
  const clock: { now: string; real?: string } = { now: options.now ?? noon };
  const ids = testIds(options.seed);
  const signingKey = localSigningKey();
  const settings = {
    ispb: '99999004',
    pixHost: 'pix.service.example',
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: 86_400,
    pixTransactionLimitCentavos: 1_500_000,
    allowLocalTargets: true,
    schedule: { minDaysAhead: 0 },
    keyRules,
  };
  const known = options.known ?? store;
  const simulated: Bank = { ...payingBankOf(known, settings, ids), ...commandBank(known, settings, ids) };
  const bank = replaceable(simulated);
  const deps: { -readonly [Name in keyof BankDependencies]: BankDependencies[Name] } = {
    ...{ store, now: () => clock.now, realNow: () => clock.real ?? clock.now, ids, settings, bank },
    elapsedMs: () => performance.now(),
  };
  const dueRun = { random: () => 0.5, remainingMs: () => Infinity, failed: () => undefined };
  const jobRun = () => ({ ...deps, ...dueRun, bank: { ...bank, ...deps.bank } });
  const tool = caller(ForceOrderStatus, forceOrderStatus, deps);
  return {
    store,
    clock,
    ids,
    deps,
    bank,
    simulated,
    /** Everything as it stands in the table; the items of one entity as they can be read. */
    items: (entity?: string): readonly Item[] =>
      entity === undefined
        ? memory.all()
        : memory
            .all()
            .filter((item) => item['entity'] === entity)
            .map(readable),
    /** The bodies of all notifications, in the order in which they were written. */
    notifications: (): Record<string, unknown>[] =>
      memory
        .all()
        .map(readable)
        .map((item) => (item['entity'] === 'DELIVERY_BODY' ? item['body'] : undefined))
        .filter((body) => typeof body === 'string')
        .map((body) => JSON.parse(body) as Record<string, unknown>),
    createPayout: caller(CreatePayout, createPayout, deps),
    getPayout: caller(GetPayout, getPayout, deps),
    getPayoutCertificate: caller(GetPayoutCertificate, getPayoutCertificate, { ...deps, signingKey }),
    listPayouts: caller(ListPayouts, listPayouts, deps),
    signingKey,
    getBalance: caller(GetBalance, getBalance, deps),
    createPayIn: caller(CreatePayIn, createPayIn, deps),
    getPayIn: caller(GetPayIn, getPayIn, deps),
    refundPayIn: caller(RefundPayIn, refundPayIn, deps),
    listEntries: caller(ListEntries, listEntries, deps),
    getRefundCertificate: caller(GetRefundCertificate, getRefundCertificate, { ...deps, signingKey }),
    listRefunds: caller(ListRefunds, listRefunds, deps),
    cancelPayIn: caller(CancelPayIn, cancelPayIn, deps),
    listCredits: caller(ListCredits, listCredits, deps),
    getCredit: caller(GetCredit, getCredit, deps),
    returnCredit: caller(ReturnCredit, returnCredit, deps),
    assignCredit: caller(AssignCredit, assignCredit, deps),
    /** The simulation tool for credits. */
    receiveCredit: caller(ReceiveCredit, receiveCredit, deps),
    listDisputes: caller(ListDisputes, listDisputes, deps),
    getDispute: caller(GetDispute, getDispute, deps),
    defendDispute: caller(DefendDispute, defendDispute, deps),
    /** The simulation tool for disputes. */
    forceDispute: caller(ForceDisputeStatus, forceDisputeStatus, deps),
    /** Runs what is due for disputes. */
    runDisputeJobs: () => runCounted(jobRun(), [['MED_BLOCK', 'DISPUTE_REMINDER']]),
    /** The simulation tool for orders. */
    force: (id: string, status: string, companyId = companyOne) => tool({ companyId, body: { id, status } }),
    /** What a run of a scheduled worker has beside its own dependencies. */
    dueRun,
    submitPayouts: async (run: { readonly remainingMs?: () => number } = {}) => {
      const { count, failed } = await runCounted({ ...jobRun(), ...run }, [['PAYOUT_SUBMISSION']]);
      return { submitted: count('PayoutsSubmitted'), postponed: count('PayoutsPostponed'), failed };
    },
    submitCommands: async () => {
      const { count, failed } = await runCounted(jobRun(), [['REFUND_SUBMISSION', 'RECURRENCE_CANCELLATION']]);
      return { submitted: count('CommandsSubmitted'), failed };
    },
    /** Asks about what the bank accepted, and sends unmatched money back. */
    poll: async () => (await runCounted(jobRun(), [['PAYOUT_POLL', 'REFUND_POLL', 'CREDIT_RETURN']])).failed,
    /** A bank with other capabilities than the simulated one. */
    setCapabilities: (more: Partial<Capabilities>): void => {
      bank.capabilities = () => Promise.resolve({ ...allCapabilities, ...more });
    },
    /** @param store one that may fail */
    expirePayIns: async (on: Store = store) => {
      const { count, failed } = await runCounted({ ...jobRun(), store: on }, [['PAY_IN_EXPIRY']]);
      return { expired: count('PayInsExpired'), failed };
    },
    openAccount: async (available: number, more: Partial<Account> = {}): Promise<Account> => {
      const account = accountOf(more);
      const opening = { amount: centavos(available), entryId: ids.uuid(), at: clock.now };
      const hash = await readOrMakeHash(store);
      await readOrMakeHash(known);
      const registered = { put: { ...keys.registry(account.companyId), entity: 'REGISTRY' } };
      const outcome = await store.write([...accountInserts(hash, account, opening), registered], ids.uuid());
      if (!outcome.ok) throw new Error('The account exists.');
      return account;
    },
    /** Lets the account's payments use so many shards of its balance. */
    setShards: (shards: number, accountId = account) =>
      setShards({ store, ids, now: () => clock.now }, { companyId: companyOne, accountId, shards }),
    setAccountStatus: async (from: AccountStatus, to: AccountStatus, accountId = account, companyId = companyOne) => {
      const current = await readAccount(store, companyId, accountId);
      if (current === undefined) throw new Error('There is no such account.');
      const outcome = await store.write(accountStatusUpdates({ ...current, status: from }, to, clock.now), ids.uuid());
      if (!outcome.ok) throw new Error(`The account was not ${from}.`);
    },
  };
}

function accountOf(more: Partial<Account>): Account {
  return {
    id: account,
    companyId: companyOne,
    status: 'ACTIVE',
    holderType: 'ORGANIZATION',
    fullName: holder.name,
    email: 'contato@padaria.example',
    phone: '+5511987654321',
    document: holder.document,
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
    accountId: account,
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
    accountId: account,
    amount: { currency: 'BRL', value: '25.00' },
    description: 'Order 42',
    payer: receiver,
    ...more,
  };
}

/** An account at another bank, for TED and manual payouts. */
export const accountElsewhere = {
  bankNumber: '341',
  accountType: 'CHECKING_ACCOUNT',
  branchNumber: '0001',
  accountNumber: '12345-6',
} as const;
export const receiver = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } } as const;
