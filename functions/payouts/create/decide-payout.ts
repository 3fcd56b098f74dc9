import type { RequestOf } from '../../../shared/contracts/contract.ts';
import { targetOf } from '../../../shared/contracts/payment-data.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { centavos, subtractCentavos } from '../../../shared/domain/money.ts';
import type { PayoutWithPayments } from '../../../shared/domain/payout.ts';
import type { Refusal } from '../../../shared/domain/refusal.ts';
import { forbiddenByState, notFound } from '../../../shared/domain/refusal.ts';
import { parseAccount } from '../../../shared/persistence/accounts.ts';
import type { Change } from '../../../shared/persistence/commit.ts';
import type { LedgerMove } from '../../../shared/persistence/ledger.ts';
import { parseBalance, refusedMove } from '../../../shared/persistence/ledger.ts';
import { payoutCreated } from '../../../shared/persistence/payouts.ts';
import type { Item } from '../../../shared/persistence/store.ts';
import { resolveTarget } from '../../../shared/provider/resolve-target.ts';
import type { BankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { CreatePayout } from './contract.ts';
import { amountsOf, openPayout } from './open-payout.ts';

type Request = RequestOf<typeof CreatePayout>;

/** What the request's one read found: whoever has the external id, the payer's account and its balance. */
export type Found = Readonly<Record<'taken' | 'account' | 'balance', Item | undefined>>;

/**
 * The payout, if nothing forbids it. What the bank is not needed for is judged first; money and account are judged again
 * by the transaction.
 */
export async function decidePayout(
  request: Request,
  found: Found,
  at: Instant,
  { bank, ids, settings }: BankDependencies,
): Promise<PayoutWithPayments> {
  const { body, caller } = request;
  if (found.account === undefined || found.balance === undefined) throw notFound('Account');
  const account = parseAccount(found.account);
  const amounts = amountsOf(body, account.pixTransactionLimit ?? centavos(settings.pixTransactionLimitCentavos));
  if (found.taken !== undefined) throw alreadyExists();
  const reservation = reservationOf(body, at, ids);
  const { accountStatus, available } = parseBalance(found.balance);
  if (accountStatus !== 'ACTIVE' || available < body.amount) throw refusedMove(reservation, found.balance);
  const { amount, receiver } = body;
  const wanted = { target: targetOf(body.paymentData), amount, receiver };
  const resolved = await resolveTarget(bank, wanted, { companyId: caller.companyId, at });
  return openPayout(request, account, resolved, amounts, { at, ids, ispb: settings.ispb });
}

/** Everything that a new payout writes; its key has no end, because it must never pay twice. */
export function creationOf(request: Request, order: PayoutWithPayments, { ids }: BankDependencies): Change {
  const { caller, body, idempotencyKey: key, fingerprint } = request;
  const { id: resourceId, externalId, createdAt: at } = order.payout;
  return {
    companyId: caller.companyId,
    at,
    idempotency: { operation: CreatePayout.operationId, key, fingerprint, resourceId },
    unique: { kind: 'PAYOUT', externalId, resourceId },
    ledger: [{ ...reservationOf(body, at, ids), orderId: resourceId }],
    writes: payoutCreated(caller.companyId, order),
  };
}

export function alreadyExists(): Refusal {
  return forbiddenByState('externalId', 'ALREADY_EXISTS', 'A payout with this externalId exists.');
}

function reservationOf({ accountId, amount }: Request['body'], at: Instant, ids: Ids): LedgerMove {
  const requireActive = true;
  const kind = 'PAYOUT_RESERVED';
  return {
    accountId,
    kind,
    available: subtractCentavos(centavos(0), amount),
    reserved: amount,
    at,
    entryId: ids.uuid(),
    requireActive,
  };
}
