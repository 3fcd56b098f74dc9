import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Party } from '#shared/core/party.ts';
import type { Command, UncheckedCommand } from '../outcome.ts';
import { checkedCommand } from '../outcome.ts';
import type { AccountAtBank } from './shapes.ts';
import { Amount, BankShape, DocumentShape, EndToEndId, ReturnShape, Text, Time, Txid } from './shapes.ts';

/** An immediate charge by QR code: the `cob` of the BCB's API Pix. */
export type ChargeOrder = {
  /** The requested `txid`: our reference, the same on every repetition. */
  readonly reference: string;
  readonly amount: Centavos;
  readonly receiver: AccountAtBank;
  readonly payer: Party;
  readonly description: string;
  readonly expireDateTime: Instant;
};

/**
 * Text from the bank that goes into a QR code, or a whole QR code (MPI 2.5: location at most 77 characters, code at
 * most 512).
 */
export const LocationShape = z.string().refine((url) => parseLocation(url) !== undefined);
export const QrcodeShape = z.string().regex(/^000201[\x20-\x7e]{1,506}$/u);

/** A payment of a charge (`pix`): a charge may be paid more than once. */
const ReceivedPaymentShape = z.object({
  endToEndId: EndToEndId,
  amount: Amount,
  at: Time,
  /** The payer, if the bank gives name and document. */
  payer: z.object({ name: Text, document: DocumentShape, bank: BankShape.exactOptional() }).exactOptional(),
  returns: z.array(ReturnShape).readonly().default([]),
});
export type ReceivedPayment = z.output<typeof ReceivedPaymentShape>;

const ChargeStateShape = z.object({
  /** The bank's `txid`: the requested one, if the bank accepts it. */
  txid: Txid,
  /** `location` of the cob's payload, without scheme. */
  location: LocationShape,
  /** The whole code, if the bank builds it. */
  qrcode: QrcodeShape.exactOptional(),
  /** An expired charge stays `ACTIVE`. `DROPPED`: removed by the bank. */
  status: z.enum(['ACTIVE', 'PAID', 'REMOVED', 'DROPPED']),
  payments: z.array(ReceivedPaymentShape).readonly().default([]),
});
export type ChargeState = z.output<typeof ChargeStateShape>;

/** The charge to remove, by the reference and the receiver of its opening. */
type ChargeRemoval = Pick<ChargeOrder, 'reference' | 'receiver'>;

export type Charges = {
  readonly open: Command<ChargeOrder, ChargeState>;
  /**
   * Removes the cob, so that it cannot be paid. The bank refuses to remove a paid cob. A lookup reads the cob: the
   * removal is `NEVER_SEEN` while the cob is `ACTIVE`, else the result is the state of the cob.
   */
  readonly remove: Command<ChargeRemoval, ChargeState>;
};
export type UncheckedCharges = {
  readonly open: UncheckedCommand<ChargeOrder>;
  readonly remove: UncheckedCommand<ChargeRemoval>;
};

export function checkedCharges({ open, remove }: UncheckedCharges): Charges {
  return { open: checkedCommand(ChargeStateShape, open), remove: checkedCommand(ChargeStateShape, remove) };
}
