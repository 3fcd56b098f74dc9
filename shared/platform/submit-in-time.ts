import { errorFields, log } from './log.ts';

/**
 * `ACCEPTED`: the bank has it. `REFUSED`: it never will. `MISSED`: its hour came first, and it has ended.
 * `UNKNOWN`: the bank is asked again later.
 */
export type SubmittedCommand = 'ACCEPTED' | 'REFUSED' | 'MISSED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Time for the bank's responses, milliseconds from the start of a request: an error of the bank must still be written
 * before the function ends (`endpointFunction.timeoutSeconds`).
 */
const bankTimeMs = 7500;

/** What is left of `bankTimeMs`, counted from this call. */
export function timeForBank(elapsedMs: () => number): () => number {
  const startedMs = elapsedMs();
  return () => startedMs + bankTimeMs - elapsedMs();
}

/**
 * Submits a command whose obligation is committed. The request is answered in any case: a failure here is found due by
 * the worker.
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
