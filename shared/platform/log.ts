import { output } from './output.ts';

export type LogLevel = 'info' | 'warn' | 'error';
/** Only identifiers, counts and outcomes: no names, documents, keys, bodies, tokens or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Writes one JSON line without `console`, whose output Lambda would wrap in a second envelope.
 * @param measured metrics of the same line, from `logMeasured`
 */
export function log(level: LogLevel, message: string, fields: LogFields = {}, measured: object = {}): void {
  output().log(`${JSON.stringify({ level, message, ...fields, ...measured })}\n`);
}

/** The log fields of an error. The stack names code, never data. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const cause = error.cause instanceof Error ? error.cause.name : undefined;
  return { errorName: error.name, errorMessage: error.message, stack: error.stack, cause };
}
