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
  /** The receiver's account: an adapter knows its contract by it. */
  readonly accountId: string;
  readonly debtor: Party;
  /** Journey 3: `txid` of the cob in the same QR code. */
  readonly firstChargeTxid?: string;
};

const RecurrenceStateShape = z.object({
  /** The statuses that it passed, in their order, as far as the bank says (`atualizacao`). */
  history: z
    .array(z.object({ status: z.enum(['CREATED', 'APPROVED', 'REJECTED', 'CANCELED', 'EXPIRED']), at: Time }))
    .readonly()
    .default([]),
  /** After the approval: API Pix names the institution alone, neither account nor name. */
  payer: z
    .object({
      name: Text.exactOptional(),
      document: DocumentShape,
      bankData: z.object({ ispb: Ispb, branchNumber: Text.exactOptional(), accountNumber: Text }).exactOptional(),
    })
    .exactOptional(),
  /** Party that ended it (`encerramento`), if the bank gives it. */
  endedBy: z.enum(['PAYER', 'RECEIVER', 'BANK']).exactOptional(),
  /** Reason, if the bank's code is one of these. */
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
  /** The whole code, if the bank builds it; of journey 3 the composite one. */
  qrcode: QrcodeShape.exactOptional(),
});
export type OpenedRecurrence = z.output<typeof OpenedRecurrenceShape>;

/** The end of a recurrence, and the recurrence itself: `reference` is that of the request to cancel it. */
export type CancellationOrder = { readonly reference: string; readonly recurrenceId: string };
/** A recurrence that is open, for a lookup alone. */
type KnownRecurrence = { readonly recurrenceId: string };

export type Recurrences = {
  readonly open: Command<RecurrenceOrder, OpenedRecurrence>;
  /**
   * Cancels a rec; some banks end it hours later. The state of the rec is the answer: it is found when the bank has the
   * command or the rec has ended.
   */
  readonly cancel: Command<CancellationOrder, RecurrenceState>;
  /** The rec as it is now. */
  readonly read: Command<KnownRecurrence, RecurrenceState>['find'];
};
export type UncheckedRecurrences = {
  readonly open: UncheckedCommand<RecurrenceOrder>;
  readonly cancel: UncheckedCommand<CancellationOrder>;
  readonly read: UncheckedCommand<KnownRecurrence>['find'];
};

/** Whether it was canceled, refused or expired. */
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
