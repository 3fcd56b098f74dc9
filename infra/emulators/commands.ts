import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWatched } from '../local/processes.ts';

/** The repository. Every command runs there. */
export const root = join(import.meta.dirname, '../..');

type CommandOptions = {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** File to which its output is added, instead of this terminal. */
  readonly log?: string;
};

/**
 * Runs a command. Programs of node_modules come first on its path.
 *
 * @returns Its exit code; 1 where a signal ended it.
 * @throws Error when there is no such program.
 */
export async function run(command: readonly [string, ...string[]], options: CommandOptions = {}): Promise<number> {
  const [program, ...args] = command;
  const log = options.log === undefined ? undefined : openSync(options.log, 'a');
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, PATH: pathWithPackages(), ...options.environment },
    stdio: ['ignore', log ?? 'inherit', log ?? 'inherit'],
  });
  if (log !== undefined) closeSync(log);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** @throws Error when the command fails; where its output went to a file, with the end of that. */
export async function runOrThrow(command: readonly [string, ...string[]], options: CommandOptions = {}): Promise<void> {
  const code = await run(command, options);
  if (code === 0) return;
  const { log } = options;
  const last = log === undefined ? '' : ` The end of ${log}:\n${tail(log)}`;
  throw new Error(`${command.join(' ')} ended with ${code}.${last}`);
}

/**
 * Runs a command that answers on its standard output; errors come to this terminal.
 *
 * @throws Error when the command fails.
 */
export async function outputOf(
  command: readonly [string, ...string[]],
  { environment }: Pick<CommandOptions, 'environment'> = {},
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, PATH: pathWithPackages(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, [code]] = await Promise.all([text(child.stdout), exited]);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code ?? 'a signal'}.`);
  return output;
}

/** PATH with the project's own programs first: the Node of the packages, the CDK CLI, vitest. */
export function pathWithPackages(): string {
  return [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
}

/** Runs a step and says how long it took. */
export async function runStep<T>(what: string, step: () => Promise<T>): Promise<T> {
  const start = performance.now();
  console.log(`── ${what}`);
  try {
    return await step();
  } finally {
    console.log(`── ${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

/** Ends the process with the code of a script, or with 1 and one message. */
export function exitWith(script: Promise<number>): void {
  script.then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}

export type BackgroundProcess = {
  /** Ends it with SIGTERM, then with SIGKILL after ten seconds, and waits until it has gone. */
  readonly stop: () => Promise<void>;
};

type BackgroundOptions = {
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** File of what the process writes; replaced. */
  readonly log: string;
  /** Whether it can be used now; asked again and again. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinSeconds: number;
};

/**
 * Starts a process that serves until it is stopped.
 *
 * @throws Error when it ends, or is not ready in time; the message carries the end of its log.
 */
export async function startInBackground(options: BackgroundOptions): Promise<BackgroundProcess> {
  const { ended, stop } = startWatched(options.command, options.log, options.environment);
  const outcome = await Promise.race([ended.then(() => 'ended' as const), untilReady(options)]);
  if (outcome === 'ready') return { stop };
  await stop();
  const reason = outcome === 'ended' ? 'ended by itself' : `was not ready within ${options.readyWithinSeconds} seconds`;
  throw new Error(`${options.command[0]} ${reason}. The end of ${options.log}:\n${tail(options.log)}`);
}

async function untilReady(options: BackgroundOptions): Promise<'ready' | 'late'> {
  const deadline = Date.now() + options.readyWithinSeconds * 1000;
  while (Date.now() < deadline) {
    if (await options.isReady().catch(() => false)) return 'ready';
    await sleep(100);
  }
  return 'late';
}

/** The last lines of a text file, or nothing where there is none. */
export function tail(file: string, lines = 40): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
