import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export type BackgroundProcess = {
  /** Ends it with SIGTERM, then with SIGKILL after ten seconds, and waits until it has gone. */
  readonly stop: () => Promise<void>;
};

export type BackgroundOptions = {
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** File of what the process writes; replaced. */
  readonly log: string;
  /** Whether it can be used now; asked again and again. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinSeconds: number;
};

/**
 * A shell between this process and the emulator that ends it as soon as its own standard input closes, which happens also
 * when this process is killed: no emulator is left behind.
 */
const WATCHDOG = [
  'exec 3<&0; "$@" 3<&- </dev/null & child=$!',
  '(read -r _ <&3; kill "$child" 2>/dev/null; sleep 10; kill -9 "$child" 2>/dev/null) & guard=$!',
  'wait "$child"; code=$?; kill "$guard" 2>/dev/null; exit "$code"',
].join('\n');

/**
 * Starts a process that serves until it is stopped.
 *
 * @throws Error when it ends, or is not ready in time; the message carries the end of its log.
 */
export async function startInBackground(options: BackgroundOptions): Promise<BackgroundProcess> {
  const log = openSync(options.log, 'w');
  // A process group of its own: Ctrl-C reaches this process alone, which then stops everything in order.
  const shell = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', ...options.command], {
    env: { ...process.env, ...options.environment },
    stdio: ['pipe', log, log],
    detached: true,
  });
  closeSync(log);
  shell.stdin?.on('error', () => undefined);
  const exited = once(shell, 'exit');
  const stop = async (): Promise<void> => {
    shell.stdin?.end();
    await exited;
  };
  const ended = exited.then(() => 'ended' as const);
  const outcome = await Promise.race([ended, untilReady(options)]);
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
