import * as z from 'zod';
import { signatureHeaders } from '#shared/webhooks/signature.ts';
import type { Signed } from '../published.ts';

const Delivery = z.object({
  body: z.object({
    id: z.string(),
    payload: z.looseObject({}),
    attempts: z.array(z.object({ number: z.number(), at: z.string() })),
  }),
});

/**
 * The bytes of a delivery and their signatures at each of its attempts, computed here and not told by the service: so
 * that a partner can compare what arrived. Undefined when the text is no delivery.
 * @param text Answer with a delivery: its payload, written without blanks, is what was sent.
 */
export function signDelivery(text: string, secret: string): Signed | undefined {
  const read = Delivery.safeParse(JSON.parse(text));
  if (!read.success) return undefined;
  const { id, payload, attempts } = read.data.body;
  const body = JSON.stringify(payload);
  return {
    body,
    bytes: Buffer.byteLength(body),
    attempts: attempts.map(({ number, at }) => ({
      number,
      headers: signatureHeaders({ id, at, body, secrets: { current: secret } }),
    })),
  };
}
