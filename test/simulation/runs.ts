import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Life, LifeOptions } from './world/life.ts';

const root = join(import.meta.dirname, '..', '..');
/** A run that takes longer hangs. Usually a run takes about twenty seconds of CPU, and one of a year half an hour. */
const longestMs = { ofOne: 900_000, ofDays: 7_200_000 };

/**
 * Executes one run in its own process, so that caches between requests start empty. A process without a result counts
 * as a violation.
 *
 * @param tree folder of the service: this one, or a copy of it
 */
export function liveApart(options: LifeOptions, tree = root): Promise<Life> {
  return new Promise((resolve) => {
    const args = [
      '--conditions=simulation',
      '--no-warnings',
      join(tree, 'test/simulation/world/one-life.ts'),
      JSON.stringify(options),
    ];
    // What the modules compile to is kept from life to life.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'simulate-compiled') };
    const limits = {
      cwd: tree,
      env,
      timeout: options.days === undefined ? longestMs.ofOne : longestMs.ofDays,
      maxBuffer: 2 ** 27,
    };
    execFile(process.execPath, args, limits, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Life);
      else resolve(endedBy(options, stderr || error.message));
    });
  });
}

function endedBy(options: LifeOptions, text: string): Life {
  const found = [{ invariant: 'the run completes', text: text.slice(-2000), ids: [], step: 0, last: [] }];
  return { ...options, stepCount: 0, seconds: 0, livedDays: 0, quietCount: 0, digest: '', found, counts: {} };
}
