import type { Operation } from '#shared/contract/contract.ts';
import { assign } from '#shared/pay-ins/assign-credit.ts';
import { creditView } from '#shared/credits/view.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { AssignCredit } from './contract.ts';

/** Lets a credit pay a pay-in. @throws RequestError 404; 409 for what cannot be assigned */
export const assignCredit: Operation<typeof AssignCredit, ReceivingDependencies> = async (
  { caller: { companyId, clientId: assignedBy }, params, body: { orderId }, requestId },
  { store, ids, now, realNow, bank },
) => {
  const context = { store, ids, bank, at: now(), realNow, companyId, requestId };
  return { status: 200, body: creditView(await assign(context, { creditId: params.id, orderId, assignedBy })) };
};

export const handler = endpoint(AssignCredit, assignCredit, receivingDependencies);
