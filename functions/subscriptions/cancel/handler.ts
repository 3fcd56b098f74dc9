import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { requestCancellation } from '../../../shared/domain/subscription.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { commit, keyExpiry, replayOf, untilCommitted } from '../../../shared/persistence/commit.ts';
import { cancellationWritten, readSubscription, subscriptionMoved } from '../../../shared/persistence/subscriptions.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { cancellationView } from '../../../shared/views/subscription.ts';
import { CancelSubscription } from './contract.ts';
import { replay } from './replay.ts';

type Request = RequestOf<typeof CancelSubscription>;
type Answer = AnswerOf<typeof CancelSubscription>;

/**
 * Requests the end of a recurrence (2.5). The subscription's version moves along, so that of two requests at once one
 * finds the other open.
 * @throws Refusal when the subscription is unknown, not accepted, or has an open request.
 */
export async function cancelSubscription(request: Request, deps: Dependencies): Promise<Answer> {
  const { caller, params, body, idempotencyKey, fingerprint } = request;
  const { companyId } = caller;
  return untilCommitted(async () => {
    const at = deps.now();
    const current = await readSubscription(deps.store, companyId, params.id);
    if (current === undefined) throw notFound('Subscription');
    const mine = current.cancellations.filter((one) => one.idempotencyKey === idempotencyKey);
    const replayed = mine.length > 0 && (await replay(deps, request, mine));
    if (replayed) return replayed;

    const { subscription } = current;
    const { reason, customer } = body;
    const id = deps.ids.uuid();
    const cancellation = requestCancellation(current, {
      id,
      idempotencyKey,
      reason,
      at,
      ...(customer && { customer }),
    });
    const operation = CancelSubscription.operationId;
    const committed = await commit(deps.store, {
      companyId,
      at,
      idempotency: { operation, key: idempotencyKey, fingerprint, resourceId: id, expiresAt: keyExpiry(at) },
      writes: [
        subscriptionMoved(companyId, subscription, {
          ...subscription,
          updatedAt: at,
          version: subscription.version + 1,
        }),
        cancellationWritten(companyId, cancellation),
      ],
    });
    if (committed.ok) return { status: 201, body: cancellationView(cancellation) };
    if (committed.because !== 'REPLAY') return undefined;
    // The key was used meanwhile: by an equal request, which the next read finds, or for another one.
    replayOf(committed.record, fingerprint);
    return undefined;
  });
}

export const handler = endpoint(CancelSubscription, cancelSubscription, dependencies);
