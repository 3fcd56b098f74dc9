import type { RequestOf } from '#shared/contract/contract.ts';
import { targetOf } from '#shared/payouts/payment-data.ts';
import type { Account } from '#shared/platform/ledger/account.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { maxChildren, payoutEndToEndIds, strControlNumber } from '#shared/core/identifiers.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount, subtractCentavos } from '#shared/core/money.ts';
import { ownerBankOf } from '#shared/bank/owner-bank.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import { splitAmount } from '#shared/payouts/model.ts';
import { notFound, wrong } from '#shared/core/errors.ts';
import { tedSendingTime } from '#shared/payouts/ted-calendar.ts';
import { parseAccount } from '#shared/accounts/store.ts';
import { parseBalance, refusedMove } from '#shared/platform/ledger/ledger.ts';
import { payoutIdOf } from '#shared/platform/order-reference.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { ResolvedTarget } from '#shared/payouts/resolve-target.ts';
import { resolveTarget } from '#shared/payouts/resolve-target.ts';
import type { PayingDependencies } from '#shared/bank-wiring/paying-bank.ts';
import type { CreatePayout } from './contract.ts';

type Request = RequestOf<typeof CreatePayout>;

/** What the request's one read found: the payer's account and its balance. */
type Found = Readonly<Record<'account' | 'balance', Item | undefined>>;

/**
 * The payout that a request asks for, if nothing forbids it. What the bank is not needed for comes first; the
 * transaction checks money and account again.
 * @throws Refusal 404 for an unknown account; 409 for one that is not active or short of money, and for a receiver who
 * is not the owner; 400 for a target that cannot be paid. @throws BankUnavailable.
 */
export async function preparePayout(
  request: Request,
  found: Found,
  at: Instant,
  { bank, ids, settings }: PayingDependencies,
): Promise<PayoutWithPayments> {
  const { body, caller } = request;
  if (found.account === undefined || found.balance === undefined) throw notFound('Account');
  const account = parseAccount(found.account);
  const amounts = amountsOf(body, account.pixTransactionLimit ?? centavos(settings.pixTransactionLimitCentavos));
  const { accountStatus, available } = parseBalance(found.balance);
  const { amount, receiver } = body;
  if (accountStatus !== 'ACTIVE' || available < amount) {
    const reservation = { available: subtractCentavos(centavos(0), amount), reserved: amount };
    throw refusedMove({ ...reservation, requireActive: true }, found.balance);
  }
  const wanted = { target: targetOf(body.paymentData), amount, receiver, accountId: account.id };
  const resolved = await resolveTarget(bank.directory, wanted, { companyId: caller.companyId, at });
  return payoutFor(request, account, resolved, amounts, { at, ids, ispb: settings.ispb });
}

/**
 * The amounts in which a payout is sent: several for a PIX payout above the limit of one transaction.
 * @throws Refusal 400 when it would take more than 90 payments.
 */
function amountsOf({ paymentMethod, amount }: Request['body'], limit: Centavos): readonly Centavos[] {
  if (paymentMethod === 'TED') return [amount];
  const amounts = splitAmount(amount, limit);
  if (amounts !== undefined) return amounts;
  const most = `${maxChildren} payments of ${formatAmount(limit)}`;
  throw wrong('amount.value', 'OUT_OF_RANGE', `A PIX payout from this account is at most ${most}.`);
}

/** The payout with everything about it that will never change. */
function payoutFor(
  { body, caller, idempotencyKey }: Pick<Request, 'body' | 'caller' | 'idempotencyKey'>,
  account: Account,
  resolved: ResolvedTarget,
  amounts: readonly Centavos[],
  { at, ids, ispb }: { readonly at: Instant; readonly ids: Ids; readonly ispb: string },
): PayoutWithPayments {
  const { externalId, accountId, paymentMethod, amount, description, paymentData } = body;
  const split = amounts.length > 1;
  const parts = split ? amounts : [];
  const [endToEndId, ...further] = payoutEndToEndIds({ ispb, instant: at, ids }, parts.length);
  const payments = parts.map((part, index) => ({
    sequence: index + 1,
    amount: part,
    status: 'PENDING' as const,
    endToEndId: further[index - 1] ?? endToEndId,
    updatedAt: at,
  }));
  const sendAt = paymentMethod === 'TED' ? tedSendingTime(at) : at;
  const reference =
    paymentMethod === 'PIX'
      ? { id: payoutIdOf(caller.companyId, endToEndId), endToEndId }
      : { id: ids.orderId(), ...(sendAt === at && { controlNumber: strControlNumber(at, ids) }) };
  return {
    payout: {
      externalId,
      accountId,
      paymentMethod,
      amount,
      description,
      paymentData,
      ...resolved,
      ownerBank: ownerBankOf(account),
      idempotencyKey,
      ...reference,
      sendAt,
      createdAt: at,
      status: 'PENDING',
      updatedAt: at,
      ...(split && { openPayments: payments.length }),
      version: 1,
    },
    payments,
  };
}
