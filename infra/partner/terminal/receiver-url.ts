import { WrongUse } from '../command-line.ts';

/**
 * The address of a receiver that a command line names.
 * @throws WrongUse when it is none; `example` shows a good command line.
 */
export function receiverUrl(text: string | undefined, example: string): string {
  if (text !== undefined && URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text;
  throw new WrongUse(`${text ?? 'Nothing'} is no address of a receiver.`, `Name it, as ${example}`);
}
