import * as z from 'zod';
import { EndToEndId } from './shapes.ts';

const Id = z.string().regex(/^[A-Za-z0-9]{1,35}$/u);
const RecurrenceId = z.string().regex(/^R[RN][0-9A-Z]{8}[0-9]{8}[A-Za-z0-9]{11}$/u);
/** `txid` of a cobr: 26 characters at least. */
const RecurringTxid = z.string().regex(/^[A-Za-z0-9]{26,35}$/u);

/** Shapes of the ids in a bank's bodies, by the BCB's API Pix 2.9. `idEnvio` is Efí's and has the shape `id`. */
export const BankIds = { id: Id, endToEndId: EndToEndId, idRec: RecurrenceId, cobrTxid: RecurringTxid } as const;

/**
 * Event in a callback or a list: the ids of a resource to read at the bank, without its state.
 *
 * - `PIX`: a received payment, of a cob, of a cobr or of neither.
 * - `RETURN`: a return (devolução) of a received payment; `id` is the id of its request.
 * - `RECURRENCE`, `RECURRING_CHARGE`: a rec, a cobr.
 * - `PAYOUT`: a payment that we sent, by our reference. `code`: why it failed, only in Efí's callback.
 */
export const BankEventShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('PIX'), endToEndId: EndToEndId, txid: Id.exactOptional() }),
  z.object({ kind: z.literal('RETURN'), endToEndId: EndToEndId, id: Id }),
  z.object({ kind: z.literal('RECURRENCE'), idRec: RecurrenceId }),
  z.object({ kind: z.literal('RECURRING_CHARGE'), txid: RecurringTxid }),
  z.object({ kind: z.literal('PAYOUT'), idEnvio: Id, code: Id.exactOptional() }),
]);
export type BankEvent = z.output<typeof BankEventShape>;
