import type { ErrorStatus } from './error-meanings.ts';
import { recordedErrors } from './recorded-errors.ts';
import type { Json } from './schemas.ts';

/** How an error answer looks, as it was recorded; the simulation tools answer a server failure with texts. */
export function exampleOfError(status: ErrorStatus, tool: boolean): Json {
  const recorded = recordedErrors[String(status)];
  if (recorded === undefined) throw new Error(`No answer is recorded for ${String(status)}: see docs/working.md.`);
  const { answer } = recorded;
  return tool && status >= 500 ? [answer.message] : answer;
}
