import * as z from 'zod';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { OwnerBank, Party } from '#shared/core/party.ts';
import type { Asking, CommandEnd, FoundCommand, Unchecked } from '../outcome.ts';
import { checkEnd, checkFound } from '../outcome.ts';

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
const Removed = z.object({});
export type OpenedCharge = z.output<typeof OpenedChargeShape>;

export type Charges = {
  readonly open: (order: ChargeOrder, asking: Asking) => Promise<CommandEnd<OpenedCharge>>;
  /** What became of a charge that was asked for, or may have been. */
  readonly find: (reference: string, asking: Asking) => Promise<FoundCommand<OpenedCharge>>;
  /** Removes the charge: nobody can pay it afterwards. Refused when it is paid. */
  readonly remove: (reference: string, asking: Asking) => Promise<CommandEnd<z.output<typeof Removed>>>;
};

export function checkedCharges(charges: Unchecked<Charges>): Charges {
  return {
    open: (order, asking) => checkEnd(OpenedChargeShape, () => charges.open(order, asking)),
    find: (reference, asking) => checkFound(OpenedChargeShape, () => charges.find(reference, asking)),
    remove: (reference, asking) => checkEnd(Removed, () => charges.remove(reference, asking)),
  };
}
