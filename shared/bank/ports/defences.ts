import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Command, UncheckedCommand } from '../outcome.ts';
import { checkedCommand } from '../outcome.ts';

/** The receiver's answer to a payer's claim (MED). */
export type DefenceOrder = {
  /** The id of the defence, the same on every repetition. */
  readonly reference: string;
  /** The bank's id of the claim: it takes one defence of it. */
  readonly claimId: string;
  /** When the claim was created at the bank, by which its list finds it. */
  readonly claimedAt: Instant;
  readonly text: string;
  /** Addresses of documents. */
  readonly documents: readonly string[];
};

const DefenceStateShape = z.object({ status: z.literal('SENT') });
export type DefenceState = z.output<typeof DefenceStateShape>;

/**
 * Gives the bank a defence. A lookup reads the claim: the defence is `NEVER_SEEN` while the claim waits for one, and
 * refused when the bank has another one or has decided without one.
 */
export type Defences = Command<DefenceOrder, DefenceState>;
export type UncheckedDefences = UncheckedCommand<DefenceOrder>;

export function checkedDefences(defences: UncheckedDefences): Defences {
  return checkedCommand(DefenceStateShape, defences);
}
