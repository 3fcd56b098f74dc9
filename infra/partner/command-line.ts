import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';

/** Something that the user can mend: the message says what, `next` what to do about it. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
  readonly next: string;
  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }
}

/** The command line names something that cannot be meant. */
export class WrongUse extends ToolFailure {
  override readonly name = 'WrongUse';
}

/** The options that every tool which calls an environment takes. */
export const environmentOptions = { sandbox: { type: 'string' }, company: { type: 'string' } } as const;
export const environmentUsage = `  --sandbox FILE   the environment that this sandbox file names (default: that in LOCAL_DIR, or .local)
  --company ID     id or name of the company to act for (default: the first one)`;

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];

/** A command of `npm run`: what it is called with, and what it does. */
type Tool<O extends ParseArgsOptionsConfig> = {
  /** What `--help` prints: what it does, the command lines, the options. */
  readonly usage: string;
  readonly options: O;
  /** How many words without an option it takes; none unless said. */
  readonly words?: number;
  /** @returns Whether all was well. */
  readonly run: (values: Values<O>, words: readonly string[]) => Promise<boolean>;
};

/**
 * Runs a tool and gives its exit code: 0 all was well; 1 something was not as it should be, or failed; 2 the command
 * line is wrong. What the user can mend is said in a sentence and without a stack trace.
 */
export async function runTool<O extends ParseArgsOptionsConfig>(
  { usage, options, words: mostWords = 0, run }: Tool<O>,
  args: readonly string[],
): Promise<0 | 1 | 2> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    if (parsed.positionals.length > mostWords) throw new TypeError(`Too many words: ${parsed.positionals.join(' ')}`);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  try {
    return (await run(parsed.values, parsed.positionals)) ? 0 : 1;
  } catch (error) {
    console.error(`\n✘ ${describeFailure(error)}`);
    return error instanceof WrongUse ? 2 : 1;
  }
}

/** What a broken connection means to somebody who runs a tool. */
const unreachable = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|was not answered within/u;

function describeFailure(error: unknown): string {
  if (error instanceof ToolFailure) return `${error.message}\n  ${error.next}`;
  const message = messageOf(error);
  if (unreachable.test(message))
    return `No environment answers: ${message}\n  Start one with "npm start" in another terminal, and try again.`;
  if (/^(EACCES|EPERM|EROFS|ENOSPC): .* '/u.test(message))
    return `${message}\n  Is it a file of your own user, on a disk that takes more?`;
  return error instanceof Error ? (error.stack ?? message) : message;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
