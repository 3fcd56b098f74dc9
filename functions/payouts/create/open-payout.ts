import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Account } from '../../../shared/domain/account.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { endToEndId, maxChildren, strControlNumber } from '../../../shared/domain/identifiers.ts';
import type { Centavos } from '../../../shared/domain/money.ts';
import { formatAmount } from '../../../shared/domain/money.ts';
import { ownerBankOf } from '../../../shared/domain/owner-bank.ts';
import type { PayoutWithPayments } from '../../../shared/domain/payout.ts';
import { splitAmount } from '../../../shared/domain/payout-batch.ts';
import { wrong } from '../../../shared/domain/refusal.ts';
import { tedSendingTime } from '../../../shared/domain/ted-calendar.ts';
import type { ResolvedTarget } from '../../../shared/provider/resolve-target.ts';
import type { CreatePayout } from './contract.ts';

type Request = RequestOf<typeof CreatePayout>;
type Source = { readonly at: Instant; readonly ids: Ids; readonly ispb: string };

/**
 * The amounts in which a payout is sent: several for a PIX payout above the limit of one transaction.
 * @throws Refusal 400 when it would take more than 90 payments.
 */
export function amountsOf({ paymentMethod, amount }: Request['body'], limit: Centavos): readonly Centavos[] {
  if (paymentMethod === 'TED') return [amount];
  const amounts = splitAmount(amount, limit);
  if (amounts !== undefined) return amounts;
  const most = `${maxChildren} payments of ${formatAmount(limit)}`;
  throw wrong('amount.value', 'OUT_OF_RANGE', `A PIX payout from this account is at most ${most}.`);
}

/** The payout that a request asks for, with everything about it that will never change. */
export function openPayout(
  { body, idempotencyKey }: Pick<Request, 'body' | 'idempotencyKey'>,
  account: Account,
  resolved: ResolvedTarget,
  amounts: readonly Centavos[],
  { at, ids, ispb }: Source,
): PayoutWithPayments {
  const { externalId, accountId, paymentMethod, amount, description } = body;
  const split = amounts.length > 1;
  const payments = (split ? amounts : []).map((part, index) => ({
    sequence: index + 1,
    amount: part,
    status: 'PENDING' as const,
    endToEndId: endToEndId(ispb, at, ids),
    updatedAt: at,
  }));
  const sendAt = paymentMethod === 'TED' ? tedSendingTime(at) : at;
  const reference =
    paymentMethod === 'PIX'
      ? { endToEndId: payments[0]?.endToEndId ?? endToEndId(ispb, at, ids) }
      : sendAt === at && { controlNumber: strControlNumber(at, ids) };
  return {
    payout: {
      id: ids.orderId(),
      externalId,
      accountId,
      paymentMethod,
      amount,
      description,
      ...resolved,
      ownerBank: ownerBankOf(account),
      idempotencyKey,
      ...reference,
      sendAt,
      createdAt: at,
      status: 'PENDING',
      updatedAt: at,
      version: 1,
    },
    payments,
  };
}
