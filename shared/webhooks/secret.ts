import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';

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
