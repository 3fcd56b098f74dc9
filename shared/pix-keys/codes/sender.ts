import type { Instant } from '#shared/core/brasilia-time.ts';
import type { CodeName, ConfirmableKey } from '../model.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type CodeMessage = ConfirmableKey & {
  readonly code: string;
  /** Expiry of the code, by the company's time. */
  readonly validUntil: Instant;
};

/**
 * `KEPT`: it does not leave this environment. `REFUSED`: the address can never be reached. `FAILED`: not sent, or
 * unknown; it is tried again while the code is valid. `reason` names the error, never its contents.
 */
export type SendResult =
  { readonly outcome: 'SENT' | 'KEPT' } | { readonly outcome: 'REFUSED' | 'FAILED'; readonly reason: string };

/** Sends a code to the holder. Never throws. */
export type CodeSender = (message: CodeMessage) => Promise<SendResult>;

/** What a build does with sent codes, chosen by `#sandbox`: production keeps no code and has no `outbox`. */
export type SentCodes = {
  /** Keeps the last message of a validation for the simulation tool, for a day. @param at by the machine's clock */
  readonly keepSentCode: (
    store: Store,
    companyId: string,
    sent: CodeName & CodeMessage & { readonly at: Instant },
  ) => Promise<void>;
  /**
   * Replaces an e-mail or phone service that is not configured: only the simulation tool reads the codes that it keeps.
   */
  readonly outbox: CodeSender | undefined;
};
