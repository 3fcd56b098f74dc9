import * as z from 'zod';
import { EndToEndId } from '../bank/ports/shapes.ts';

const Id = z.string().regex(/^[A-Za-z0-9]{1,35}$/u);
const RecurrenceId = z.string().regex(/^R[RN][0-9A-Z]{8}[0-9]{8}[A-Za-z0-9]{11}$/u);
/** Of a cobr: 26 characters at least. */
const RecurringTxid = z.string().regex(/^[A-Za-z0-9]{26,35}$/u);

/** Shapes of the ids in bodies of a bank, by BCB's API Pix 2.9; `idEnvio` is Efí's. */
export const BankIds = { id: Id, endToEndId: EndToEndId, idRec: RecurrenceId, cobrTxid: RecurringTxid } as const;

/**
 * What a callback or a list says that there is something to read about at the bank: ids alone, nothing of a state.
 *
 * - `PIX`: a payment that came in, of a cob, a cobr or of none.
 * - `RETURN`: a devolução of a payment that came in; `id` is that of its request.
 * - `RECURRENCE`, `RECURRING_CHARGE`: a rec, a cobr.
 * - `PAYOUT`: a payment that we sent, by our reference. `code`: why it failed, which Efí says in its callback alone.
 */
export const NewsShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('PIX'), endToEndId: EndToEndId, txid: Id.exactOptional() }),
  z.object({ kind: z.literal('RETURN'), endToEndId: EndToEndId, id: Id }),
  z.object({ kind: z.literal('RECURRENCE'), idRec: RecurrenceId }),
  z.object({ kind: z.literal('RECURRING_CHARGE'), txid: RecurringTxid }),
  z.object({ kind: z.literal('PAYOUT'), idEnvio: Id, code: Id.exactOptional() }),
]);
export type News = z.output<typeof NewsShape>;

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
