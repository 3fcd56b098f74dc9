import type { BankConnection } from '../connection.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { ChargeState, ReceivedPayment } from './charges.ts';
import type { PaymentState } from './payouts.ts';
import type { OpenedRecurrence } from './recurrences.ts';
import type { RecurringChargeState } from './recurring-charges.ts';
import type { RefundState } from './refunds.ts';

/** Money that came in (`pix`). */
export type ReceivedPix = ReceivedPayment & {
  /** `txid` of the cob or cobr. Absent: a Pix to the bare key. */
  readonly txid?: string;
  /** The key that it was sent to, where the bank names it. */
  readonly chave?: string;
  /** Fee that the bank keeps (Efí's `tarifa`). */
  readonly fee?: Centavos;
};

/** A payout as the bank lists it. */
export type SentPix = {
  /** `idEnvio`: the order's id without hyphens. Absent for what the service did not send. */
  readonly reference?: string;
  readonly endToEndId?: string;
  readonly amount: Centavos;
  readonly state: PaymentState;
  /** Efí's `tarifa`. */
  readonly fee?: Centavos;
};

type RecurrenceFound = {
  readonly idRec: string;
  /** Id of the location of its code. */
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
 * One page of a list. `pages`: how many there are now (from 0 to `pages` - 1). `unreadable`: items that are not what
 * the bank promises; `unreadableIds`: theirs, where they have one.
 */
export type BankPage<T> = {
  readonly items: readonly T[];
  readonly pages: number;
  readonly unreadable?: number;
  readonly unreadableIds?: readonly string[];
};

/** A list, page by page. `withinMs`: the time of the one who reads, if it is less than a page may take. */
export type Listed<T> = (from: Instant, to: Instant, page: number, withinMs?: number) => Promise<BankPage<T>>;

/**
 * Queries of a bank's current data, each one call; undefined when it has none. List windows are by creation.
 * @throws BankUnavailable also for a reply about another thing than was asked for
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
  readonly listSent: Listed<SentPix>;
  readonly listRecurrences: Listed<RecurrenceFound>;
  readonly listRecurringCharges: Listed<RecurringChargeFound>;
  readonly balance: () => Promise<Centavos>;
  /** Returns the expiry of the certificate that the bank knows us by. */
  readonly certificateExpiry: () => Promise<Instant>;
};

/** The reader of a company's bank. @throws BankUnavailable; Error for a company without a connection */
export type ReaderOf = (connection: BankConnection) => Promise<BankReader>;
