import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Life, LifeOptions } from './world/life.ts';

const root = join(import.meta.dirname, '..', '..');
/** A life that takes longer hangs. */
const longestMs = 300_000;

/**
 * One life in a process of its own: what a process keeps between requests begins empty.
 *
 * @param tree the service that lives: this one, or a copy of it
 */
export function liveApart(options: LifeOptions, tree = root): Promise<Life> {
  return new Promise((resolve, reject) => {
    const words = [
      '--conditions=simulation',
      '--no-warnings',
      join(tree, 'test/simulation/world/one-life.ts'),
      JSON.stringify(options),
    ];
    const limits = { cwd: tree, timeout: longestMs, maxBuffer: 2 ** 27 };
    execFile(process.execPath, words, limits, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Life);
      else reject(new Error(`The life of seed ${options.seed} ended by itself: ${stderr || error.message}`));
    });
  });
}
