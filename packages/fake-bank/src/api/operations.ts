import { chargeOperations } from './charges.ts';
import { claimOperations } from './claims.ts';
import { payoutOperations } from './payouts.ts';
import { receivedOperations } from './received.ts';
import { locationOperations, recurrenceOperations } from './recurrences.ts';
import { recurringChargeOperations } from './recurring-charges.ts';
import type { Operation } from '../session.ts';
import { webhookOperations } from './webhooks.ts';

/** All operations of the bank: API Pix 2.9 under `/v2`, and Efí's payouts and claims. */
export const operations: readonly Operation[] = [
  ...chargeOperations,
  ...receivedOperations,
  ...claimOperations,
  ...locationOperations,
  ...recurrenceOperations,
  ...recurringChargeOperations,
  ...payoutOperations,
  ...webhookOperations,
];
