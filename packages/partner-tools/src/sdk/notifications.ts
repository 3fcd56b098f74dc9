import { createHmac, randomUUID } from 'node:crypto';

type SignOptions = {
  /** The `webhook-id`; a new one unless given. */
  readonly id?: string;
  /** When it is sent, epoch seconds; now unless given. */
  readonly atSeconds?: number;
};

/**
 * Signs a notification as the service does (X-Signature-SHA256 and Standard Webhooks), for your own tests: POST `body`
 * with `headers` to your endpoint.
 *
 * @param secret The whole text, `whsec_…`.
 */
export function signNotification(
  notification: object,
  secret: string,
  { id = randomUUID(), atSeconds = Math.floor(Date.now() / 1000) }: SignOptions = {},
) {
  const body = JSON.stringify(notification);
  const key = Buffer.from(secret.replace(/^whsec_/u, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64');
  const bare = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${atSeconds}`,
    'webhook-signature': `v1,${signature}`,
    'x-signature-sha256': `sha256=${bare}`,
  };
  return { body, headers };
}
