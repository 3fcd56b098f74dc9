import type { Instant } from '../core/brasilia-time.ts';

/** For whom and at what time the bank is asked. */
export type Asking = { readonly companyId: string; readonly at: Instant };

/**
 * How a command to the bank ended. `REFUSED` is definitive: it is not carried out. `UNKNOWN`: not answered in time, or
 * not as promised, so that it may have been carried out; it is not given again before the bank was asked for it by its
 * reference.
 */
export type CommandEnd<Facts> =
  | { readonly end: 'DONE'; readonly facts: Facts }
  | { readonly end: 'REFUSED'; readonly code?: string; readonly reason: string }
  | { readonly end: 'UNKNOWN' };

/**
 * What the bank says of a command when asked by our reference: the end it had, or that it never saw it, after which it
 * may be given.
 */
export type FoundCommand<Facts> = CommandEnd<Facts> | { readonly end: 'NEVER_SEEN' };

/** The bank cannot be asked now. Nothing was written, and the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}
