import type { Operation } from '#shared/contract/contract.ts';
import { newResend, readResend, resendInsert } from '#shared/webhooks/deliveries/resend.ts';
import { badRequest } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { takeCall } from '#shared/platform/rate-limit.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { resendView } from '#shared/webhooks/view.ts';
import { ResendDeliveries } from './contract.ts';

/**
 * Creates a resend of the notifications since `createdFrom` that were not delivered; the sweep runs it.
 * @throws RequestError for a time that is not past; for too many calls; for a key used for another request.
 */
export const beginResend: Operation<typeof ResendDeliveries, Pick<Dependencies, 'store' | 'realNow' | 'ids'>> = async (
  request,
  { store, realNow, ids },
) => {
  const { caller, body, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { createdFrom } = body;
  return createOnce({ store, now: realNow, realNow }, request, {
    operation: ResendDeliveries.operationId,
    keyLife: 'WEEK',
    find: (read) => read([]),
    decide: async (_found, createdAt) => {
      if (createdFrom >= createdAt) throw badRequest('createdFrom', 'OUT_OF_RANGE', 'Must be earlier than now.');
      await takeCall({ store, now: realNow }, companyId, 'RESEND');
      return newResend({ companyId, id: ids.uuid(), createdFrom, requestId, createdAt, createdBy });
    },
    idOf: ({ id }) => id,
    change: (resend) => ({ writes: [resendInsert(resend)] }),
    response: (resend) => ({ status: 202 as const, body: resendView(resend) }),
    replay: async (id) => {
      const resend = await readResend(store, companyId, id);
      if (resend === undefined) throw new Error('An idempotency key names a resend that does not exist.');
      return { status: 202 as const, body: resendView(newResend(resend)), replayed: true };
    },
  });
};

export const handler = endpoint(ResendDeliveries, beginResend, realTimeDependencies);
