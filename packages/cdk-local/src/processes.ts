import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/**
 * A shell between this process and its child. It ends the child as soon as its own standard input closes, which also
 * happens after `kill -9` of this process.
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

/** Starts a process that ends with this process. @param log File for its output. It is overwritten. */
export function startWatched(
  command: readonly string[],
  log: string,
  environment: Readonly<Record<string, string | undefined>> = {},
) {
  const output = openSync(log, 'w');
  // A process group of its own: Ctrl-C reaches only this process, which then stops everything in order.
  const shell = spawn('/bin/sh', ['-c', watchdog, 'sh', ...command], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', output, output],
    detached: true,
  });
  closeSync(output);
  shell.stdin?.on('error', () => undefined);
  const exited = once(shell, 'exit');
  return {
    /** Settles when the process has ended, for whatever reason. */
    ended: exited,
    /** Ends the process with SIGTERM, after ten seconds with SIGKILL, and waits until it has ended. */
    stop: async (): Promise<void> => {
      shell.stdin?.end();
      await exited;
    },
  };
}

/** A port of 127.0.0.1 that was free a moment ago: for engines that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** How often a run under npm checks that npm still runs. */
const parentLookMs = 200;

/**
 * Under npm, ends this process when npm ends: a killed `npm start` must not leave a service that holds port and folder.
 *
 * @param script Name of the npm script. A process that another command started is not ended.
 */
export function endWithNpm(script: string): void {
  if (process.env['npm_lifecycle_event'] !== script) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.exit(1);
  }, parentLookMs).unref();
}
