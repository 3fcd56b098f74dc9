import type { SpiRejection } from '#shared/core/spi-codes.ts';

/**
 * Reserved values for the outcomes of the simulated bank; docs/sandbox.md lists them. RFC 2606 reserves the domain, so
 * no key is real.
 */
export const reservedKeys = {
  notFound: 'key-not-found@bank.example',
  /** The owner is a company that a test is unlikely to name as `receiver`. */
  ownerMismatch: 'owner-mismatch@bank.example',
  /** The bank does not respond: 503. */
  unavailable: 'unavailable@bank.example',
  /** The bank refuses the payout after its creation: `ERROR`, code `AC03`. */
  refused: 'refused@bank.example',
  /** The bank does not respond to the payout's submission: it stays `PENDING` and is retried. */
  timeout: 'silent@bank.example',
} as const;

/** The owner of `reservedKeys.ownerMismatch`. */
export const mismatchingOwner = {
  name: 'Outra Pessoa Ltda',
  document: { type: 'CNPJ', number: '11222333000181' },
} as const;

/**
 * Account numbers of payouts to a `bankAccount`, including TED: one for each refusal code. `timeoutAccount` times out.
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
} as const satisfies Readonly<Record<SpiRejection, string>>;
export const timeoutAccount = '00000503';

/** `key` of a new PIX key that gets no more key codes today: 409 `LIMIT_EXCEEDED`. */
export const limitedKey = 'limit@bank.example';

/** `key` of a new PIX key, of type e-mail, that the bank registers otherwise than at once. */
export const reservedNewKeys = {
  ownedElsewhere: 'owned-elsewhere@bank.example',
  tooMany: 'too-many-keys@bank.example',
  /** The bank does not answer in time: `REGISTERING`, until a worker finds it registered. */
  timeout: reservedKeys.timeout,
} as const;

/** Returns the number of key codes sent to an address today: the limit for the reserved address. */
export function codesForAddress(counted: number, key: string, most: number): number {
  return key === limitedKey ? most : counted;
}

/** Last segments of a dynamic QR code's location. */
export const reservedCharges = {
  notFound: 'charge-not-found',
  expired: 'charge-expired',
  notPayable: 'charge-not-payable',
  unavailable: 'bank-unavailable',
} as const;

/** Reserved descriptions of pay-ins, subscriptions, scheduled payments and refunds. */
export const reservedDescriptions = {
  /** Created in `ERROR` with its notification; a refund fails. */
  refused: 'refused@bank.example',
  /**
   * The first request times out: 503. A repetition with the same idempotency key finishes it. The worker repeats a
   * refund.
   */
  timeout: 'silent@bank.example',
} as const;

/**
 * Returns the code in the description of a scheduled payment (`AC06@bank.example`). The tool uses it for `REJECTED` or
 * `ERROR` if its list has it.
 */
export function requestedCode(description: string | undefined): string | undefined {
  return /^([A-Z0-9]{4})@bank\.example$/u.exec(description ?? '')?.[1];
}
