import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import { rotate } from '../../../shared/domain/webhook-secret.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { newWebhookSecret } from '../../../shared/notifications/new-secret.ts';
import { untilCommitted } from '../../../shared/persistence/commit.ts';
import { readWebhookSecret, writeWebhookSecret } from '../../../shared/persistence/webhook-settings.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { RotateWebhookSecret } from './contract.ts';

const defaultOverlapSeconds = 86_400;

/** A new secret; the present one signs beside it until the overlap ends. */
export async function rotateWebhookSecret(
  { caller, body }: RequestOf<typeof RotateWebhookSecret>,
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
): Promise<AnswerOf<typeof RotateWebhookSecret>> {
  const { overlapSeconds = defaultOverlapSeconds } = body;
  const { current, createdAt } = await untilCommitted(async () => {
    const present = await readWebhookSecret(store, caller.companyId);
    const next = rotate(present, newWebhookSecret(), now(), overlapSeconds);
    return (await writeWebhookSecret(store, next)) ? next : undefined;
  });
  const previousSecretExpiresAt = plusSeconds(createdAt, overlapSeconds);
  return { status: 200, body: { secret: current, createdAt, previousSecretExpiresAt } };
}

export const handler = endpoint(RotateWebhookSecret, rotateWebhookSecret, dependencies);
