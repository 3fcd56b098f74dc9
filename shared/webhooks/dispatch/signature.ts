import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds } from '#shared/core/brasilia-time.ts';

type SigningSecrets = { readonly current: string; readonly previous?: string };

const prefix = 'whsec_';

/**
 * The signature headers of an attempt. `X-Signature-SHA256` (specification, 6.1): HMAC-SHA256 of the body, keyed with
 * the UTF-8 bytes of the whole secret text. `webhook-*` (Standard Webhooks 1.0.0): keyed with the bytes of the secret's
 * base64. During the overlap of a rotation the previous secret signs too.
 * @param at the moment of this attempt
 */
export function signatureHeaders(delivery: {
  readonly id: string;
  readonly at: Instant;
  readonly body: string;
  readonly secrets: SigningSecrets;
}): Readonly<Record<string, string>> {
  const { id, at, body, secrets } = delivery;
  const timestamp = String(epochSeconds(at));
  const { current, previous } = secrets;
  const standard = [current, ...(previous === undefined ? [] : [previous])];
  return {
    'X-Signature-SHA256': bodySignature(body, current),
    ...(previous !== undefined && { 'X-Signature-SHA256-Previous': bodySignature(body, previous) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.map((secret) => standardSignature(`${id}.${timestamp}.${body}`, secret)).join(' '),
  };
}

function bodySignature(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function standardSignature(content: string, secret: string): string {
  // Node's HMAC takes several times as long with a key of bytes.
  const key = createSecretKey(secret.slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** A secret in the form of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}
