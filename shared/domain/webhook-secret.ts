import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';

/** What a company's deliveries are signed with. After a rotation the one before stays valid for the overlap. */
export type WebhookSecret = {
  readonly companyId: string;
  /** `whsec_` and the base64 of 32 random bytes. */
  readonly current: string;
  readonly createdAt: Instant;
  readonly previous?: string;
  readonly previousExpiresAt?: Instant;
  readonly version: number;
};

/** A new secret beside the present one, which stays for the overlap; whatever was before the present one is dropped. */
export function rotate(secret: WebhookSecret, next: string, at: Instant, overlapSeconds: number): WebhookSecret {
  const { companyId, current, version } = secret;
  const kept = { previous: current, previousExpiresAt: plusSeconds(at, overlapSeconds) };
  return { companyId, current: next, createdAt: at, ...(overlapSeconds > 0 && kept), version: version + 1 };
}

/** The secrets to sign with at this moment. */
export function validSecrets(
  { current, previous, previousExpiresAt }: WebhookSecret,
  at: Instant,
): { readonly current: string; readonly previous?: string } {
  const overlapping = previous !== undefined && previousExpiresAt !== undefined && at < previousExpiresAt;
  return overlapping ? { current, previous } : { current };
}
