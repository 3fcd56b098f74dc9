import type * as simulated from './simulated/build.ts';

/*
 * Production's replacement of the simulated bank: no bank. `#simulated-bank` in package.json's `imports` is this file,
 * or shared/bank/simulated/build.ts with the condition `simulation` or `simulated-bank`. The bundler chooses.
 */
export const hasSimulatedBank = ((): boolean => false)();
export const codesForAddress: typeof simulated.codesForAddress = (counted) => counted;
export const simulatedDirectory: typeof simulated.simulatedDirectory | undefined = undefined;
export const simulatedKeys: typeof simulated.simulatedKeys | undefined = undefined;
export const simulatedPayouts: typeof simulated.simulatedPayouts | undefined = undefined;
export const simulatedCharges: typeof simulated.simulatedCharges | undefined = undefined;
export const simulatedRefunds: typeof simulated.simulatedRefunds | undefined = undefined;
export const simulatedRecurrences: typeof simulated.simulatedRecurrences | undefined = undefined;
export const simulatedRecurringCharges: typeof simulated.simulatedRecurringCharges | undefined = undefined;
export const simulatedTimeouts: typeof simulated.simulatedTimeouts | undefined = undefined;
