import type { Operation } from '#shared/contract/contract.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { describeEndpoint, isKnownEndpoint } from '#shared/webhooks/endpoints.ts';
import { circuitsOf } from '#shared/webhooks/health/health.ts';
import { readEndpoints, releaseEndpoint, writeEndpoints } from '#shared/webhooks/health/operations.ts';
import { ReleaseEndpoint } from './contract.ts';

type Deps = Pick<Dependencies, 'store' | 'realNow' | 'ids'>;

/**
 * Releases an endpoint that failed, so that its deliveries are sent again.
 * @throws RequestError 404 for an address that the company does not have; 409 while an operator holds it.
 */
export const releaseWebhookEndpoint: Operation<typeof ReleaseEndpoint, Deps> = async (
  { caller, body },
  { store, realNow: now, ids },
) => {
  const released = await untilCommitted(async () => {
    const current = await readEndpoints(store, caller.companyId);
    if (!(await isKnownEndpoint(store, current, body.endpoint))) throw notFound('Endpoint');
    const isHeld = circuitsOf(current.health, body.endpoint).some(
      (circuit) => circuit.state === 'HELD' && circuit.by === 'OPERATOR',
    );
    if (isHeld || current.settings.heldSince !== undefined)
      throw forbiddenByState('endpoint', 'TRANSITION_NOT_ALLOWED', 'An operator holds the endpoint.');
    const next = releaseEndpoint(current, body.endpoint, now());
    return (await writeEndpoints({ store, now, newId: () => ids.uuid() }, current, next)) ? next : undefined;
  });
  return { status: 200, body: await describeEndpoint(store, released, body.endpoint, now()) };
};

export const handler = endpoint(ReleaseEndpoint, releaseWebhookEndpoint, realTimeDependencies);
