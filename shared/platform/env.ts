/**
 * Every environment variable of the functions, and the only file that reads them. `TABLE_NAME`: the single table.
 * `QUEUE_URL`: the delivery queue. `DEAD_LETTER_QUEUE_URL`: where messages go that were received five times.
 * `SETTINGS`: what settings.ts declares, as JSON. The first three are known to a deployment alone.
 */
export type EnvName = 'TABLE_NAME' | 'QUEUE_URL' | 'DEAD_LETTER_QUEUE_URL' | 'SETTINGS';

/** The value of one variable. @throws Error that names the variable. */
export function env(name: EnvName): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
