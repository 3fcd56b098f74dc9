import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LaneResult, LaneRun, LaneSettings } from './protocol.ts';

/** `progress`: a file; a run has not come to its limit while this changes. */
type LaneWork = LaneRun & { readonly progress?: string };

/** A process with a Vitest of its own, that runs tests with one mutant after another. */
export type Lane = {
  readonly run: (work: LaneWork, limitSeconds: number) => Promise<LaneResult | 'timeout'>;
  readonly end: () => void;
};

/** A process that ends by itself says nothing about its mutant: another one runs it again, a few times at most. */
const attempts = 5;

/** A mutant that never ends is ended with its process; the next run begins another. */
export function newLane(settings: LaneSettings, variables: Readonly<Record<string, string>> = {}): Lane {
  let started: Promise<ChildProcess> | undefined;
  const end = (): void => {
    void started?.then((child) => child.kill('SIGKILL')).catch(() => undefined);
    started = undefined;
  };
  const tryOnce = async ({ progress, ...run }: LaneWork, limitSeconds: number): Promise<LaneResult | 'timeout'> => {
    started ??= startProcess(settings, variables, run.tests);
    const child = await started;
    child.send(run);
    const outcome = next(child) as Promise<LaneResult>;
    for (let seen = ''; ;) {
      const result = await within(limitSeconds, outcome);
      if (result !== 'timeout') return result;
      const now = progress !== undefined && existsSync(progress) ? readFileSync(progress, 'utf8') : '';
      if (now !== seen) seen = now;
      else break;
    }
    end();
    return 'timeout';
  };
  const run: Lane['run'] = async (work, limitSeconds) => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await tryOnce(work, limitSeconds);
      } catch (error) {
        end();
        if (attempt === attempts) throw error;
      }
  };
  return { run, end };
}

async function startProcess(
  settings: LaneSettings,
  variables: Readonly<Record<string, string>>,
  tests: LaneRun['tests'],
): Promise<ChildProcess> {
  // Of a Vitest that tests this, nothing: neither its variables nor its arguments.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV|NODE_OPTIONS)/.test(name));
  const env = { ...Object.fromEntries(inherited), ...variables };
  const child = fork(join(import.meta.dirname, 'lane.ts'), { env, execArgv: [] });
  child.send(settings);
  await next(child);
  if (tests !== undefined) {
    // What is transformed for the first time takes longer than a run may.
    child.send({ tests } satisfies LaneRun);
    await next(child);
  }
  return child;
}

/** What comes within so many seconds. */
async function within<T>(seconds: number, work: Promise<T>): Promise<T | 'timeout'> {
  const stop = new AbortController();
  const limit = wait(seconds * 1000, 'timeout' as const, { signal: stop.signal }).catch(() => 'timeout' as const);
  return Promise.race([work, limit]).finally(() => {
    stop.abort();
  });
}

/** @throws when the process exits without a result */
function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEnd = (code: number | null, by: string | null): void => {
      reject(new Error(`A process of tests exited without a result: ${String(code ?? by)}.`));
    };
    child.once('exit', onEnd);
    child.once('message', (message) => {
      child.off('exit', onEnd);
      resolve(message);
    });
  });
}
