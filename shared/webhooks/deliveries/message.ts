import * as z from 'zod';

const MessageShape = z.object({
  companyId: z.string(),
  deliveryId: z.string(),
  sending: z.int().min(1),
});

/** What the queue carries: which delivery may have something to do, and the sending that this message stands for. */
export type DeliveryMessage = z.output<typeof MessageShape>;

/** Undefined for anything that is no message of the relay. */
export function parseDeliveryMessage(text: string): DeliveryMessage | undefined {
  try {
    return MessageShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
