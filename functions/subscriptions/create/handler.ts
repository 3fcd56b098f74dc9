import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { brasiliaDate } from '../../../shared/domain/brasilia-time.ts';
import { forbiddenByState, notFound, wrong } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { countStatus } from '../../../shared/operations/count-status.ts';
import { requireCallableUrl } from '../../../shared/notifications/registration.ts';
import { parseAccount } from '../../../shared/persistence/accounts.ts';
import { commit, rememberedKey, replayOf } from '../../../shared/persistence/commit.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import { readSubscription } from '../../../shared/persistence/subscriptions.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { createdSubscriptionView } from '../../../shared/views/subscription.ts';
import { CreateSubscription } from './contract.ts';
import { creationOf } from './creation-of.ts';
import { openSubscription } from './open-subscription.ts';

type Request = RequestOf<typeof CreateSubscription>;
type Answer = AnswerOf<typeof CreateSubscription>;

/**
 * Creates a subscription, and for journey 3 the order of its first charge, in one transaction (2.2, 2.3, 4.1).
 * @throws Refusal for a start in the past, an URL that may not be called, an account that is unknown or not active, an
 * external id that is taken, or a key used for another request.
 */
export async function createSubscription(request: Request, deps: Dependencies): Promise<Answer> {
  const { body, idempotencyKey, fingerprint } = request;
  const { companyId } = request.caller;
  const at = deps.now();
  const claimKey = idempotencyKey && keys.idempotency(companyId, CreateSubscription.operationId, idempotencyKey);
  const [accountItem, keyItem] = await deps.store.read([
    keys.account(companyId, body.accountId),
    ...(claimKey ? [claimKey] : []),
  ]);
  const remembered = rememberedKey(keyItem, at);
  if (remembered !== undefined) return replay(deps, companyId, replayOf(remembered, fingerprint));

  if (body.startDate < brasiliaDate(at))
    throw wrong('startDate', 'OUT_OF_RANGE', 'Must not be earlier than today in Brasilia.');
  await requireCallableUrl('webhookUrl', body.webhookUrl, deps.settings);
  if (accountItem === undefined) throw notFound('Account');
  const account = parseAccount(accountItem);
  if (account.status !== 'ACTIVE')
    throw forbiddenByState('accountId', 'INVALID_VALUE', `The account is ${account.status}; it must be ACTIVE.`);

  const opened = openSubscription(body, account, { at, ids: deps.ids, settings: deps.settings });
  const committed = await commit(deps.store, creationOf(request, opened, at));
  if (committed.ok) {
    countStatus('SUBSCRIPTION', opened.subscription.status);
    return { status: 201, body: createdSubscriptionView(opened.subscription) };
  }
  if (committed.because === 'REPLAY') return replay(deps, companyId, replayOf(committed.record, fingerprint));
  if (committed.because === 'ALREADY_EXISTS')
    throw forbiddenByState('externalId', 'ALREADY_EXISTS', 'A subscription with this externalId exists.');
  throw new StoreUnavailable('A new subscription met a conflict.');
}

/** The first answer again: everything in it is a fact of creation, which no move changes. */
async function replay(deps: Dependencies, companyId: string, id: string): Promise<Answer> {
  const found = await readSubscription(deps.store, companyId, id);
  if (found === undefined) throw new Error('An idempotency key names a subscription that does not exist.');
  return { status: 201, body: createdSubscriptionView(found.subscription), replayed: true };
}

export const handler = endpoint(CreateSubscription, createSubscription, dependencies);
