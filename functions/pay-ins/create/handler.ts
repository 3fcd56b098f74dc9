import { createdPayIn } from '#shared/pay-ins/model.ts';
import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { bankReference } from '#shared/platform/order-items.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { payInTransitionNotification } from '#shared/pay-ins/transition.ts';
import { requireActiveAccount } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { preparePayIn } from '#shared/pay-ins/create.ts';
import { payInInsert, readPayIn } from '#shared/pay-ins/store.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { CreatePayIn } from './contract.ts';

/**
 * Creates a pay-in with its QR code (2.6). If the bank refuses the charge, the pay-in gets the status `ERROR` and its
 * notification.
 * @throws RequestError 404 or 409 for the account; 409 for a taken external id; 422 for a key of another request
 * @throws BankUnavailable
 */
export const createPayIn: Operation<typeof CreatePayIn, ReceivingDependencies> = async (request, deps) => {
  const { body, caller, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { operationId: operation } = CreatePayIn;
  const reference = bankReference(request, { operation, externalId: body.externalId, part: 'CHARGE' });
  return createOnce(deps, request, {
    operation,
    keyLife: 'WEEK',
    find: (read) => read([keys.account(companyId, body.accountId)]),
    decide: ([account], at) =>
      preparePayIn(body, requireActiveAccount(account), { at, reference, companyId, createdBy }, deps),
    unique: { kind: 'PAY_IN', externalId: body.externalId, resourceName: 'pay-in', listed: (payIn) => payIn },
    idOf: ({ id }) => id,
    change: (payIn) => ({
      writes: [payInInsert(companyId, payIn)],
      notifications:
        payIn.status === 'PENDING' ? [] : [payInTransitionNotification(payIn, { ids: deps.ids, requestId })],
    }),
    response: (payIn) => {
      countStatus('PAY_IN', payIn.status);
      return { status: 201, body: payInView(createdPayIn(payIn)) };
    },
    replay: async (id) => {
      const payIn = await readPayIn(deps.store, companyId, id);
      if (payIn === undefined) throw new Error('An idempotency key names a pay-in that does not exist.');
      return { status: 201, body: payInView(createdPayIn(payIn)), replayed: true };
    },
  });
};

export const handler = endpoint(CreatePayIn, createPayIn, receivingDependencies);
