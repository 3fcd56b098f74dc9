import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWatched } from '../local/processes.ts';

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
