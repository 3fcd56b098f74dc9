import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { requireCallableUrl } from '#shared/platform/target-guard.ts';
import { bankReference } from '#shared/platform/order-items.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { recurrenceBankTimeMs, timeForBank } from '#shared/bank/submit-in-time.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { requireActiveAccount } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { prepareSubscription, subscriptionChange } from '#shared/subscriptions/create.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { createdSubscriptionView } from '#shared/subscriptions/view.ts';
import { CreateSubscription } from './contract.ts';

/**
 * Creates a subscription, in journey 3 with the order of its first charge, in one transaction (2.2, 2.3, 4.1). Before
 * that the bank opens the recurrence; if the bank refuses it, the subscription gets the status `ERROR` and its
 * notification.
 * @throws RequestError 400 for the start date or the URL; 404 or 409 for the account; 409 for a taken external id; 422
 * for a key of another request
 * @throws BankUnavailable
 */
export const createSubscription: Operation<typeof CreateSubscription, ReceivingDependencies> = async (
  request,
  deps,
) => {
  const { body, caller, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { externalId } = body;
  const { operationId: operation } = CreateSubscription;
  const reference = (part: string): string => bankReference(request, { operation, externalId, part });
  const remainingMs = timeForBank(deps.elapsedMs, recurrenceBankTimeMs);
  const references = { recurrence: reference('RECURRENCE'), charge: reference('CHARGE') };
  return createOnce(deps, request, {
    operation,
    keyLife: 'WEEK',
    find: (read) => read([keys.account(companyId, body.accountId)]),
    decide: async ([account], at) => {
      await requireCallableUrl('webhookUrl', body.webhookUrl, deps.settings);
      const source = { at, companyId, references, remainingMs, createdBy };
      return prepareSubscription(body, requireActiveAccount(account), source, deps);
    },
    unique: {
      kind: 'SUBSCRIPTION',
      externalId,
      resourceName: 'subscription',
      listed: ({ subscription }) => ({ createdAt: subscription.createdAt, accountId: subscription.receiver.id }),
    },
    idOf: ({ subscription }) => subscription.id,
    change: (created, _found, at) => subscriptionChange(companyId, created, { ids: deps.ids, at, requestId }),
    response: ({ subscription }) => {
      countStatus('SUBSCRIPTION', subscription.status);
      return { status: 201, body: createdSubscriptionView(subscription) };
    },
    replay: async (id) => {
      const found = await readSubscription(deps.store, companyId, id, 'LATEST');
      if (found === undefined) throw new Error('An idempotency key names a subscription that does not exist.');
      return { status: 201, body: createdSubscriptionView(found.subscription), replayed: true };
    },
  });
};

export const handler = endpoint(CreateSubscription, createSubscription, receivingDependencies);
