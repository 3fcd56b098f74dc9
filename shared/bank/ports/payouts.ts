import * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import type { Counterpart, OwnerBank } from '#shared/core/party.ts';
import type { CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { checkOutcome, checkFound } from '../outcome.ts';

/** One payment to be made. */
export type Instruction = {
  /** Ours, the same on every repetition: the id of the order, or of its payment where it is a batch. */
  readonly reference: string;
  /**
   * The arrangement's number of the payment: PIX the first, TED the second. It names the payment outside, never to the
   * bank.
   */
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
 * What a bank says of a payment that it has: accepted, which is a promise to try and not a settlement, or how it ended.
 * The reference is the same for ever; a bank refuses or recognises a second command of one reference.
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
  /** Submits a payment. One that was canceled is never accepted afterwards. */
  readonly send: (instruction: Instruction) => Promise<CommandOutcome<PaymentState>>;
  /** What became of a payment that was submitted, or may have been. */
  readonly find: (reference: string) => Promise<FoundCommand<PaymentState>>;
  /** Calls a payment back. Refused when it is on its way already and can no longer be stopped. */
  readonly cancel: (reference: string) => Promise<CommandOutcome<Cancellation>>;
};

export function checkedPayouts(payouts: UncheckedPort<Payouts>): Payouts {
  return {
    send: (instruction) => checkOutcome(PaymentStateShape, () => payouts.send(instruction)),
    find: (reference) => checkFound(PaymentStateShape, () => payouts.find(reference)),
    cancel: (reference) => checkOutcome(CancellationShape, () => payouts.cancel(reference)),
  };
}
