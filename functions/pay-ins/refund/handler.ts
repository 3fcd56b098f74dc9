import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { transactionId } from '../../../shared/domain/identifiers.ts';
import type { Refund } from '../../../shared/domain/refund.ts';
import { requestRefund } from '../../../shared/domain/refund.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { unlessReplayed } from '../../../shared/operations/unless-replayed.ts';
import type { IdempotencyRecord } from '../../../shared/persistence/commit.ts';
import { commit, replayOf, untilCommitted } from '../../../shared/persistence/commit.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import type { PayInOrder } from '../../../shared/persistence/orders.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { amountView } from '../../../shared/views/amount.ts';
import { RefundPayIn } from './contract.ts';
import { creationOf } from './refund-creation.ts';

type Request = RequestOf<typeof RefundPayIn>;
type Answer = AnswerOf<typeof RefundPayIn>;

/**
 * Asks for a refund and reserves its amount. The key is looked at only when something forbids the refund: what an equal
 * request has done already shows as that, or in the transaction.
 * @throws Refusal for a pay-in that is unknown, not paid, refunded or being refunded already, or too long paid; for an
 * account that cannot pay it; for a key used for another request.
 */
export async function refundPayIn(request: Request, { store, ids, now }: Dependencies): Promise<Answer> {
  const { caller, params, body, idempotencyKey } = request;
  const { companyId } = caller;
  const key = keys.idempotency(companyId, RefundPayIn.operationId, idempotencyKey);
  return untilCommitted<Answer>(async () => {
    const at = now();
    const order = await readPayIn(store, companyId, params.id);
    const wanted = { id: transactionId(ids), at, description: body.description };
    const outcome = await unlessReplayed({ store, key, at }, () => requestRefund(order, wanted));
    if ('record' in outcome) return replay(request, store, outcome.record);
    const refund = outcome.decided;
    const committed = await commit(store, creationOf(request, order, refund, { at, entryId: ids.uuid() }));
    if (committed.ok) return { status: 201, body: view(refund) };
    if (committed.because === 'REPLAY') return replay(request, store, committed.record);
    if (committed.because === 'BALANCE' && !committed.stale) throw committed.refusal;
    return undefined;
  });
}

async function replay(
  { caller, params, fingerprint }: Request,
  store: Store,
  record: IdempotencyRecord,
): Promise<Answer> {
  const id = replayOf(record, fingerprint);
  const { refunds } = await readPayIn(store, caller.companyId, params.id);
  const refund = refunds.find((one) => one.id === id);
  if (refund === undefined) throw new Error('An idempotency key names a refund that does not exist.');
  return { status: 201, body: view(refund), replayed: true };
}

async function readPayIn(store: Store, companyId: string, id: string): Promise<PayInOrder> {
  const order = await readOrder(store, companyId, id);
  if (order?.kind !== 'PAY_IN' || order.payIn.id !== id.toLowerCase()) throw notFound('Pay-in');
  return order;
}

/** As it was when it was asked for, whatever became of it since. */
function view({ id, orderId, amount, createdAt }: Refund): Answer['body'] {
  return { refundId: id, orderId, amount: amountView(amount), status: 'PENDING', createdAt };
}

export const handler = endpoint(RefundPayIn, refundPayIn, dependencies);
