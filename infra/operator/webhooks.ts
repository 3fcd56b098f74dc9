import { notFound } from '#shared/core/errors.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { listEndpoints } from '#shared/webhooks/endpoints.ts';
import { addressCircuit } from '#shared/webhooks/health/health.ts';
import type { Endpoints } from '#shared/webhooks/health/operations.ts';
import {
  holdCompany,
  holdEndpoint,
  findEndpoints,
  releaseEndpoint,
  writeEndpoints,
} from '#shared/webhooks/health/operations.ts';
import type { OnboardingDependencies } from './target.ts';

type NotificationScope = { readonly companyId: string; readonly endpoint?: string | undefined };
/** `notifications`: their state after the command. */
type HoldFacts = {
  readonly companyId: string;
  readonly endpoint: string | null;
  readonly notifications: 'HELD' | 'SENT';
  readonly since: string;
};

/**
 * Holds a company's notifications, or those to one endpoint, as if no endpoint were active. A repetition keeps `since`.
 * @throws RequestError when there is no such company.
 */
export async function holdNotifications(
  dependencies: OnboardingDependencies,
  { companyId, endpoint }: NotificationScope,
): Promise<HoldFacts> {
  const since = await change(dependencies, companyId, (current, at) => {
    const { settings, health } = current;
    // An address may equal the origin of other addresses. The origin has a circuit of its own.
    const held = health.circuits.find(({ name, url }) => url === endpoint && name === addressCircuit(url));
    const since =
      endpoint === undefined
        ? settings.heldSince
        : held?.state === 'HELD' && held.by === 'OPERATOR'
          ? held.since
          : undefined;
    if (since !== undefined) return { next: current, since };
    return {
      next: endpoint === undefined ? holdCompany(current, at, at) : holdEndpoint(current, endpoint, at),
      since: at,
    };
  });
  return { companyId, endpoint: endpoint ?? null, notifications: 'HELD', since };
}

/**
 * Releases a company's notifications, or those to one endpoint: notifications held in the last 7 days are sent, oldest
 * first. For an endpoint it also forgets the failures and activates the types that were disabled with it.
 * @throws RequestError when there is no such company.
 */
export async function releaseNotifications(
  dependencies: OnboardingDependencies,
  { companyId, endpoint }: NotificationScope,
): Promise<HoldFacts> {
  const since = await change(dependencies, companyId, (current, at) => {
    return {
      next: endpoint === undefined ? holdCompany(current, at, undefined) : releaseEndpoint(current, endpoint, at),
      since: at,
    };
  });
  return { companyId, endpoint: endpoint ?? null, notifications: 'SENT', since };
}

async function change(
  { store, ids, now }: OnboardingDependencies,
  companyId: string,
  change: (current: Endpoints, at: string) => { readonly next: Endpoints; readonly since: string },
): Promise<string> {
  return untilCommitted(async () => {
    const current = await findEndpoints(store, companyId);
    if (current === undefined) throw notFound('Company');
    const { next, since } = change(current, now());
    return (await writeEndpoints({ store, now, newId: () => ids.uuid() }, current, next)) ? since : undefined;
  });
}

/** Endpoints that one command shows. A company has few with a problem. */
const shownAtMost = 100;

/**
 * Lists the endpoints that have a problem or for which notifications wait.
 * @throws RequestError when there is no such company.
 */
export async function showEndpoints(
  { store, now }: Pick<OnboardingDependencies, 'store' | 'now'>,
  companyId: string,
): Promise<readonly Readonly<Record<string, string | number | null>>[]> {
  const endpoints = await findEndpoints(store, companyId);
  if (endpoints === undefined) throw notFound('Company');
  const { found } = await listEndpoints(store, endpoints, { limit: shownAtMost }, now());
  return found.map(({ endpoint, state, waiting, waitingExact, ...rest }) => {
    const { failingSince = null, reason = null, perMinute = null, expectedEmptyAt = null } = rest;
    const count = waitingExact ? waiting : `more than ${waiting}`;
    return { endpoint, state, failingSince, reason, waiting: count, perMinute, expectedEmptyAt };
  });
}
