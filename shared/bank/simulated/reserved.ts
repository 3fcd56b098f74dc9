import type { SpiRefusal } from '#shared/core/spi-codes.ts';

/**
 * Values with which every outcome can be tried on the simulated bank; docs/partners.md lists them. The domain of the
 * keys is reserved for documentation (RFC 2606): none is a real key.
 */
export const reservedKeys = {
  notFound: 'key-not-found@bank.example',
  /** Belongs to a company that no `receiver` in a test is likely to be. */
  ownerMismatch: 'owner-mismatch@bank.example',
  /** The bank cannot be asked: 503, and the same request with the same key may be repeated. */
  unavailable: 'unavailable@bank.example',
  /** The payout is created, then the bank refuses to send it: `ERROR`, code `AC03`. */
  refused: 'refused@bank.example',
  /**
   * The payout is created, but the bank does not answer when it is submitted: it stays `PENDING` and is tried again.
   */
  timeout: 'silent@bank.example',
} as const;

/**
 * Account numbers of payouts to an account (`bankAccount`), TED included: one for each code with which the bank
 * refuses, and one for which it does not answer, as for the key of that name.
 */
export const refusedAccounts = {
  AB03: '00000413',
  AB09: '00000419',
  AC03: '00000404',
  AC06: '00000426',
  AC07: '00000427',
  AC14: '00000424',
  AG03: '00000433',
  AM02: '00000442',
  BE01: '00000451',
  DS04: '00000464',
  ED05: '00000475',
  FRAD: '00000499',
} as const satisfies Readonly<Record<SpiRefusal, string>>;
export const timeoutAccount = '00000503';

/** Last segments of the address in a dynamic QR code. */
export const reservedCharges = {
  notFound: 'charge-not-found',
  expired: 'charge-expired',
  notPayable: 'charge-not-payable',
  unavailable: 'bank-unavailable',
} as const;

/** Descriptions of pay-ins, subscriptions, scheduled charges and refunds. */
export const reservedDescriptions = {
  /** Created in `ERROR`, with its notification; a refund fails. */
  refused: 'refused@bank.example',
  /**
   * Not answered in time: 503 the first time, and the same key finishes it. A refund is submitted again by the
   * worker.
   */
  timeout: 'silent@bank.example',
} as const;

/**
 * The code that the description of a scheduled payment asks for, as `AC06@bank.example`: what the tool's `REJECTED` or
 * `ERROR` then carries, where it is in the list of that transition.
 */
export function requestedCode(description: string | undefined): string | undefined {
  return /^([A-Z0-9]{4})@bank\.example$/u.exec(description ?? '')?.[1];
}
