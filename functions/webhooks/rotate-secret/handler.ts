import type { Operation } from '#shared/contract/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { overlapSeconds, replaceSecret, secretCreatedBy } from '#shared/webhooks/settings.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { newWebhookSecret } from '#shared/webhooks/dispatch/signature.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { readWebhookSecret, requireWebhookSecret, webhookSecretUpdate } from '#shared/webhooks/settings-store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { RotateWebhookSecret } from './contract.ts';

/**
 * Creates a new secret. The former secret also signs until the overlap ends. The idempotency key names the rotation: a
 * repetition reads the stored secret of that rotation. Secrets follow real time, not the company's clock.
 * @throws RequestError for a key used for another request, or for a key whose secret was replaced since
 */
export const rotateWebhookSecret: Operation<
  typeof RotateWebhookSecret,
  Pick<Dependencies, 'store' | 'realNow' | 'ids'>
> = async (request, { store, realNow, ids }) => {
  const { companyId } = request.caller;
  const overlap = request.body.overlapSeconds ?? overlapSeconds.usual;
  const view = (secret: string, createdAt: Instant) => ({
    secret,
    createdAt,
    previousSecretExpiresAt: plusSeconds(createdAt, overlap),
  });
  return createOnce({ store, now: realNow, realNow }, request, {
    operation: RotateWebhookSecret.operationId,
    keyLife: 'WEEK',
    find: async (read) => requireWebhookSecret((await read([keys.webhookSecret(companyId)]))[0]),
    decide: (current, at) => {
      const rotationId = ids.uuid();
      return { rotationId, secret: replaceSecret(current, { current: newWebhookSecret(), rotationId }, at, overlap) };
    },
    idOf: ({ rotationId }) => rotationId,
    change: ({ secret }) => ({ writes: [webhookSecretUpdate(secret)] }),
    response: ({ secret }) => ({ status: 200, body: view(secret.current, secret.createdAt) }),
    replay: async (rotationId) => {
      const created = secretCreatedBy(await readWebhookSecret(store, companyId), rotationId, realNow());
      if (created === undefined)
        throw forbiddenByState(
          'idempotency-key',
          'EXPIRED',
          'The secret that this key made has been replaced since. Rotate again with a new key.',
        );
      return { status: 200, body: view(created.secret, created.createdAt), replayed: true };
    },
  });
};

export const handler = endpoint(RotateWebhookSecret, rotateWebhookSecret, realTimeDependencies);
