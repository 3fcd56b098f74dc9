import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { OwnerBank, Party } from '#shared/core/party.ts';
import type { Acceptance, RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** An immediate charge by QR code: the `cob` of the BCB's API Pix. */
export type ChargeOrder = {
  /** The requested `txid`: ours, the same on every repetition. */
  readonly reference: string;
  readonly amount: Centavos;
  readonly receiver: OwnerBank;
  readonly payer: Party;
  readonly description: string;
  readonly expireDateTime: Instant;
};

/** Text of the bank's in a QR code, or a QR code (MPI 2.5: location at most 77 characters, code at most 512). */
export const LocationShape = z.string().refine((url) => parseLocation(url) !== undefined);
export const QrcodeShape = z.string().regex(/^000201[\x20-\x7e]{1,506}$/u);

const OpenedChargeShape = z.object({
  /** The bank's `txid`: ours if it takes ours. */
  txid: z.string().regex(/^[A-Za-z0-9]{26,35}$/u),
  /** `location` of the cob's payload, without scheme. */
  location: LocationShape,
  /** The whole code, if the bank builds it. */
  qrcode: QrcodeShape.exactOptional(),
  state: z.enum(['ACTIVE', 'PAID', 'REMOVED']),
});
export type OpenedCharge = z.output<typeof OpenedChargeShape>;

export type Charges = {
  readonly open: (order: ChargeOrder, context: RequestContext) => Promise<CommandOutcome<OpenedCharge>>;
  /** The cob of a reference. */
  readonly find: (reference: string, context: RequestContext) => Promise<FoundCommand<OpenedCharge>>;
  /** Removes the cob, so that it cannot be paid. Refused when it is paid. */
  readonly remove: (reference: string, context: RequestContext) => Promise<CommandOutcome<Acceptance>>;
};

export function checkedCharges(charges: UncheckedPort<Charges>): Charges {
  return {
    open: (order, context) => checkOutcome(OpenedChargeShape, () => charges.open(order, context)),
    find: (reference, context) => checkFound(OpenedChargeShape, () => charges.find(reference, context)),
    remove: (reference, context) => checkOutcome(AcceptanceShape, () => charges.remove(reference, context)),
  };
}
