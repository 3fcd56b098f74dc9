import { errorFields, log } from '../platform/log.ts';

/**
 * `ACCEPTED`: the bank has it. `ENDED`: the bank has carried it out. `REFUSED`: final. `MISSED`: its hour came first,
 * and it has ended. `UNKNOWN`: a later request to the bank decides.
 */
export type SubmittedCommand = 'ACCEPTED' | 'ENDED' | 'REFUSED' | 'MISSED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Milliseconds for the bank from the start of a request: its error must be written before the function's timeout
 * (`functions/routes.ts`).
 */
const bankTimeMs = 7500;
/** The same where recurrences are waited for. */
export const recurrenceBankTimeMs = 17_500;

/** Counts down the bank's time from this call, milliseconds. */
export function timeForBank(elapsedMs: () => number, forMs: number = bankTimeMs): () => number {
  const startedMs = elapsedMs();
  return () => startedMs + forMs - elapsedMs();
}

/**
 * Submits a command whose obligation is committed. The request succeeds in any case: the worker repeats what fails
 * here.
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
