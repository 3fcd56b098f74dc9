import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Party } from '#shared/core/party.ts';
import type { Command, UncheckedCommand } from '../outcome.ts';
import { checkedCommand, recurrenceTimeoutMs } from '../outcome.ts';
import { LocationShape, QrcodeShape } from './charges.ts';
import { DocumentShape, Ispb, Text, Time } from './shapes.ts';

/** An authorization of recurring charges (PIX Automático): the `rec` of the BCB's API Pix. */
export type RecurrenceOrder = {
  /** Our reference, the same on every repetition. */
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
  /** Id of the receiver's account, by which an adapter finds the contract (`convenio`). */
  readonly accountId: string;
  readonly debtor: Party;
  /** Journey 3: `txid` of the cob in the same QR code. */
  readonly firstChargeTxid?: string;
};

const RecurrenceStateShape = z.object({
  /** The statuses of the rec in their order, as far as the bank reports them (`atualizacao`). */
  history: z
    .array(z.object({ status: z.enum(['CREATED', 'APPROVED', 'REJECTED', 'CANCELED', 'EXPIRED']), at: Time }))
    .readonly()
    .default([]),
  /** The payer, known after the approval. API Pix names only the institution, neither account nor name. */
  payer: z
    .object({
      name: Text.exactOptional(),
      document: DocumentShape,
      bankData: z.object({ ispb: Ispb, branchNumber: Text.exactOptional(), accountNumber: Text }).exactOptional(),
    })
    .exactOptional(),
  /** Party that ended the rec (`encerramento`), if the bank reports it. */
  endedBy: z.enum(['PAYER', 'RECEIVER', 'BANK']).exactOptional(),
  /** Reason of the end, if the bank's code has one of these meanings. */
  endReason: z
    .enum(['ACCOUNT_CANCELLATION', 'PAYER_DECEASED', 'REQUESTED_BY_PAYER', 'REQUESTED_BY_RECEIVER', 'FRAUD_SUSPICION'])
    .exactOptional(),
});
export type RecurrenceState = z.output<typeof RecurrenceStateShape>;

const OpenedRecurrenceShape = RecurrenceStateShape.extend({
  /** `idRec` (BCB, Manual de Padrões, Annex IV, 2.1.1). */
  recurrenceId: z.string().regex(/^R[RN][0-9A-Z]{8}[0-9]{8}[A-Za-z0-9]{11}$/u),
  /** `location` of the rec's payload, without scheme. */
  location: LocationShape.refine((url) => parseLocation(url)?.path.includes('/rec/') === true),
  /** The whole code, if the bank builds it; for journey 3 the composite code. */
  qrcode: QrcodeShape.exactOptional(),
});
export type OpenedRecurrence = z.output<typeof OpenedRecurrenceShape>;

/** A request to cancel a recurrence. `reference` is the id of the request. */
export type CancellationOrder = { readonly reference: string; readonly recurrenceId: string };
/** A recurrence that the bank has opened, for a lookup only. */
type KnownRecurrence = { readonly recurrenceId: string };

export type Recurrences = {
  readonly open: Command<RecurrenceOrder, OpenedRecurrence>;
  /**
   * Cancels a rec; some banks end it hours later. A lookup reads the rec and finds the cancellation when the bank has
   * the command or the rec has ended.
   */
  readonly cancel: Command<CancellationOrder, RecurrenceState>;
  /** Reads the current state of the rec. */
  readonly read: Command<KnownRecurrence, RecurrenceState>['find'];
};
export type UncheckedRecurrences = {
  readonly open: UncheckedCommand<RecurrenceOrder>;
  readonly cancel: UncheckedCommand<CancellationOrder>;
  readonly read: UncheckedCommand<KnownRecurrence>['find'];
};

/** Whether the rec was canceled, rejected or has expired. */
export function isFinalRecurrence({ history }: RecurrenceState): boolean {
  const last = history.at(-1)?.status;
  return last === 'CANCELED' || last === 'REJECTED' || last === 'EXPIRED';
}

export function checkedRecurrences({ open, cancel, read }: UncheckedRecurrences): Recurrences {
  const reading: UncheckedCommand<KnownRecurrence> = { submit: read, find: read };
  return {
    open: checkedCommand(OpenedRecurrenceShape, open, recurrenceTimeoutMs),
    cancel: checkedCommand(RecurrenceStateShape, cancel, recurrenceTimeoutMs),
    read: checkedCommand(RecurrenceStateShape, reading).find,
  };
}
