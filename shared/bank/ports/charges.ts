import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { OwnerBank, Party } from '#shared/core/party.ts';
import type { Acceptance, RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** Money to be received by a QR code: the `cob` of the BCB's Pix API. */
export type ChargeOrder = {
  /** Ours, the same on every repetition: the `txid` that is asked for. */
  readonly reference: string;
  readonly amount: Centavos;
  readonly receiver: OwnerBank;
  readonly payer: Party;
  readonly description: string;
  readonly expireDateTime: Instant;
};

/**
 * Where a text of the bank's stands in a QR code or is one (MPI 2.5: location at most 77 characters, code at most 512).
 */
export const LocationShape = z.string().refine((url) => parseLocation(url) !== undefined);
export const QrcodeShape = z.string().regex(/^000201[\x20-\x7e]{1,506}$/u);

const OpenedChargeShape = z.object({
  /** The charge's id at the bank, ours if it takes ours. */
  txid: z.string().regex(/^[A-Za-z0-9]{26,35}$/u),
  /** Address of the charge's payload, without scheme. */
  location: LocationShape,
  /** The whole code, where the bank writes it. */
  qrcode: QrcodeShape.exactOptional(),
  /** What became of it since. */
  state: z.enum(['ACTIVE', 'PAID', 'REMOVED']),
});
export type OpenedCharge = z.output<typeof OpenedChargeShape>;

export type Charges = {
  readonly open: (order: ChargeOrder, context: RequestContext) => Promise<CommandOutcome<OpenedCharge>>;
  /** What became of a charge that was asked for, or may have been. */
  readonly find: (reference: string, context: RequestContext) => Promise<FoundCommand<OpenedCharge>>;
  /** Removes the charge: nobody can pay it afterwards. Refused when it is paid. */
  readonly remove: (reference: string, context: RequestContext) => Promise<CommandOutcome<Acceptance>>;
};

export function checkedCharges(charges: UncheckedPort<Charges>): Charges {
  return {
    open: (order, context) => checkOutcome(OpenedChargeShape, () => charges.open(order, context)),
    find: (reference, context) => checkFound(OpenedChargeShape, () => charges.find(reference, context)),
    remove: (reference, context) => checkOutcome(AcceptanceShape, () => charges.remove(reference, context)),
  };
}
