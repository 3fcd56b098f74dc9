import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Party } from '#shared/core/party.ts';
import type { Acceptance, RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';
import { LocationShape, QrcodeShape } from './charges.ts';

/** An authorization of recurring charges (PIX Automático): the `rec` of the BCB's API Pix. */
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
  /** Journey 3: `txid` of the cob in the same QR code. */
  readonly firstChargeTxid?: string;
};

const OpenedRecurrenceShape = z.object({
  /** `idRec` (BCB, Manual de Padrões, Annex IV, 2.1.1). */
  recurrenceId: z.string().regex(/^R[RN][0-9A-Z]{8}[0-9]{8}[A-Za-z0-9]{11}$/u),
  /** `location` of the rec's payload, without scheme. */
  location: LocationShape.refine((url) => parseLocation(url)?.path.includes('/rec/') === true),
  /** The whole code, if the bank builds it; of journey 3 the composite one. */
  qrcode: QrcodeShape.exactOptional(),
});
export type OpenedRecurrence = z.output<typeof OpenedRecurrenceShape>;
type CancellationOrder = {
  /** The id of the cancellation request, the same on every repetition. */
  readonly reference: string;
  readonly recurrenceId: string;
};

export type Recurrences = {
  readonly open: (order: RecurrenceOrder, context: RequestContext) => Promise<CommandOutcome<OpenedRecurrence>>;
  readonly find: (reference: string, context: RequestContext) => Promise<FoundCommand<OpenedRecurrence>>;
  /** Requests the cancellation of a rec. A bank event tells the result, sometimes hours later. */
  readonly cancel: (order: CancellationOrder, context: RequestContext) => Promise<CommandOutcome<Acceptance>>;
  readonly findCancellation: (reference: string, context: RequestContext) => Promise<FoundCommand<Acceptance>>;
};

export function checkedRecurrences(recurrences: UncheckedPort<Recurrences>): Recurrences {
  return {
    open: (order, context) => checkOutcome(OpenedRecurrenceShape, () => recurrences.open(order, context)),
    find: (reference, context) => checkFound(OpenedRecurrenceShape, () => recurrences.find(reference, context)),
    cancel: (order, context) => checkOutcome(AcceptanceShape, () => recurrences.cancel(order, context)),
    findCancellation: (reference, context) =>
      checkFound(AcceptanceShape, () => recurrences.findCancellation(reference, context)),
  };
}
