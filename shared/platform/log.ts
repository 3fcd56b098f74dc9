import { output } from './output.ts';

export type LogLevel = 'info' | 'warn' | 'error';
/** Identifiers, counts and outcomes alone: no names, documents, keys, bodies, tokens or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Writes one JSON line, past `console`, which Lambda would wrap in a second envelope.
 * @param measured Metrics of the same line: `logMeasured` writes them.
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
