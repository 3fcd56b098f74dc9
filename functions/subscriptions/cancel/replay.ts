import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import type { Cancellation } from '../../../shared/domain/subscription.ts';
import { cancellationAsMade } from '../../../shared/domain/subscription.ts';
import { rememberedKey, replayOf } from '../../../shared/persistence/commit.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { cancellationView } from '../../../shared/views/subscription.ts';
import { CancelSubscription } from './contract.ts';

/**
 * The first answer again, out of the requests that carry this key. Undefined where the key may be used anew: its memory
 * has expired, or it is the id that a request of the payer carries in place of a key.
 * @throws Refusal 422 when the key was used for another request.
 */
export async function replay(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  { caller, idempotencyKey, fingerprint }: RequestOf<typeof CancelSubscription>,
  candidates: readonly Cancellation[],
): Promise<AnswerOf<typeof CancelSubscription> | undefined> {
  const [item] = await store.read([keys.idempotency(caller.companyId, CancelSubscription.operationId, idempotencyKey)]);
  const remembered = rememberedKey(item, now());
  const id = remembered && replayOf(remembered, fingerprint);
  const made = candidates.find((one) => one.id === id);
  return made && { status: 201, body: cancellationView(cancellationAsMade(made)), replayed: true };
}
