import { startWatched } from '@banking-order/cdk-local';
import { poll } from '@banking-order/partner-tools';
import type { Command } from '#infra/releases/commands.ts';
import { tail } from '#infra/releases/commands.ts';

export type BackgroundProcess = {
  /** Sends SIGTERM, and SIGKILL after ten seconds; waits until the process has exited. */
  readonly stop: () => Promise<void>;
};

type BackgroundOptions = {
  readonly command: Command;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** File of its output; replaced. */
  readonly log: string;
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinSeconds: number;
};

/** Starts a process. @throws Error with the end of its log, when it ends or is not ready in time. */
export async function startInBackground(options: BackgroundOptions): Promise<BackgroundProcess> {
  const { command, log, isReady, readyWithinSeconds } = options;
  const { ended: exited, stop } = startWatched(command, log, options.environment);
  const look = () => isReady().catch(() => false);
  const ready = poll(look, (is) => is, readyWithinSeconds * 1000);
  const outcome = await Promise.race([exited.then(() => 'ended'), ready]);
  if (outcome === true) return { stop };
  await stop();
  const reason =
    outcome === 'ended' ? 'exited before it was ready' : `was not ready within ${readyWithinSeconds} seconds`;
  throw new Error(`${command[0]} ${reason}. Last lines of ${log}:\n${tail(log)}`);
}
