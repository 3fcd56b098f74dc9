import { parseArgs } from 'node:util';
import { Refusal } from '../../shared/domain/refusal.ts';
import { StoreUnavailable } from '../../shared/persistence/store.ts';
import type { Said } from './commands.ts';
import { commands } from './commands.ts';
import type { Operator } from './partner.ts';
import { common, usage } from './usage.ts';
import type { Given } from './values.ts';
import { UsageError } from './values.ts';

/** Where to work, as the command line says it. */
export type Place = {
  readonly table?: string | undefined;
  readonly localDir?: string | undefined;
  readonly clientsFile?: string | undefined;
};
export type Terminal = { readonly out: (text: string) => void; readonly err: (text: string) => void };
type CommandLine = { readonly name: string; readonly given: Given; readonly json: boolean };

/** Runs one command line; gives the exit code: 0 done, 1 refused or failed, 2 wrong usage. `connect` opens the place. */
export async function runCommandLine(
  args: readonly string[],
  connect: (place: Place) => Operator,
  { out, err }: Terminal,
): Promise<0 | 1 | 2> {
  if (args.length === 0) {
    err(usage());
    return 2;
  }
  if (args.includes('--help') || args[0] === 'help') {
    out(usage(args.find((arg) => Object.hasOwn(commands, arg))));
    return 0;
  }
  try {
    const { name, given, json } = parse(args);
    const { table, 'local-dir': localDir, 'clients-file': clientsFile } = given;
    const said = await commands[name]?.run(given, connect({ table, localDir, clientsFile }));
    if (said !== undefined) out(json ? JSON.stringify(said, null, 2) : inWords(said));
    return commands[name]?.alarming === true && Array.isArray(said) && said.length > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError || (error instanceof Refusal && error.kind === 'wrong')) {
      err(`${error.message}\nnpm run partner -- --help shows what can be done.`);
      return 2;
    }
    err(error instanceof Refusal ? error.message : failure(error));
    return 1;
  }
}

function parse(args: readonly string[]): CommandLine {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}.`);
  const names = [...Object.keys(command.options), ...Object.keys(common)];
  const texts = Object.fromEntries(names.map((option) => [option, { type: 'string', multiple: true } as const]));
  try {
    const { values } = parseArgs({ args: rest, options: { ...texts, json: { type: 'boolean' } }, strict: true });
    const { json = false, ...given } = values as Readonly<Record<string, readonly string[]>> & {
      readonly json?: boolean;
    };
    return {
      name,
      json,
      given: Object.fromEntries(Object.entries(given).map(([option, all]) => [option, once(option, all)])),
    };
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** A repeated option is a mistake of which nobody can say which value was meant. */
function once(option: string, values: readonly string[]): string {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) throw new UsageError(`--${option} is given ${values.length} times.`);
  return value;
}

function inWords(said: Said | readonly Said[]): string {
  if (!(said instanceof Array)) return record(said);
  return said.length === 0 ? 'None.' : said.map(record).join('\n\n');
}

function record(said: Said): string {
  const width = Math.max(...Object.keys(said).map((name) => name.length));
  const lines = Object.entries(said).map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`);
  const secret = Object.keys(said).some((name) => name.endsWith('Secret'));
  return [...lines, ...(secret ? ['The secret is shown this once: hand it over safely.'] : [])].join('\n');
}

/** Says what failed; the text of an error of the SDK names no data. */
function failure(error: unknown): string {
  if (error instanceof StoreUnavailable)
    return 'The table does not answer; whether the command took effect is unknown. Repeat it with the same ids and keys.';
  return error instanceof Error ? `${error.name}: ${error.message}` : 'Failed.';
}
