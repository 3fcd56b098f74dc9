import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

/** The repository. Every command runs there. */
export const ROOT = join(import.meta.dirname, '../..');

export type CommandOptions = {
  readonly environment?: Readonly<Record<string, string | undefined>>;
};

/**
 * Runs a command with its output on this terminal. Programs of node_modules come first on its path.
 *
 * @returns Its exit code; 1 where a signal ended it.
 * @throws Error when there is no such program.
 */
export async function run(command: readonly [string, ...string[]], options: CommandOptions = {}): Promise<number> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, PATH: pathWithPackages(), ...options.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** @throws Error when the command fails. */
export async function runOrThrow(command: readonly [string, ...string[]], options?: CommandOptions): Promise<void> {
  const code = await run(command, options);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}.`);
}

export async function exists(program: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

/** PATH with the project's own programs first: the Node of the packages, the CDK CLI, vitest. */
export function pathWithPackages(): string {
  return [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
}

/** Runs a step and says how long it took. */
export async function timed<T>(what: string, step: () => Promise<T>): Promise<T> {
  const start = performance.now();
  console.log(`── ${what}`);
  try {
    return await step();
  } finally {
    console.log(`── ${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}
