import type { DueQueueVariable } from './jobs/due-kinds.ts';

/**
 * Every environment variable of the functions; no other file reads them. `TABLE_NAME`: the table. `QUEUE_URL`: the
 * delivery queue. `DEAD_LETTER_QUEUE_URL`: its dead letters. `DRAIN_QUEUE_URL`: the queue of drains.
 * `CALLBACK_QUEUE_URL`: the queue of bank events from callbacks. `CALLBACK_UNKNOWN_QUEUE_URL`: the queue of those bank
 * events whose ids the company is not known to have. `METRIC_NAMESPACE`: as metrics.ts builds it; every function has
 * it. `ERROR_PAGES`: where the pages of errors are, up to the code at the end of their addresses. `CALLBACK_HOST`: the
 * domain that banks call, or `none`. `SETTINGS`: JSON as settings.ts declares. `SIGNING_KEY`: ARN of the key that signs
 * roots and certificates. `ROOTS_BUCKET`: the bucket of signed roots.
 * `DUE_…_QUEUE_URL`: the queue of due jobs of a family; its worker alone has it.
 */
export type EnvName =
  | DueQueueVariable
  | 'TABLE_NAME'
  | 'QUEUE_URL'
  | 'DEAD_LETTER_QUEUE_URL'
  | 'DRAIN_QUEUE_URL'
  | 'CALLBACK_QUEUE_URL'
  | 'CALLBACK_UNKNOWN_QUEUE_URL'
  | 'CALLBACK_HOST'
  | 'SIGNING_KEY'
  | 'ROOTS_BUCKET'
  | 'METRIC_NAMESPACE'
  | 'ERROR_PAGES'
  | 'SETTINGS';

/** The value of one variable. @throws Error that names the variable. */
export function env(name: EnvName): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
