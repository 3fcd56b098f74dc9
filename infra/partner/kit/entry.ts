/**
 * The module that the kit exports. It imports the generated client, which is only there when a kit is packed, so it is
 * a text until then; the compiler reads it with the rest, strictly, whenever one is packed, which
 * test/slow/acceptance/partner-kit.test.ts does.
 */
export const entry = `import { configure, type Connection } from './connection.js';
import { createClient, type Client } from './generated/client/index.js';
import type { Webhooks } from './generated/types.gen.js';
import { verify, type Verdict } from './verify.js';

export * from './generated/index.js';
export { verify, verifyBody, type Verdict } from './verify.js';
export type { Client, Connection };

/** Everything that the service POSTs to you: \`event\` tells which it is. */
export type Notification = Webhooks['body'];

/**
 * A client of the service. It keeps a token, and sends requests again after 429, 503, 504 and a broken connection, with
 * the same idempotency key.
 */
export function connect(connection: Connection): Client {
  return createClient(configure(connection));
}

export type Reading =
  | { readonly genuine: true; readonly id: string; readonly notification: Notification }
  | Extract<Verdict, { genuine: false }>;

/**
 * Verifies a notification and then reads it. Remember the \`id\`: the same one is the same notification.
 *
 * @param rawBody The bytes as they came.
 */
export function readNotification(rawBody: Uint8Array | string, ...rest: Tail<Parameters<typeof verify>>): Reading {
  const verdict = verify(rawBody, ...rest);
  if (!verdict.genuine) return verdict;
  const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8');
  return { ...verdict, notification: JSON.parse(text) as Notification };
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;
`;
