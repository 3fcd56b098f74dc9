import { errorFields, log } from './log.ts';

/** `ACCEPTED`: the bank has it. `REFUSED`: it never will. `UNKNOWN`: the bank is asked again later. */
export type SubmittedCommand = 'ACCEPTED' | 'REFUSED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Submits a command whose obligation is committed. The request is answered whatever becomes of this: what goes wrong
 * here is done again by the worker that finds it due.
 */
export async function submitInTime(
  submit: () => Promise<SubmittedCommand>,
  command: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    if ((await submit()) === 'UNKNOWN') log('warn', 'the bank did not say whether it has a command', command);
  } catch (error) {
    log('error', 'a command was not handed to the bank', { ...command, ...errorFields(error) });
  }
}
