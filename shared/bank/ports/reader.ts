import type { BankConnection } from '../connection.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { DisputeKind } from '#shared/core/dispute-kind.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { ChargeState, ReceivedPayment } from './charges.ts';
import type { PaymentState } from './payouts.ts';
import type { OpenedRecurrence } from './recurrences.ts';
import type { RecurringChargeState } from './recurring-charges.ts';
import type { RefundState } from './refunds.ts';

/** A received payment (`pix`). */
export type ReceivedPix = ReceivedPayment & {
  /** `txid` of the cob or cobr. Absent: a Pix to the key, without a charge. */
  readonly txid?: string;
  /** The key to which the Pix was sent, if the bank names it. */
  readonly chave?: string;
  /** The account that received it, where the bank lists each account apart. */
  readonly accountId?: string;
  /** Fee that the bank keeps (Efí's `tarifa`). */
  readonly fee?: Centavos;
};

/** A sent payment in the bank's list. */
export type SentPix = {
  /** `idEnvio`: the order's id without hyphens. Absent for a payment that the service did not send. */
  readonly reference?: string;
  readonly endToEndId?: string;
  readonly amount: Centavos;
  readonly state: PaymentState;
  /** Efí's `tarifa`. */
  readonly fee?: Centavos;
};

/** A payer's claim to a received payment (MED) in the bank's list. */
export type ListedClaim = {
  /** The bank's id. */
  readonly claimId: string;
  /** End-to-end id of the claimed payment. */
  readonly endToEndId: string;
  readonly kind: DisputeKind;
  /** `DEFENDED`: the bank has a defence. `ACCEPTED`: the payment, or a part of it, goes back. */
  readonly status: 'OPEN' | 'DEFENDED' | 'ACCEPTED' | 'REJECTED' | 'CANCELED';
  /** The claimed amount, at most: more than the payment where the bank's unit is not known. */
  readonly amount: Centavos;
  readonly dueAt: Instant;
  readonly reason: string;
  readonly details?: string;
  /** Text of the defence that the bank has. */
  readonly defence?: string;
  /** Whether the bank has received a defence, also after its decision. */
  readonly isDefended: boolean;
  readonly createdAt: Instant;
};

export type RecurrenceFound = {
  readonly idRec: string;
  /** Id of the location in the QR code of the rec. */
  readonly locationId?: number;
  readonly state: OpenedRecurrence;
};
export type RecurringChargeFound = {
  readonly txid: string;
  readonly idRec: string;
  readonly amount?: Centavos;
  readonly state: RecurringChargeState;
};

/**
 * One page of a list. `pages`: the current number of pages (0 to `pages` - 1). `unreadable`: the number of items that
 * do not have the promised shape or contradict another item. `unreadableIds`: ids of malformed items, as far as
 * readable.
 */
export type BankPage<T> = {
  readonly items: readonly T[];
  readonly pages: number;
  readonly unreadable?: number;
  readonly unreadableIds?: readonly string[];
};

/** Reads one page of a list. `withinMs`: the reader's time limit, if it is shorter than the timeout of a page. */
export type Listed<T> = (from: Instant, to: Instant, page: number, withinMs?: number) => Promise<BankPage<T>>;

/**
 * Queries of a bank's current data, one call each; undefined when the bank has no such resource. The time window of a
 * list selects items by their creation.
 * @throws BankUnavailable also for a reply that names another resource than the request
 */
export type BankReader = {
  readonly readCharge: (txid: string) => Promise<ChargeState | undefined>;
  readonly readReceivedPix: (endToEndId: string) => Promise<ReceivedPix | undefined>;
  readonly readRecurrence: (idRec: string) => Promise<OpenedRecurrence | undefined>;
  readonly readRecurringCharge: (
    txid: string,
    known?: { readonly idRec?: string; readonly amount?: Centavos },
  ) => Promise<RecurringChargeFound | undefined>;
  readonly readRefund: (
    endToEndId: string,
    known: { readonly id: string; readonly amount: Centavos },
  ) => Promise<RefundState | undefined>;
  readonly readPayout: (idEnvio: string) => Promise<SentPix | undefined>;
  readonly listReceived: Listed<ReceivedPix>;
  /** Payments without a `txid`: about these no bank calls back. */
  readonly listReceivedToKeys: Listed<ReceivedPix>;
  readonly listSent: Listed<SentPix>;
  readonly listClaims: Listed<ListedClaim>;
  readonly listRecurrences: Listed<RecurrenceFound>;
  readonly listRecurringCharges: Listed<RecurringChargeFound>;
  readonly balance: () => Promise<Centavos>;
  /** Returns the expiry of the certificate that the bank knows us by, if it knows us by one. */
  readonly certificateExpiry: () => Promise<Instant | undefined>;
};

/** The reader of a company's bank. @throws BankUnavailable; Error for a company without a connection */
export type ReaderOf = (connection: BankConnection) => Promise<BankReader>;
