import type { Capabilities } from '#shared/bank/capabilities.ts';
import type { Manifest } from '../manifest.ts';
import { bankReader } from './reader.ts';

// The parts of Efí's dialect.
export { parseCallback } from './callback.ts';
export { apiPixCharges as charges, apiPixRefunds as refunds } from './charges.ts';
export { check } from './check.ts';
export { connecting } from './connecting.ts';
export { parseSecret } from './credentials.ts';
export { efiDefences as defences } from './defences.ts';
export { efiDirectory as directory } from './directory.ts';
export { open } from './open.ts';
export { efiPayouts as payouts } from './payouts.ts';
export { apiPixRecurrences as recurrences } from './recurrences.ts';
export { apiPixRecurringCharges as recurringCharges } from './recurring-charges.ts';

export const reader: Manifest['reader'] = ({ client }, now) => bankReader(client, now);

/** Capabilities of Efí: API Pix 2.9 of the BCB, its own payouts, and its list of claims (infrações). */
export const capabilities: Capabilities = {
  charges: true,
  refunds: true,
  claims: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: false,
    accountTypes: ['CHECKING_ACCOUNT', 'SAVINGS_ACCOUNT'],
    ted: false,
    tedAccountTypes: [],
    cancel: false,
  },
  keys: [],
  keyLookup: 'NONE',
  balance: true,
  retryOwner: 'bank',
  repetition: {
    refund: 'REFUSED',
    defence: 'REFUSED',
    key: 'REFUSED',
    recurrence: 'REFUSED',
    recurrenceCancellation: 'REFUSED',
    recurringCharge: 'REFUSED',
    payout: 'REFUSED',
    accountPayout: 'REFUSED',
    ted: 'REFUSED',
  },
  isPolled: true,
  settlementDriver: 'bank',
};
