import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Folder of the repository. Commands run there unless `folder` names another one. */
export const root = process.cwd();

type CommandOptions = {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its output goes to the end of this file instead of the terminal. */
  readonly log?: string;
  /** Another checkout to run in, with that checkout's programs first on the path. */
  readonly folder?: string;
  /** The command may ask questions at the terminal. */
  readonly asks?: true;
};

export type Command = readonly [string, ...string[]];

function start(
  [program, ...args]: Command,
  { environment, folder = root, asks }: CommandOptions,
  ...out: (number | 'inherit' | 'pipe')[]
) {
  const env = { ...process.env, PATH: pathWithPackages(folder), ...environment };
  return spawn(program, args, { cwd: folder, env, stdio: [asks === true ? 'inherit' : 'ignore', ...out] });
}

/** Runs a command. @returns Its exit code; 1 after a signal. @throws Error when there is no such program. */
export async function run(command: Command, options: CommandOptions = {}): Promise<number> {
  const log = options.log === undefined ? 'inherit' : openSync(options.log, 'a');
  const child = start(command, options, log, log);
  if (log !== 'inherit') closeSync(log);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Runs a command. @throws Error with the end of its log when it fails. */
export async function runOrThrow(command: Command, options: CommandOptions = {}): Promise<void> {
  const code = await run(command, options);
  if (code === 0) return;
  const { log } = options;
  const last = log === undefined ? '' : ` Last lines of ${log}:\n${tail(log)}`;
  throw new Error(`${command.join(' ')} exited with ${code}.${last}`);
}

/** A command's standard output; its errors go to the terminal. @throws Error when the command fails. */
export async function outputOf(command: Command, environment: CommandOptions['environment'] = {}): Promise<string> {
  const child = start(command, { environment }, 'pipe', 'inherit');
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, [code]] = await Promise.all([child.stdout ? text(child.stdout) : '', exited]);
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code ?? 'a signal'}.`);
  return output;
}

/** PATH with the project's own programs first: Node, CDK CLI, vitest. */
export function pathWithPackages(folder = root): string {
  return [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
}

/** Runs a step and prints its duration. */
export async function runStep<T>(title: string, step: () => Promise<T>): Promise<T> {
  const start = performance.now();
  console.log(`── ${title}`);
  try {
    return await step();
  } finally {
    console.log(`── ${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

/** Sets the exit code of the process: the script's code, or 1 after an error, whose message it prints. */
export function exitWith(script: Promise<number>): void {
  const failed = (error: unknown): number => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  };
  void script.catch(failed).then((code) => (process.exitCode = code));
}

/** Returns the last lines of a text file; an empty text if the file cannot be read. */
export function tail(file: string, lines = 40): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
