import type { Story } from './story.ts';
import { journey3, keyByPhone, lostReply, partlyPaid } from './order-scenarios.ts';
import { newAttempt, payerCancels, settlementErrors, threeMonths } from './subscription-scenarios.ts';
import { receiverDown, rotation } from './webhook-scenarios.ts';

/** Every story, in the order in which they are listed. */
export const stories: readonly Story[] = [
  threeMonths,
  journey3,
  payerCancels,
  settlementErrors,
  newAttempt,
  partlyPaid,
  lostReply,
  receiverDown,
  rotation,
  keyByPhone,
];
