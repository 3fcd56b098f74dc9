import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import { account, companyOne, holder, receiver } from '../support/bank-world.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { cancelPayIn } from '#functions/pay-ins/cancel/handler.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { createPayIn } from '#functions/pay-ins/create/handler.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { refundPayIn } from '#functions/pay-ins/refund/handler.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { createPayout } from '#functions/payouts/create/handler.ts';
import type {
  ChargeDependencies,
  DefendingDependencies,
  PayingDependencies,
  ReceivingDependencies,
} from '#functions/banks.ts';
import type { Draws } from './bank-books.ts';

type Deps = PayingDependencies & ReceivingDependencies & ChargeDependencies & DefendingDependencies;
/** A request that the partner repeats with the same key until it has an answer that decides. */
export type Intent = {
  readonly name: string;
  readonly send: (deps: Deps) => Promise<Answer>;
};
export type PayInAnswer = { readonly id: string; readonly qrcodeData: string; readonly conciliationId: string };

export const otherAccount = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const accounts = [account, otherAccount] as const;

/** What the partner knows by now. */
export type PartnerMemory = {
  readonly payIns: PayInAnswer[];
  readonly subscriptions: { readonly id: string }[];
  readonly scheduled: { readonly id: string; readonly subscriptionId: string }[];
  count: number;
};

const amountOf = (value: string) => ({ currency: 'BRL', value });

/** The next request, by chance. */
export function nextIntent(draws: Draws, memory: PartnerMemory): Intent {
  memory.count += 1;
  const key = `k-${memory.count}`;
  const from = draws.one(accounts);
  const choice = draws.between(0, 100);
  if (choice < 45 || memory.payIns.length === 0 || choice >= 97)
    return choice < 50 || choice >= 97 ? payout(key, from, draws, memory) : payIn(key, from, draws);
  if (choice < 72) return payIn(key, from, draws);
  const { id } = draws.one(memory.payIns);
  if (choice < 80) {
    const name = `cancel ${id} ${key}`;
    return {
      name,
      send: (deps) => caller(CancelPayIn, cancelPayIn, deps)({ companyId: companyOne, params: { id }, key, body: {} }),
    };
  }
  const value = draws.chance(0.4) ? undefined : draws.one(['0.01', '1.00', '10.00']);
  const body = value === undefined ? {} : { amount: amountOf(value) };
  return {
    name: `refund ${id} ${key}`,
    send: (deps) => caller(RefundPayIn, refundPayIn, deps)({ companyId: companyOne, params: { id }, key, body }),
  };
}

/** The next payout, by chance. */
export function nextPayout(draws: Draws, memory: PartnerMemory): Intent {
  memory.count += 1;
  return payout(`k-${memory.count}`, draws.one(accounts), draws, memory);
}

/** A code as it is pasted: with blanks around it, or wrapped. Of one payout not the same every time. */
function asCopied(code: string, draws: Draws): string {
  const at = draws.between(10, 60);
  return draws.one([code, code, ` ${code}\r\n`, `${code.slice(0, at)}\r\n${code.slice(at)}`]);
}

function payout(key: string, accountId: string, draws: Draws, { payIns }: PartnerMemory): Intent {
  const other = accounts.find((one) => one !== accountId)!;
  const kind = draws.between(0, 10);
  const qrcodeData = payIns.length > 0 && kind < 2 ? draws.one(payIns).qrcodeData : '';
  const isTed = kind === 9;
  const bankAccount = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' };
  const paymentData =
    qrcodeData !== ''
      ? () => ({ qrcodeData: asCopied(qrcodeData, draws) })
      : isTed || kind === 8
        ? () => ({ bankAccount })
        : () => ({ pixKey: kind === 7 ? other : '52998224725' });
  const value = qrcodeData !== '' ? '25.00' : kind === 6 ? '31000.00' : draws.one(['10.00', '99.99', '20000.00']);
  const body = {
    ...{ externalId: `payout-${key}`, accountId, paymentMethod: isTed ? 'TED' : 'PIX' },
    // Some banks name no owner of a key.
    ...(qrcodeData === '' && { receiver: kind === 7 ? holder : receiver }),
    ...{ amount: amountOf(value), description: 'Supplier' },
  };
  return {
    name: `payout ${key}`,
    send: (deps) => {
      const request = { companyId: companyOne, key, body: { ...body, paymentData: paymentData() } };
      return caller(CreatePayout, createPayout, deps)(request);
    },
  };
}

function payIn(key: string, accountId: string, draws: Draws): Intent {
  const body = {
    ...{ externalId: `pay-in-${key}`, accountId, amount: amountOf('25.00'), description: 'Order', payer: receiver },
    expiresInSeconds: draws.one([120, 900, 3600]),
  };
  return {
    name: `pay-in ${key}`,
    send: (deps) => caller(CreatePayIn, createPayIn, deps)({ companyId: companyOne, key, body }),
  };
}
