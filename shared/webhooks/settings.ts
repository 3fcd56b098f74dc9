import type { Instant } from '../core/brasilia-time.ts';
import type { NotificationTarget, WebhookType } from '../platform/outbox/delivery.ts';
import { plusSeconds } from '../core/brasilia-time.ts';

export const endpointStatuses = ['ACTIVE', 'INACTIVE'] as const;
type EndpointStatus = (typeof endpointStatuses)[number];

/** Where the notifications of one type go. */
type WebhookEndpoint = {
  readonly type: WebhookType;
  readonly endpoint: string;
  readonly status: EndpointStatus;
  /** Its circuit is open, or was until it was disabled: the first of the failures in a row. */
  readonly failingSince?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

/** A company's webhook settings (specification, 2.11). At most one endpoint a type. */
export type WebhookSettings = {
  readonly id: string;
  readonly companyId: string;
  readonly organizationId: string;
  readonly status: EndpointStatus;
  readonly events: readonly WebhookEndpoint[];
  /** An operator holds all notifications of the company, since then. */
  readonly heldSince?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly version: number;
};

/** What a partner asks for; `status` is `ACTIVE` unless said otherwise. */
export type WantedEndpoint = {
  readonly type: WebhookType;
  readonly endpoint: string;
  readonly status?: EndpointStatus;
};

/** The settings that a company has from the beginning: no endpoint, so that everything is held. */
export function newWebhookSettings(of: {
  readonly id: string;
  readonly companyId: string;
  readonly organizationId: string;
  readonly at: Instant;
}): WebhookSettings {
  const { at, ...ids } = of;
  return { ...ids, status: 'ACTIVE', events: [], createdAt: at, updatedAt: at, version: 1 };
}

/** The address to call for a target at this moment; undefined while its type has no active endpoint. */
export function addressOf(target: NotificationTarget, settings: Pick<WebhookSettings, 'events'>): string | undefined {
  if ('endpoint' in target) return target.endpoint;
  return settings.events.find(({ type, status }) => type === target.type && status === 'ACTIVE')?.endpoint;
}

/**
 * The settings with these endpoints instead of the present ones. A type that stays keeps its `createdAt`, and its
 * `updatedAt` too when nothing about it changes. `activated` are the types that had no active endpoint before.
 */
export function replaceEndpoints(
  settings: WebhookSettings,
  wanted: readonly WantedEndpoint[],
  at: Instant,
): { readonly settings: WebhookSettings; readonly activated: readonly WebhookType[] } {
  const events = wanted.map(({ type, endpoint, status = 'ACTIVE' }): WebhookEndpoint => {
    const present = settings.events.find((event) => event.type === type);
    const same = present?.endpoint === endpoint && present.status === status;
    return { type, endpoint, status, createdAt: present?.createdAt ?? at, updatedAt: same ? present.updatedAt : at };
  });
  const activated = events
    .map(({ type }) => type)
    .filter((type) => addressOf({ type }, { events }) !== undefined && addressOf({ type }, settings) === undefined);
  return { settings: { ...settings, events, updatedAt: at, version: settings.version + 1 }, activated };
}

/**
 * The settings in which nothing goes to this address any more: it failed for days. Undefined when nothing does anyway.
 */
export function deactivateEndpoint(
  settings: WebhookSettings,
  endpoint: string,
  at: Instant,
): WebhookSettings | undefined {
  const isMeant = (event: WebhookEndpoint): boolean => event.endpoint === endpoint && event.status === 'ACTIVE';
  if (!settings.events.some(isMeant)) return undefined;
  const events = settings.events.map((event) =>
    isMeant(event) ? { ...event, status: 'INACTIVE' as const, updatedAt: at } : event,
  );
  return { ...settings, events, updatedAt: at, version: settings.version + 1 };
}

/**
 * The settings in which the endpoints of this address are marked as failing since then, or as not failing. Undefined
 * when that changes nothing. `updatedAt` stays: it is the partner's.
 */
export function markFailing(
  settings: WebhookSettings,
  endpoint: string,
  failingSince: Instant | undefined,
): WebhookSettings | undefined {
  const isMeant = (event: WebhookEndpoint): boolean =>
    event.endpoint === endpoint && event.failingSince !== failingSince;
  if (!settings.events.some(isMeant)) return undefined;
  const events = settings.events.map((event): WebhookEndpoint => {
    if (!isMeant(event)) return event;
    const { failingSince: _, ...rest } = event;
    return failingSince === undefined ? rest : { ...rest, failingSince };
  });
  return { ...settings, events, version: settings.version + 1 };
}

/** The settings with the operator's hold, or without it. */
export function setHold(settings: WebhookSettings, heldSince: Instant | undefined): WebhookSettings {
  const { heldSince: _, ...rest } = settings;
  return { ...rest, ...(heldSince !== undefined && { heldSince }), version: settings.version + 1 };
}

/** What a company's deliveries are signed with. After a rotation the one before stays valid for the overlap. */
export type WebhookSecret = {
  readonly companyId: string;
  /** `whsec_` and the base64 of 32 random bytes. */
  readonly current: string;
  readonly createdAt: Instant;
  /** Of the rotation that made it, where its caller may ask for its answer again. */
  readonly rotationId?: string;
  readonly previous?: string;
  readonly previousExpiresAt?: Instant;
  readonly previousRotation?: { readonly id: string; readonly createdAt: Instant };
  readonly version: number;
};

/** How long the present secret signs beside a new one, seconds: unless said otherwise, and at most. */
export const overlapSeconds = { usual: 86_400, longest: 604_800 } as const;

/** A new secret beside the present one, which signs on for the overlap (seconds); any older one is dropped. */
export function replaceSecret(
  secret: WebhookSecret,
  next: Pick<WebhookSecret, 'current' | 'rotationId'>,
  at: Instant,
  overlap: number,
): WebhookSecret {
  const { companyId, current, createdAt, rotationId, version } = secret;
  const kept = {
    previous: current,
    previousExpiresAt: plusSeconds(at, overlap),
    ...(rotationId !== undefined && { previousRotation: { id: rotationId, createdAt } }),
  };
  return { companyId, ...next, createdAt: at, ...(overlap > 0 && kept), version: version + 1 };
}

/** The secret that a rotation made, while it still signs; undefined once it was replaced and its overlap is over. */
export function secretMadeBy(
  secret: WebhookSecret,
  rotationId: string,
  at: Instant,
): { readonly secret: string; readonly createdAt: Instant } | undefined {
  if (secret.rotationId === rotationId) return { secret: secret.current, createdAt: secret.createdAt };
  const { previous } = validSecrets(secret, at);
  const { previousRotation: made } = secret;
  if (made?.id !== rotationId || previous === undefined) return undefined;
  return { secret: previous, createdAt: made.createdAt };
}

/** The secrets to sign with at this moment. */
export function validSecrets(
  { current, previous, previousExpiresAt }: WebhookSecret,
  at: Instant,
): { readonly current: string; readonly previous?: string } {
  const overlapping = previous !== undefined && previousExpiresAt !== undefined && at < previousExpiresAt;
  return overlapping ? { current, previous } : { current };
}
