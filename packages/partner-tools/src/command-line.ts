import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { howToStart } from './invocation.ts';

/** A failure that the user can remedy: the message names it, `next` the remedy. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** The command line is wrong. */
export class UsageError extends ToolFailure {
  override readonly name = 'UsageError';
}

/** The options of every tool that calls an environment. */
export const environmentOptions = { sandbox: { type: 'string' }, company: { type: 'string' } } as const;
export const environmentUsage = `  --sandbox FILE   sandbox file of the environment (default: sandbox.json in LOCAL_DIR, or in .local)
  --company ID     id or name of the company (default: the first one)`;

/** The values of options, as `parseArgs` gives them. */
export type OptionValues<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];

/** Prints the text for people, with `--json` the record instead. A text without a record is only for people. */
export type Print = (text: string, record?: Readonly<Record<string, unknown>>) => void;

/** Runs a tool with its arguments. @returns The exit code: 0 success; 1 failure; 2 wrong usage. */
export type Command = (args: readonly string[]) => Promise<0 | 1 | 2>;

type Tool<O extends ParseArgsOptionsConfig> = {
  /** The text of `--help`: purpose, command lines, options. */
  readonly usage: string;
  readonly options: O;
  /** Largest number of positional arguments; default: 0. */
  readonly operands?: number;
  /** @returns Whether the tool succeeded. */
  readonly run: (values: OptionValues<O>, operands: readonly string[], print: Print) => Promise<boolean>;
};

const jsonWord = '--json';
const jsonUsage = `${jsonWord} is for programs: it prints one object a line, and \`kind\` names its type.`;

const printText: Print = (text) => {
  console.log(text);
};
const printRecord: Print = (_text, record) => {
  if (record !== undefined) console.log(JSON.stringify(record));
};

/** Runs a tool. A ToolFailure shows no stack trace; with `--json` a failure is a line on standard output, too. */
export async function runTool<O extends ParseArgsOptionsConfig>(
  { usage, options, operands: mostOperands = 0, run }: Tool<O>,
  args: readonly string[],
): Promise<0 | 1 | 2> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`${usage}\n\n${jsonUsage}`);
    return 0;
  }
  const print = args.includes(jsonWord) ? printRecord : printText;
  let parsed;
  try {
    parsed = parseArgs({ args: args.filter((word) => word !== jsonWord), options, allowPositionals: true });
    if (parsed.positionals.length > mostOperands)
      throw new TypeError(`Too many arguments: ${parsed.positionals.join(' ')}`);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  try {
    return (await run(parsed.values, parsed.positionals, print)) ? 0 : 1;
  } catch (error) {
    console.error(`\n✘ ${describeFailure(error)}`);
    if (print === printRecord) print('', { kind: 'failure', message: messageOf(error), ...nextOf(error) });
    return error instanceof UsageError ? 2 : 1;
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
