import type { Document } from './document.ts';
import type { PixKey } from './pix-key.ts';

export type Party = { readonly name: string; readonly document: Document };

/** An account at a bank, as in notifications (section 6.2, `bank`). */
export type BankData = {
  readonly ispb: string;
  readonly name?: string;
  readonly branch?: string;
  readonly account: string;
  readonly accountType?: string;
  /** COMPE number. */
  readonly code?: string;
};

/** The other side of a payment. */
export type Counterpart = Party & { readonly bank?: BankData; readonly pix?: PixKey };

/** The company's own account in a notification (section 6.2, `ownerBank`). */
export type OwnerBank = {
  readonly name: string;
  readonly document: string;
  readonly bank: BankData;
  readonly pix?: PixKey;
};
