import { Command, CommanderError, Option } from 'commander';
import { ProblemsFound, ToolFailure, UsageError } from './failures.ts';
import type { ToolName } from './invocation.ts';
import { commandLine, howToStart } from './invocation.ts';

/** Values of the options of a tool: `--json`, and the named ones, which Commander names in camel case. */
export type OptionsOf<Names extends string> = Readonly<{ json?: true } & Partial<Record<Names, string>>>;
/** Values of the options of a tool that calls an environment. */
export type EnvironmentOptions<Names extends string = never> = OptionsOf<Names | 'sandbox' | 'company'>;

export const sandboxOption = new Option(
  '--sandbox <FILE>',
  'sandbox file of the environment (default: sandbox.json in LOCAL_DIR, or in .local)',
);

/** Begins the definition of a tool. Its other options, its argument and its action follow. */
export function defineTool(name: ToolName, about: string): Command {
  const tool = new Command(name).description(about).showHelpAfterError().exitOverride();
  return tool
    .configureHelp({ commandUsage: () => commandLine(name, tool.usage()) })
    .option('--json', 'for programs: prints one object a line, and `kind` names its type')
    .hook('preAction', () => {
      // Commander takes the next option for the value of an option that has none.
      const values = Object.values(tool.opts<Record<string, string | true>>());
      const taken = values.find((value) => value !== true && /^--[a-z]/u.test(value));
      if (taken !== undefined) tool.error(`error: the option before ${taken} has no value`);
    });
}

/** Begins the definition of a tool that calls an environment. */
export function defineEnvironmentTool(name: ToolName, about: string): Command {
  return defineTool(name, about)
    .addOption(sandboxOption)
    .option('--company <ID>', 'id or name of the company (default: the first one)');
}

/** Prints the text for people, with `--json` the record instead. A text without a record is only for people. */
export type Print = (text: string, record?: Readonly<Record<string, unknown>>) => void;

const printText: Print = (text) => {
  console.log(text);
};
const printRecord: Print = (_text, record) => {
  if (record !== undefined) console.log(JSON.stringify(record));
};

export function printFor({ json }: OptionsOf<never>): Print {
  return json === true ? printRecord : printText;
}

/**
 * Runs a tool, or a program of tools. A ToolFailure shows no stack trace; with `--json` a failure is a line on standard
 * output, too.
 * @returns The exit code: 0 success; 1 failure; 2 wrong usage.
 */
export async function runProgram(program: Command, args: readonly string[]): Promise<0 | 1 | 2> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof ProblemsFound) return 1;
    // Commander has printed the help or the error.
    const isPrinted = error instanceof CommanderError;
    if (isPrinted && error.exitCode === 0) return 0;
    if (!isPrinted) console.error(`\n✘ ${describeFailure(error)}`);
    if (args.includes('--json')) printRecord('', { kind: 'failure', message: messageOf(error), ...nextOf(error) });
    return isPrinted || error instanceof UsageError ? 2 : 1;
  }
}

/** Messages of a connection that failed. */
const unreachable = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|got no response within/u;

function describeFailure(error: unknown): string {
  if (error instanceof ToolFailure) return `${error.message}\n  ${error.next}`;
  const message = messageOf(error);
  if (unreachable.test(message)) return `No environment responds: ${message}\n  ${howToStart}, and try again.`;
  if (/^(EACCES|EPERM|EROFS|ENOSPC): .* '/u.test(message))
    return `${message}\n  Check that your user may write the file, and that the disk has free space.`;
  return error instanceof Error ? (error.stack ?? message) : message;
}

function nextOf(error: unknown): { readonly next?: string } {
  return error instanceof ToolFailure ? { next: error.next } : {};
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
