import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

type WatchedProcess = {
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
  /** Ends it with SIGTERM, after ten seconds with SIGKILL, and waits until it has ended. */
  readonly stop: () => Promise<void>;
};

/**
 * A shell between this process and the one that it starts. It ends that one as soon as its own standard input closes,
 * which also happens when this process is killed with -9: nothing is left behind.
 */
const watchdog = `
exec 3<&0
"$@" 3<&- </dev/null & child=$!
(
  read -r _ <&3
  kill "$child"
  left=100
  while [ "$left" -gt 0 ] && kill -0 "$child"; do sleep 0.1; left=$((left - 1)); done
  kill -9 "$child"
) 2>/dev/null & guard=$!
wait "$child"; code=$?
kill "$guard" 2>/dev/null
exit "$code"`;

/** Starts a process that ends with this one. @param log File of what it writes; replaced. */
export function startWatched(
  command: readonly string[],
  log: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): WatchedProcess {
  const output = openSync(log, 'w');
  // A process group of its own: Ctrl-C in the terminal reaches this process alone, which then stops everything in
  // order.
  const shell = spawn('/bin/sh', ['-c', watchdog, 'sh', ...command], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', output, output],
    detached: true,
  });
  closeSync(output);
  shell.stdin?.on('error', () => undefined);
  const ended = once(shell, 'exit');
  const stop = async (): Promise<void> => {
    shell.stdin?.end();
    await ended;
  };
  return { ended, stop };
}
