import { parseArgs } from 'node:util';
import { Refusal } from '#shared/core/errors.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { CommandOutput } from './commands.ts';
import { commands } from './commands.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { commonOptions, usage } from './usage.ts';
import type { OptionValues } from './values.ts';
import { UsageError } from './values.ts';

/** The table to work on, as the command line names it. */
export type Target = {
  readonly table?: string | undefined;
  readonly localDir?: string | undefined;
  readonly clientsFile?: string | undefined;
};
type Terminal = { readonly out: (text: string) => void; readonly err: (text: string) => void };
type CommandLine = { readonly name: string; readonly values: OptionValues; readonly json: boolean };

/**
 * Runs one command line; gives the exit code: 0 done, 1 refused or failed, 2 wrong usage. `connect` opens the target.
 */
export async function runCommandLine(
  args: readonly string[],
  connect: (target: Target) => OperatorDependencies,
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
    const { name, values, json } = parseCommandLine(args);
    const { table, 'local-dir': localDir, 'clients-file': clientsFile } = values;
    const output = await commands[name]?.run(values, connect({ table, localDir, clientsFile }), err);
    if (output !== undefined) out(json ? JSON.stringify(output, null, 2) : formatOutput(output));
    return commands[name]?.alarming === true && Array.isArray(output) && output.length > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError || (error instanceof Refusal && error.kind === 'wrong')) {
      err(`${error.message}\nnpm run operator -- --help shows what it can do.`);
      return 2;
    }
    err(error instanceof Refusal ? error.message : describeFailure(error));
    return 1;
  }
}

function parseCommandLine(args: readonly string[]): CommandLine {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}.`);
  const names = [...Object.keys(command.options), ...Object.keys(commonOptions)];
  const texts = Object.fromEntries(names.map((option) => [option, { type: 'string', multiple: true } as const]));
  try {
    const options = { ...texts, json: { type: 'boolean' } } as const;
    const values: Readonly<Record<string, unknown>> = parseArgs({ args: rest, options, strict: true }).values;
    const single = names.flatMap((option) => {
      const given = values[option];
      return Array.isArray(given) ? [[option, singleValue(option, given)] as const] : [];
    });
    return { name, json: values['json'] === true, values: Object.fromEntries(single) };
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Of a repeated option nobody can say which value was meant. */
function singleValue(option: string, values: readonly unknown[]): string {
  const [value, ...more] = values;
  if (typeof value !== 'string' || more.length > 0)
    throw new UsageError(`--${option} is given ${values.length} times.`);
  return value;
}

function formatOutput(output: CommandOutput | readonly CommandOutput[]): string {
  if (!(output instanceof Array)) return formatRecord(output);
  return output.length === 0 ? 'None.' : output.map(formatRecord).join('\n\n');
}

function formatRecord(output: CommandOutput): string {
  const width = Math.max(...Object.keys(output).map((name) => name.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  const lines = Object.entries(output).map(([name, value]) => {
    const texts =
      value instanceof Array ? value.map((one) => Object.values(one).map(formatFact).join('  ')) : [formatFact(value)];
    return `${name.padEnd(width)}  ${texts.length === 0 ? '-' : texts.join(indent)}`;
  });
  const secret = Object.keys(output).some((name) => name.endsWith('Secret'));
  return [...lines, ...(secret ? ['The secret is shown this once: hand it over safely.'] : [])].join('\n');
}

function formatFact(value: string | number | null): string {
  return value === null ? '-' : String(value);
}

/** What failed, in words; the message of an error of the SDK names no data. */
function describeFailure(error: unknown): string {
  if (error instanceof StoreUnavailable)
    return 'The table does not answer; whether the command took effect is unknown. Repeat it with the same ids and keys.';
  return error instanceof Error ? `${error.name}: ${error.message}` : 'Failed.';
}
