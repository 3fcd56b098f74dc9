import * as z from 'zod';
import type { News } from '../bank/ports/bank-events.ts';
import { NewsShape } from '../bank/ports/bank-events.ts';

/** Ids of a message of the queue of strangers: one run reads them all. */
export const strangersAMessage = 20;

const MessageShape = z.object({
  companyId: z.guid(),
  connectionId: z.guid(),
  news: z.union([NewsShape, z.array(NewsShape).min(1).max(strangersAMessage)]),
});
/** A message of the queues of callbacks: one id of the company's own, or several that it may not know. */
export type NewsMessage = z.input<typeof MessageShape>;
/** The connection whose bank called. */
export type Called = Pick<NewsMessage, 'companyId' | 'connectionId'>;

/** Undefined for a text that is no such message. */
export function parseNewsMessage(text: string): (Called & { readonly news: readonly News[] }) | undefined {
  try {
    const message = MessageShape.safeParse(JSON.parse(text)).data;
    return message && { ...message, news: [message.news].flat() };
  } catch {
    return undefined;
  }
}
