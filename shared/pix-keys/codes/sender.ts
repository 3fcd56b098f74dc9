import type { Instant } from '#shared/core/brasilia-time.ts';
import type { ConfirmableKey } from '../model.ts';

/** A code, and where it goes. */
export type CodeMessage = ConfirmableKey & {
  readonly code: string;
  /** End of the code, by the company's time. */
  readonly validUntil: Instant;
};

/**
 * What became of a sending. `KEPT`: it was handed to nobody, as this environment is to do. `REFUSED`: this address
 * cannot be reached, another try would end in the same way. `FAILED`: it was not sent, or nobody knows; it is tried
 * again while the code is valid. `reason` names the error, never what it was about.
 */
export type Sending =
  { readonly outcome: 'SENT' | 'KEPT' } | { readonly outcome: 'REFUSED' | 'FAILED'; readonly reason: string };

/** Whoever brings codes to holders. Never throws. */
export type CodeSender = (message: CodeMessage) => Promise<Sending>;
