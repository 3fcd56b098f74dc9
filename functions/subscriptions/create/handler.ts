import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { requireCallableUrl } from '#shared/webhooks/dispatch/target-guard.ts';
import { bankReference } from '#shared/platform/order-items.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
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
 * Creates a subscription, and for journey 3 the order of its first charge, in one transaction (2.2, 2.3, 4.1). The bank
 * opens the recurrence first; one that it refuses is created in `ERROR`, with its notification. Everything in the
 * answer is a fact of creation, which no transition changes.
 * @throws Refusal for a start in the past, a URL that may not be called, an account that is unknown, not active or not
 * a company's, an external id that is taken, or a key used for another request. @throws BankUnavailable: nothing was
 * written.
 */
export const createSubscription: Operation<typeof CreateSubscription, ReceivingDependencies> = async (
  request,
  deps,
) => {
  const { body, caller, requestId } = request;
  const { companyId } = caller;
  const { externalId } = body;
  const { operationId: operation } = CreateSubscription;
  const reference = (part: string): string => bankReference(request, { operation, externalId, part });
  const references = { recurrence: reference('RECURRENCE'), charge: reference('CHARGE') };
  return createOnce(deps, request, {
    operation,
    keyLife: 'WEEK',
    find: (read) => read([keys.account(companyId, body.accountId)]),
    decide: async ([account], at) => {
      await requireCallableUrl('webhookUrl', body.webhookUrl, deps.settings);
      return prepareSubscription(body, requireActiveAccount(account), { at, companyId, references }, deps);
    },
    unique: {
      kind: 'SUBSCRIPTION',
      externalId,
      what: 'subscription',
      listed: ({ subscription }) => ({ createdAt: subscription.createdAt, accountId: subscription.receiver.id }),
    },
    idOf: ({ subscription }) => subscription.id,
    change: (made, _found, at) => subscriptionChange(companyId, made, { ids: deps.ids, at, requestId }),
    answer: ({ subscription }) => {
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
