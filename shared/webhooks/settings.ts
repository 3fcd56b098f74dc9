import type { Instant } from '../core/brasilia-time.ts';
import type { NotificationTarget, WebhookType } from '../platform/outbox/delivery.ts';
import { webhookTypes } from '../platform/outbox/delivery.ts';
import { plusSeconds } from '../core/brasilia-time.ts';

export const endpointStatuses = ['ACTIVE', 'INACTIVE'] as const;
type EndpointStatus = (typeof endpointStatuses)[number];

/** The endpoint of one type. */
type WebhookEndpoint = {
  readonly type: WebhookType;
  readonly endpoint: string;
  readonly status: EndpointStatus;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

/** A company's webhook settings (specification, 2.11), at most one endpoint a type. */
export type WebhookSettings = {
  readonly id: string;
  readonly companyId: string;
  readonly organizationId: string;
  readonly status: EndpointStatus;
  readonly events: readonly WebhookEndpoint[];
  /** Since then the operator holds all notifications of the company. */
  readonly heldSince?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The client whose request replaced the endpoints last. */
  readonly updatedBy?: string;
  readonly version: number;
};

/** An endpoint of a request; `status` is `ACTIVE` by default. */
export type WantedEndpoint = Pick<WebhookEndpoint, 'type' | 'endpoint'> & { readonly status?: EndpointStatus };

/** Returns the settings of a new company. They have no endpoint, so that the deliveries of every type are held. */
export function newWebhookSettings(options: {
  readonly id: string;
  readonly companyId: string;
  readonly organizationId: string;
  readonly at: Instant;
}): WebhookSettings {
  const { at, ...ids } = options;
  return { ...ids, status: 'ACTIVE', events: [], createdAt: at, updatedAt: at, version: 1 };
}

/** The address of a target now; undefined while its type has no active endpoint. */
export function addressOf(target: NotificationTarget, settings: Pick<WebhookSettings, 'events'>): string | undefined {
  if ('endpoint' in target) return target.endpoint;
  return settings.events.find(({ type, status }) => type === target.type && status === 'ACTIVE')?.endpoint;
}

/**
 * Returns the settings with these endpoints. A type that stays keeps its `createdAt`, and an endpoint that stays its
 * `updatedAt`. `moved`: the types whose active address changed, or was added or removed.
 */
export function replaceEndpoints(
  settings: WebhookSettings,
  wanted: readonly WantedEndpoint[],
  at: Instant,
): { readonly settings: WebhookSettings; readonly moved: readonly WebhookType[] } {
  const events = wanted.map(({ type, endpoint, status = 'ACTIVE' }): WebhookEndpoint => {
    const current = settings.events.find((event) => event.type === type);
    const same = current?.endpoint === endpoint && current.status === status;
    return { type, endpoint, status, createdAt: current?.createdAt ?? at, updatedAt: same ? current.updatedAt : at };
  });
  const moved = webhookTypes.filter((type) => addressOf({ type }, { events }) !== addressOf({ type }, settings));
  return { settings: { ...settings, events, updatedAt: at, version: settings.version + 1 }, moved };
}

/** Disables the active endpoints whose address is selected. Returns undefined when there is none. */
export function deactivateEndpoints(
  settings: WebhookSettings,
  isSelected: (address: string) => boolean,
  at: Instant,
): WebhookSettings | undefined {
  return changeStatuses(settings, isSelected, { from: 'ACTIVE', to: 'INACTIVE' }, at);
}

/** Enables the inactive endpoints whose address is selected. Returns undefined when there is none. */
export function activateEndpoints(
  settings: WebhookSettings,
  isSelected: (address: string) => boolean,
  at: Instant,
): WebhookSettings | undefined {
  return changeStatuses(settings, isSelected, { from: 'INACTIVE', to: 'ACTIVE' }, at);
}

function changeStatuses(
  settings: WebhookSettings,
  isSelected: (address: string) => boolean,
  { from, to }: Readonly<Record<'from' | 'to', EndpointStatus>>,
  at: Instant,
): WebhookSettings | undefined {
  const events = settings.events.map((event): WebhookEndpoint => {
    return event.status === from && isSelected(event.endpoint) ? { ...event, status: to, updatedAt: at } : event;
  });
  const isChanged = events.some((event, place) => event !== settings.events[place]);
  return isChanged ? { ...settings, events, updatedAt: at, version: settings.version + 1 } : undefined;
}

/** The settings with the operator's hold, or without it. */
export function setHold(settings: WebhookSettings, heldSince: Instant | undefined): WebhookSettings {
  const { heldSince: _, ...rest } = settings;
  return { ...rest, ...(heldSince !== undefined && { heldSince }), version: settings.version + 1 };
}

/** A company's signing secret. After a rotation the previous one signs too, for the overlap. */
export type WebhookSecret = {
  readonly companyId: string;
  /** `whsec_` and the base64 of 32 random bytes. */
  readonly current: string;
  readonly createdAt: Instant;
  /** The id of its rotation, for a repeated request. */
  readonly rotationId?: string;
  readonly previous?: string;
  readonly previousExpiresAt?: Instant;
  readonly previousRotation?: { readonly id: string; readonly createdAt: Instant };
  readonly version: number;
};

/** The overlap of a rotation, seconds: the default and the maximum. */
export const overlapSeconds = { usual: 86_400, longest: 604_800 } as const;

/** Rotates the secret: the former one signs for the overlap (seconds), an older one no more. */
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

/** Returns the secret that a rotation created; undefined once that is replaced and its overlap is over. */
export function secretCreatedBy(
  secret: WebhookSecret,
  rotationId: string,
  at: Instant,
): { readonly secret: string; readonly createdAt: Instant } | undefined {
  if (secret.rotationId === rotationId) return { secret: secret.current, createdAt: secret.createdAt };
  const { previous } = validSecrets(secret, at);
  const { previousRotation: created } = secret;
  if (created?.id !== rotationId || previous === undefined) return undefined;
  return { secret: previous, createdAt: created.createdAt };
}

/** The secrets that sign at this moment. */
export function validSecrets(
  { current, previous, previousExpiresAt }: WebhookSecret,
  at: Instant,
): { readonly current: string; readonly previous?: string } {
  const overlapping = previous !== undefined && previousExpiresAt !== undefined && at < previousExpiresAt;
  return overlapping ? { current, previous } : { current };
}
