import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from '../support/process-tree.ts';
import { interactive } from '../support/shell-blocks.ts';

/** Shell, user, folder and environment of a terminal. */
export type Seat = {
  readonly shell: string;
  readonly uid: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** A terminal of the quickstart test: a shell with pasted commands. */
export type Terminal = ReturnType<typeof openTerminal>;

export function openTerminal({ shell, uid, cwd, env }: Seat) {
  const options = { cwd, env: { ...env, HISTFILE: '', ENV: '' }, uid, gid: uid, detached: true } as const;
  const child = spawn(shell, interactive[shell] ?? [], options);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  return {
    paste: (lines: string): void => {
      child.stdin.write(`${lines}\n`);
    },
    /** Waits for a text in the output. @throws Error with the output when the text does not come in time. */
    untilSaid: async (pattern: RegExp, withinMs: number): Promise<void> => {
      const deadline = performance.now() + withinMs;
      while (!pattern.test(output)) {
        if (performance.now() > deadline || child.exitCode !== null)
          throw new Error(`Cannot find ${String(pattern)} in the output of the terminal:\n${output}`);
        await sleep(50);
      }
    },
    /** Closes the terminal: what runs in it ends, too. */
    close: async (): Promise<void> => {
      const running = child.pid === undefined ? [] : processTree(child.pid);
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        for (const id of running.toReversed()) end(id, signal);
        await sleep(signal === 'SIGTERM' ? 2000 : 0);
      }
    },
  };
}

function end(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended by itself.
  }
}
