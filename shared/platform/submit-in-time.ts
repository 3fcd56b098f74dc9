import { errorFields, log } from './log.ts';

/**
 * `ACCEPTED`: the bank has it. `REFUSED`: final. `MISSED`: its hour came first, and it has ended. `UNKNOWN`: a later
 * request to the bank tells.
 */
export type SubmittedCommand = 'ACCEPTED' | 'REFUSED' | 'MISSED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Milliseconds for the bank from the start of a request: its error must be written before
 * `endpointFunction.timeoutSeconds`.
 */
const bankTimeMs = 7500;

/** What is left of `bankTimeMs`, counted from this call. */
export function timeForBank(elapsedMs: () => number): () => number {
  const startedMs = elapsedMs();
  return () => startedMs + bankTimeMs - elapsedMs();
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
    if ((await submit()) === 'UNKNOWN') log('warn', 'the bank did not say whether it has a command', command);
  } catch (error) {
    log('error', 'a command was not submitted to the bank', { ...command, ...errorFields(error) });
  }
}
