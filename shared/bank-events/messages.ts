import * as z from 'zod';
import type { BankEvent } from '../bank/ports/bank-events.ts';
import { BankEventShape } from '../bank/ports/bank-events.ts';

/** The maximum of ids in a message of the queue of unknown ids: one run reads them all. */
export const unknownIdsAMessage = 20;

const MessageShape = z.object({
  companyId: z.guid(),
  connectionId: z.guid(),
  events: z.union([BankEventShape, z.array(BankEventShape).min(1).max(unknownIdsAMessage)]),
});
/** A message of the queues of callbacks: one id of the company's own, or several that it may not know. */
export type BankEventMessage = z.input<typeof MessageShape>;
/** The connection whose bank called. */
export type Called = Pick<BankEventMessage, 'companyId' | 'connectionId'>;

/** Parses a message of the queues of callbacks; undefined for any other text. */
export function parseBankEventMessage(text: string): (Called & { readonly events: readonly BankEvent[] }) | undefined {
  try {
    const message = MessageShape.safeParse(JSON.parse(text)).data;
    return message && { ...message, events: [message.events].flat() };
  } catch {
    return undefined;
  }
}
