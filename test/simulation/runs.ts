import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Life, LifeOptions } from './world/life.ts';

const root = join(import.meta.dirname, '..', '..');
/** A life that takes longer hangs. One takes some twenty seconds of a processor. */
const longestMs = 900_000;

/**
 * One life in a process of its own: what a process keeps between requests begins empty. One that ends by itself has
 * failed.
 *
 * @param tree the service that lives: this one, or a copy of it
 */
export function liveApart(options: LifeOptions, tree = root): Promise<Life> {
  return new Promise((resolve) => {
    const words = [
      '--conditions=simulation',
      '--no-warnings',
      join(tree, 'test/simulation/world/one-life.ts'),
      JSON.stringify(options),
    ];
    // What the modules compile to is kept from life to life.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'simulate-compiled') };
    const limits = { cwd: tree, env, timeout: longestMs, maxBuffer: 2 ** 27 };
    execFile(process.execPath, words, limits, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Life);
      else resolve(endedBy(options, stderr || error.message));
    });
  });
}

function endedBy(options: LifeOptions, text: string): Life {
  const found = [{ invariant: 'a life goes on', text: text.slice(-2000), ids: [], step: 0, last: [] }];
  return { ...options, made: 0, seconds: 0, days: 0, digest: '', found, counts: {} };
}
