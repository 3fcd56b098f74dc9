import * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import type { Counterpart, OwnerBank } from '#shared/core/party.ts';
import type { CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { checkOutcome, checkFound } from '../outcome.ts';

/** An outgoing payment. */
export type Instruction = {
  /** The id of the order, or of the payment in a batch: the same on every repetition. */
  readonly reference: string;
  /** End-to-end id of a PIX payment, control number (NumCtrlSTR) of a TED. The bank's lookups use `reference`. */
  readonly endToEndId?: string;
  readonly controlNumber?: string;
  readonly initiation: 'KEY' | 'STATIC_QRCODE' | 'DYNAMIC_QRCODE' | 'MANUAL';
  readonly amount: Centavos;
  readonly payer: OwnerBank;
  readonly receiver: Counterpart;
  readonly description: string;
  readonly txid?: string;
};

const Text = z.string().min(1).max(140);
const Time = z.iso.datetime({ precision: 3 });

/**
 * State of a payment at the bank. `ACCEPTED` promises to try and is no settlement. A bank rejects or recognises a
 * second command of one reference.
 */
const PaymentStateShape = z.union([
  z.object({ outcome: z.literal('ACCEPTED') }),
  z.object({
    outcome: z.literal('PAID'),
    at: Time,
    endToEndId: z.string().regex(/^E[0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$/u),
  }),
  z.object({ outcome: z.literal('PAID'), at: Time, controlNumber: z.string().min(1).max(20) }),
  z.object({ outcome: z.literal('ERROR'), code: z.string().min(1).max(35).exactOptional(), reason: Text }),
  z.object({ outcome: z.literal('CANCELED') }),
]);
export type PaymentState = z.output<typeof PaymentStateShape>;
const CancellationShape = z.object({ outcome: z.literal('CANCELED') });
type Cancellation = z.output<typeof CancellationShape>;

export type Payouts = {
  /** Submits a payment. A canceled one is never accepted later. */
  readonly send: (instruction: Instruction) => Promise<CommandOutcome<PaymentState>>;
  /** The payment of a reference. */
  readonly find: (reference: string) => Promise<FoundCommand<PaymentState>>;
  /** Cancels a payment. Refused when it cannot be stopped any more. */
  readonly cancel: (reference: string) => Promise<CommandOutcome<Cancellation>>;
};

export function checkedPayouts(payouts: UncheckedPort<Payouts>): Payouts {
  return {
    send: (instruction) => checkOutcome(PaymentStateShape, () => payouts.send(instruction)),
    find: (reference) => checkFound(PaymentStateShape, () => payouts.find(reference)),
    cancel: (reference) => checkOutcome(CancellationShape, () => payouts.cancel(reference)),
  };
}
