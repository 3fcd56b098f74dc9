import type { Instant } from '../domain/brasilia-time.ts';
import type { Centavos } from '../domain/money.ts';
import type { BankData, Counterpart, OwnerBank, Party } from '../domain/party.ts';
import type { Initiation } from '../domain/payout.ts';
import type { PixKey } from '../domain/pix-key.ts';

/** Whose account a key leads to, and where it is. */
export type KeyOwner = Party & { readonly bank: BankData };

/** What stands behind the address of a dynamic QR code. Without `amount` the payer chooses it. */
export type Charge =
  | {
      readonly state: 'OPEN';
      readonly key: PixKey;
      readonly owner: KeyOwner;
      readonly txid: string;
      readonly amount?: Centavos;
    }
  | { readonly state: 'EXPIRED' }
  | { readonly state: 'NOT_PAYABLE' };

/** For whom and at what time the bank is asked. */
export type Asking = { readonly companyId: string; readonly at: Instant };

/** One payment, named for ever by its end-to-end id (PIX) or its control number (TED). */
export type PaymentReference = { readonly endToEndId: string } | { readonly controlNumber: string };

export type Instruction = {
  readonly reference: PaymentReference;
  readonly initiation: Initiation;
  readonly amount: Centavos;
  readonly payer: OwnerBank;
  readonly receiver: Counterpart;
  readonly description: string;
  readonly txid?: string;
};

/** `accepted` is a promise to try, not a settlement. A refusal is definitive: the money will not be sent. */
export type Submission = { readonly accepted: true } | { readonly accepted: false; readonly reason: string };

/**
 * The bank behind the service. Any call may throw `BankUnavailable`: it was not carried out, or it is not known whether it
 * was, and may be repeated.
 */
export interface Bank {
  /** The owner of a key by the DICT; undefined when nobody has it. */
  resolveKey(key: PixKey, asking: Asking): Promise<KeyOwner | undefined>;
  /** The charge at the address of a dynamic QR code (`host/path/token`, without scheme); undefined when there is none. */
  resolveCharge(url: string, asking: Asking): Promise<Charge | undefined>;
  /**
   * Hands over a payment. Idempotent by reference: the second time it changes nothing and answers as the first time. One
   * that was canceled is never accepted afterwards.
   */
  submit(instruction: Instruction): Promise<Submission>;
  /** Calls a payment back. Idempotent. `canceled: false` when it is on its way already and can no longer be stopped. */
  cancel(reference: PaymentReference): Promise<{ readonly canceled: boolean }>;
}

/** The bank cannot be asked now. Nothing was written, and the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}
