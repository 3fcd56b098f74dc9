import type { Operation } from '#shared/contract/contract.ts';
import { requireRefunding } from '#shared/bank/refunding.ts';
import { submitInTime } from '#shared/bank/submit-in-time.ts';
import { transactionId } from '#shared/core/identifiers.ts';
import { askAgainAt } from '#shared/core/resubmission.ts';
import { creditReturnChange, requireReturnable, submitReturn } from '#shared/credits/return.ts';
import { requestCreditReturn } from '#shared/credits/states.ts';
import { requireCredit } from '#shared/credits/store.ts';
import { createdCreditReturnView } from '#shared/credits/view.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { ReturnCredit } from './contract.ts';

/**
 * Reserves the amount of a return, then submits the return to the bank.
 * @throws RequestError 404; 409 for a credit that is not open, more than is left of it, an account that is not active
 * or has too little money; 422 for a key of another request
 */
export const returnCredit: Operation<typeof ReturnCredit, ReceivingDependencies> = async (request, deps) => {
  const { caller, params, body, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, realNow, bank } = deps;
  const read = () => requireCredit(store, companyId, params.id);
  return createOnce(deps, request, {
    operation: ReturnCredit.operationId,
    keyLife: 'FOR_EVER',
    find: read,
    decide: async (found, at) => {
      await requireReturnable({ store, companyId }, found.credit);
      await requireRefunding(bank, companyId, found.credit.connection);
      const asked = { id: transactionId(ids), at, createdBy, ...body };
      return { credit: found.credit, returned: requestCreditReturn(found, asked) };
    },
    idOf: ({ returned }) => returned.id,
    change: ({ returned }, found, at) =>
      creditReturnChange(companyId, found, returned, {
        at,
        entryId: ids.uuid(),
        requireActive: true,
        // After a crash its worker looks it up later than the bank's reads lag.
        due: askAgainAt(realNow()),
      }),
    response: async ({ credit, returned }) => {
      const context = { store, ids, bank, at: returned.createdAt, realNow, companyId, requestId };
      const command = { companyId, requestId, creditId: returned.creditId };
      await submitInTime(() => submitReturn(context, { credit, returned }, { again: false }), command);
      return { status: 201, body: createdCreditReturnView(returned) };
    },
    replay: async (id) => {
      const returned = (await read()).returns.find((candidate) => candidate.id === id);
      if (returned === undefined) throw new Error('An idempotency key names a return that does not exist.');
      return { status: 201, body: createdCreditReturnView(returned), replayed: true };
    },
  });
};

export const handler = endpoint(ReturnCredit, returnCredit, receivingDependencies);
