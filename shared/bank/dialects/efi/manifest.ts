// The parts of Efí's dialect: API Pix 2.9 of the BCB, with Efí's own payouts.
export { capabilities } from './capabilities.ts';
export { parseCallback } from './callback.ts';
export { apiPixCharges as charges, apiPixRefunds as refunds } from './charges.ts';
export { check } from './check.ts';
export { parseSecret } from './credentials.ts';
export { efiDirectory as directory } from './directory.ts';
export { open } from './open.ts';
export { efiPayouts as payouts } from './payouts.ts';
export { bankReader as reader } from './reader.ts';
export { apiPixRecurrences as recurrences } from './recurrences.ts';
export { apiPixRecurringCharges as recurringCharges } from './recurring-charges.ts';
