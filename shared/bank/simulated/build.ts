/*
 * The simulated bank of every build except production's: `#simulated-bank` with the condition `simulation` or
 * `simulated-bank`.
 */
export const hasSimulatedBank = true;
export { simulatedDirectory } from './directory.ts';
export { simulatedKeys } from './keys.ts';
export { codesForAddress } from './reserved.ts';
export { simulatedPayouts } from './payouts.ts';
export {
  simulatedCharges,
  simulatedRecurrences,
  simulatedRecurringCharges,
  simulatedRefunds,
  simulatedTimeouts,
} from './receiving.ts';
