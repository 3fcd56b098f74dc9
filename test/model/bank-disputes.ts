import { caller } from '../support/api.ts';
import { companyOne, receiver } from '../support/bank-world.ts';
import { ReturnCredit } from '#functions/credits/return/contract.ts';
import { returnCredit } from '#functions/credits/return/handler.ts';
import { DefendDispute } from '#functions/disputes/defend/contract.ts';
import { defendDispute } from '#functions/disputes/defend/handler.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { refundPayIn } from '#functions/pay-ins/refund/handler.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { createPayout } from '#functions/payouts/create/handler.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { accountBalances } from '#test/support/account-balances.ts';
import type { Draws } from './bank-books.ts';
import type { Intent, PartnerMemory } from './bank-partner.ts';

/** Requests of a partner about what payers may claim back, by chance; it has heard of everything that there is. */
export function nextDisputeIntent(draws: Draws, items: readonly Item[], memory: PartnerMemory): Intent | undefined {
  memory.count += 1;
  const key = `d-${memory.count}`;
  const idsOf = (entity: string, status?: string): readonly string[] =>
    items
      .filter((item) => item['entity'] === entity && (status === undefined || item['status'] === status))
      .flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const one = (ids: readonly string[]): string | undefined => (ids.length === 0 ? undefined : draws.one(ids));
  const choice = draws.between(0, 100);
  const parts = draws.chance(0.5) ? {} : { amount: { currency: 'BRL', value: draws.one(['0.01', '1.00']) } };
  if (choice < 30) return emptying(key, draws, items);
  if (choice < 40) {
    const id = one(idsOf('PAY_IN', 'PAID'));
    const call = { companyId: companyOne, params: { id: id ?? '' }, key, body: parts };
    return id === undefined
      ? undefined
      : { name: `refund ${id} ${key}`, send: (deps) => caller(RefundPayIn, refundPayIn, deps)(call) };
  }
  if (choice < 50) {
    const id = one(idsOf('CREDIT', 'OPEN'));
    const call = { companyId: companyOne, params: { id: id ?? '' }, key, body: parts };
    return id === undefined
      ? undefined
      : { name: `return ${id} ${key}`, send: (deps) => caller(ReturnCredit, returnCredit, deps)(call) };
  }
  const id = one(idsOf('DISPUTE', 'OPEN')) ?? one(idsOf('DISPUTE'));
  if (id === undefined) return undefined;
  const documents = draws.chance(0.5) ? {} : { documents: [`https://partner.example/${key}`] };
  const call = {
    ...{ companyId: companyOne, params: { id }, key },
    body: { text: `Defence ${key}: the customer got it.`, ...documents },
  };
  return { name: `defend ${id} ${key}`, send: (deps) => caller(DefendDispute, defendDispute, deps)(call) };
}

/** A payout of all that an account has, so that what is claimed later is not there. */
function emptying(key: string, draws: Draws, items: readonly Item[]): Intent | undefined {
  const { accountId, available } = draws.one(accountBalances(items));
  if (available < 1) return undefined;
  const body = {
    ...{ externalId: `payout-${key}`, accountId, paymentMethod: 'PIX', receiver, description: 'All of it' },
    paymentData: { pixKey: '52998224725' },
    amount: { currency: 'BRL', value: formatAmount(centavos(Math.min(available, 1_500_000))) },
  };
  return {
    name: `payout ${key}`,
    send: (deps) => caller(CreatePayout, createPayout, deps)({ companyId: companyOne, key, body }),
  };
}
