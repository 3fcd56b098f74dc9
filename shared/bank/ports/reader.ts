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
  /** Of a cob, or of the attempt of a cobr. Absent: a Pix to the bare key. */
  readonly txid?: string;
  /** The key that it was sent to, where the bank names it. */
  readonly chave?: string;
  /** What the bank keeps for it (Efí's `tarifa`). */
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
  /** Of the location where its code is. */
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
 * What a bank says about a resource now, undefined when it has none: queries, each one call. Windows of lists are those
 * of the creation.
 * @throws BankUnavailable also for an answer about another thing than was asked for
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
  /** When the certificate ends that the bank knows us by. */
  readonly certificateExpiry: () => Promise<Instant>;
};

/** The reader of a company's bank. @throws BankUnavailable; Error for a company without a connection */
export type ReaderOf = (connection: BankConnection) => Promise<BankReader>;
