import { errorFields, log } from '../platform/log.ts';

/**
 * Result of a submission. `ACCEPTED`: the bank has the command. `ENDED`: the bank has carried it out. `REFUSED`: final.
 * `MISSED`: its deadline passed before the bank had it; final. `UNKNOWN`: a later request to the bank decides.
 */
export type SubmittedCommand = 'ACCEPTED' | 'ENDED' | 'REFUSED' | 'MISSED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Milliseconds for the bank from the start of a request. A bank error must be written before the function's timeout
 * (`functions/routes.ts`).
 */
const bankTimeMs = 7500;
/** Milliseconds for the bank in requests that wait for a recurrence. */
export const recurrenceBankTimeMs = 17_500;

/** Returns a function of the milliseconds left for the bank, counted from this call. */
export function timeForBank(elapsedMs: () => number, forMs: number = bankTimeMs): () => number {
  const startedMs = elapsedMs();
  return () => startedMs + forMs - elapsedMs();
}

/**
 * Submits a command that is committed as due work. The request succeeds in any case: the worker repeats a submission
 * that fails here.
 */
export async function submitInTime(
  submit: () => Promise<SubmittedCommand>,
  command: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    if ((await submit()) === 'UNKNOWN') log('warn', 'Bank did not confirm a command', command);
  } catch (error) {
    log('error', 'Cannot submit a command to the bank', { ...command, ...errorFields(error) });
  }
}
