import type { Instant } from '#shared/core/brasilia-time.ts';
import type { CodeName, ConfirmableKey } from '../model.ts';
import type { Store } from '#shared/platform/table/store.ts';

/** A code, and where it goes. */
export type CodeMessage = ConfirmableKey & {
  readonly code: string;
  /** End of the code, by the company's time. */
  readonly validUntil: Instant;
};

/**
 * The result of a sending. `KEPT`: it does not leave this environment. `REFUSED`: this address cannot be reached,
 * another try would end in the same way. `FAILED`: it was not sent, or that is unknown; it is tried again while the
 * code is valid. `reason` names the error, never its contents.
 */
export type SendResult =
  { readonly outcome: 'SENT' | 'KEPT' } | { readonly outcome: 'REFUSED' | 'FAILED'; readonly reason: string };

/** Brings codes to holders. Never throws. */
export type CodeSender = (message: CodeMessage) => Promise<SendResult>;

/**
 * What a build knows of codes that were sent. `#sent-codes` is one of two files, chosen when a function is bundled
 * (the condition `simulation` of package.json's `imports`): production holds `forget-sent-code.ts`, which keeps no
 * code and sends none by itself; every other environment `keep-sent-code.ts`. No variable and no switch decides it
 * while a function runs.
 */
export type SentCodes = {
  /** Keeps the last message of a validation for the simulation tool, for a day. @param at by the machine's clock */
  readonly keepSentCode: (
    store: Store,
    companyId: string,
    sent: CodeName & CodeMessage & { readonly at: Instant },
  ) => Promise<void>;
  /**
   * Stands for e-mail and phone services where none are configured, or not for this address: what it "sends" can only
   * be read by the tool.
   */
  readonly outbox: CodeSender | undefined;
};
