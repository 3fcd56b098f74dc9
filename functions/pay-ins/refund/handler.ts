import type { Operation } from '#shared/contract/contract.ts';
import { transactionId } from '#shared/core/identifiers.ts';
import { requestRefund } from '#shared/refunds/states.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { requireRefunding } from '#shared/bank/refunding.ts';
import { submitInTime } from '#shared/bank/submit-in-time.ts';
import { refundChange } from '#shared/refunds/transition.ts';
import { submitRefund } from '#shared/refunds/submit.ts';
import { requirePayInWithRefunds } from '#shared/refunds/store.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { createdRefundView } from '#shared/refunds/view.ts';
import { RefundPayIn } from './contract.ts';

/**
 * Reserves the amount of a refund, then submits the refund to the bank.
 * @throws RequestError 404; 409 for a pay-in that cannot be refunded, more than is left of it, an account that is not
 * active or has too little money; 422 for a key of another request
 */
export const refundPayIn: Operation<typeof RefundPayIn, ReceivingDependencies> = async (request, deps) => {
  const { caller, params, body, requestId, idempotencyKey } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, realNow, bank } = deps;
  const read = () => requirePayInWithRefunds(store, companyId, params.id);
  return createOnce(deps, request, {
    operation: RefundPayIn.operationId,
    keyLife: 'FOR_EVER',
    find: read,
    decide: async (order, at) => {
      await requireRefunding(bank, companyId, order.payIn.connection);
      const refund = requestRefund(order, { id: transactionId(ids), at, createdBy, ...body });
      return { payIn: order.payIn, refund };
    },
    idOf: ({ refund }) => refund.id,
    change: ({ refund }, order, at) =>
      refundChange(companyId, order, refund, { at, entryId: ids.uuid(), idempotencyKey }),
    response: async ({ payIn, refund }) => {
      const context = { store, ids, bank, at: refund.createdAt, realNow, companyId, requestId };
      const command = { companyId, requestId, orderId: refund.orderId };
      await submitInTime(() => submitRefund(context, { payIn, refund }, { again: false }), command);
      return { status: 201, body: createdRefundView(refund) };
    },
    replay: async (id) => {
      const refund = (await read()).refunds.find((candidate) => candidate.id === id);
      if (refund === undefined) throw new Error('An idempotency key names a refund that does not exist.');
      return { status: 201, body: createdRefundView(refund), replayed: true };
    },
  });
};

export const handler = endpoint(RefundPayIn, refundPayIn, receivingDependencies);
