import { targetOf } from './payment-data.ts';
import type { Account } from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import { maxChildren, strControlNumber } from '../core/identifiers.ts';
import type { Centavos } from '../core/money.ts';
import { centavos, formatAmount, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { ownerBankOf } from '../bank/owner-bank.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import { splitAmount } from './model.ts';
import { notFound, badRequest } from '../core/errors.ts';
import { tedSendingTime } from './ted-calendar.ts';
import { parseAccount } from '../accounts/store.ts';
import { accountNotActive } from '../platform/ledger/balance.ts';
import { insufficientBalance, parseShard } from '../platform/ledger/ledger.ts';
import { anyShard, mayHave } from '../platform/ledger/shards.ts';
import type { Item, Store } from '../platform/table/store.ts';
import type { ResolvedTarget } from './resolve-target.ts';
import { resolveTarget } from './resolve-target.ts';
import type { Party } from '../core/party.ts';
import type { Bank } from '../bank/bank.ts';
import type { Change } from '../platform/commit.ts';
import { withEndToEndIds } from './payment-orders.ts';
import { requireCapable } from './capable.ts';
import type { EqualPayout } from './equal-payouts.ts';
import { equalPayoutPut, requireNoEqual } from './equal-payouts.ts';
import { entryReferences } from './entry-references.ts';
import { payoutInserts } from './store.ts';

type PayoutRequest = {
  readonly companyId: string;
  readonly idempotencyKey: string;
  readonly createdBy: string;
  readonly body: Pick<
    Payout,
    'externalId' | 'accountId' | 'paymentMethod' | 'amount' | 'description' | 'paymentData'
  > & { readonly receiver?: Party | undefined; readonly allowDuplicate?: boolean | undefined };
};

/** A payout that was prepared; `equal` where its account refuses equal ones. */
type PreparedPayout = PayoutWithPayments & { readonly equal?: EqualPayout };

type PayoutDependencies = {
  readonly store: Store;
  /** Takes one of the payouts that the account may create in this minute. @throws RequestError 429 */
  readonly takePlace: (account: Account) => Promise<void>;
  readonly bank: Pick<Bank, 'directory' | 'payouts' | 'capabilities' | 'connectionOf'>;
  readonly ids: Ids;
  readonly settings: { readonly pixTransactionLimitCentavos: number };
};

type PayerItems = Readonly<Record<'account' | 'balance', Item | undefined>>;

/**
 * Returns the payout of a request. The bank is called last; the transaction checks balance and account again.
 * @throws RequestError 404 unknown account; 409 account not active, balance too low, equal payout that its account
 * refuses, other owner, or a bank that cannot make such a payout; 429 too many payouts of the account; 400 target not
 * payable.
 * @throws BankUnavailable
 */
export async function preparePayout(
  request: PayoutRequest,
  found: PayerItems,
  at: Instant,
  { bank, ids, settings, store, takePlace }: PayoutDependencies,
): Promise<PreparedPayout> {
  const { body, companyId } = request;
  if (found.account === undefined || found.balance === undefined) throw notFound('Account');
  const account = parseAccount(found.account);
  const limit = account.pixTransactionLimit ?? centavos(settings.pixTransactionLimitCentavos);
  const amounts = amountsOf(body, limit);
  const { amount, receiver, allowDuplicate = false } = body;
  const first = parseShard(found.balance);
  if (first.accountStatus !== 'ACTIVE') throw accountNotActive(first.accountStatus);
  if (!(await mayHave(store, companyId, first, amount))) throw insufficientBalance();
  const target = targetOf(body.paymentData);
  const equal = await requireNoEqual(store, { account, target, amount, allowDuplicate }, at);
  await takePlace(account);
  const connection = await bank.connectionOf(companyId, account.id);
  const context = { companyId, connection, at };
  const { payouts: can, keyLookup } = await bank.capabilities(companyId, connection);
  requireCapable(can, body.paymentMethod, target);
  if (amounts.length > 1 && target.initiation === 'DYNAMIC_QRCODE' && !can.dynamicCodeInParts)
    throw badRequest('amount.value', 'OUT_OF_RANGE', wholeCode(limit));
  const wanted = { target, amount, receiver, accountId: account.id, keyLookup };
  const resolved = await resolveTarget(bank.directory, wanted, context);
  // A first shard below zero must get money from the others before any is reserved.
  const shard = first.available < 0 ? {} : anyShard(account, ids);
  const payout = payoutFor(request, account, resolved, amounts, { at, ids, connection, ...shard });
  return { ...(await withEndToEndIds(bank, payout, context)), ...(equal && { equal }) };
}

/**
 * Returns the amounts of the payments: several, above the limit of one PIX. @throws RequestError 400 beyond 90 payments
 */
function amountsOf({ paymentMethod, amount }: PayoutRequest['body'], limit: Centavos): readonly Centavos[] {
  if (paymentMethod === 'TED') return [amount];
  const amounts = splitAmount(amount, limit);
  if (amounts !== undefined) return amounts;
  const most = `${maxChildren} payments of ${formatAmount(limit)}`;
  throw badRequest('amount.value', 'OUT_OF_RANGE', `A PIX payout from this account is at most ${most}.`);
}

function wholeCode(limit: Centavos): string {
  return `The bank of the account pays a dynamic QR code as a whole, by one PIX: at most ${formatAmount(limit)}.`;
}

function payoutFor(
  { body, idempotencyKey, createdBy }: PayoutRequest,
  account: Account,
  resolved: ResolvedTarget,
  amounts: readonly Centavos[],
  {
    at,
    ids,
    ...rest
  }: Pick<PayoutDependencies, 'ids'> &
    Pick<Payout, 'shard'> & { readonly at: Instant; readonly connection: string | undefined },
): PayoutWithPayments {
  const { externalId, accountId, paymentMethod, amount, description, paymentData } = body;
  const split = amounts.length > 1;
  const parts = split ? amounts : [];
  const payments = parts.map((part, index) => ({
    sequence: index + 1,
    amount: part,
    status: 'PENDING' as const,
    updatedAt: at,
    ...(index === 0 && pick(resolved, 'endToEndId')),
  }));
  const sendAt = paymentMethod === 'TED' ? tedSendingTime(at) : at;
  const isSentNow = paymentMethod === 'TED' && sendAt === at;
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
      ...pick(rest, 'shard', 'connection'),
      idempotencyKey,
      id: ids.orderId(),
      ...(isSentNow && { controlNumber: strControlNumber(at, ids) }),
      sendAt,
      createdAt: at,
      createdBy,
      status: 'PENDING',
      updatedAt: at,
      ...(split && { openPayments: payments.length }),
      version: 1,
    },
    payments,
  };
}

/** Returns the writes of a new payout and its payments, and the entry that reserves its amount in an active account. */
export function payoutChange(
  companyId: string,
  order: PreparedPayout,
  entryId: string,
): Pick<Change, 'ledger' | 'writes'> {
  const { amount, createdAt: at } = order.payout;
  const available = subtractCentavos(centavos(0), amount);
  const account = pick(order.payout, 'accountId', 'shard');
  const reservation = {
    ...account,
    ...entryReferences(order.payout, order.payments),
    available,
    reserved: amount,
    at,
    entryId,
  };
  return {
    ledger: [{ ...reservation, kind: 'PAYOUT_RESERVED', requireActive: true }],
    writes: [...payoutInserts(companyId, order), ...(order.equal ? [equalPayoutPut(order.equal, order.payout)] : [])],
  };
}
