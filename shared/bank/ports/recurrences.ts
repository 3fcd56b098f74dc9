import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Party } from '#shared/core/party.ts';
import type { Asking, CommandEnd, FoundCommand, Unchecked } from '../outcome.ts';
import { checkEnd, checkFound } from '../outcome.ts';
import { LocationShape, QrcodeShape } from './charges.ts';

/** An authorization of recurring charges: the `rec` of the BCB's Pix API. */
export type RecurrenceOrder = {
  /** Ours, the same on every repetition. */
  readonly reference: string;
  readonly externalId: string;
  /** `periodicidade`: `WEEKLY`, `MONTHLY`, … */
  readonly frequencyType: string;
  readonly startDate: LocalDate;
  readonly endDate?: LocalDate;
  readonly fixedAmount?: Centavos;
  readonly maxAmountFloor?: Centavos;
  readonly allowChargeAfterDueDate: boolean;
  readonly description?: string;
  readonly receiver: Party;
  readonly debtor: Party;
  /** Journey 3: the charge that the same QR code settles. */
  readonly firstChargeTxid?: string;
};

const OpenedRecurrenceShape = z.object({
  /** `idRec` (BCB, Manual de Padrões, Annex IV, 2.1.1). */
  recurrenceId: z.string().regex(/^R[RN][0-9A-Z]{8}[0-9]{8}[A-Za-z0-9]{11}$/u),
  /** Address of the recurrence's payload, without scheme. */
  location: LocationShape.refine((url) => parseLocation(url)?.path.includes('/rec/') === true),
  /** The whole code, where the bank writes it; of journey 3 the composite one. */
  qrcode: QrcodeShape.exactOptional(),
});
const Taken = z.object({});
export type OpenedRecurrence = z.output<typeof OpenedRecurrenceShape>;
type TakenCancellation = z.output<typeof Taken>;

type CancellationOrder = {
  /** Ours, the same on every repetition: the id of the cancellation request. */
  readonly reference: string;
  readonly recurrenceId: string;
};

export type Recurrences = {
  readonly open: (order: RecurrenceOrder, asking: Asking) => Promise<CommandEnd<OpenedRecurrence>>;
  readonly find: (reference: string, asking: Asking) => Promise<FoundCommand<OpenedRecurrence>>;
  /**
   * Asks for the end of a recurrence. Done: the bank has the request; what comes of it is told later, after hours at
   * times.
   */
  readonly cancel: (order: CancellationOrder, asking: Asking) => Promise<CommandEnd<TakenCancellation>>;
  readonly findCancellation: (reference: string, asking: Asking) => Promise<FoundCommand<TakenCancellation>>;
};

export function checkedRecurrences(recurrences: Unchecked<Recurrences>): Recurrences {
  return {
    open: (order, asking) => checkEnd(OpenedRecurrenceShape, () => recurrences.open(order, asking)),
    find: (reference, asking) => checkFound(OpenedRecurrenceShape, () => recurrences.find(reference, asking)),
    cancel: (order, asking) => checkEnd(Taken, () => recurrences.cancel(order, asking)),
    findCancellation: (reference, asking) => checkFound(Taken, () => recurrences.findCancellation(reference, asking)),
  };
}
