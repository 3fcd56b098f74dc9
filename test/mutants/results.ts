import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.ts';
import type { Verdict } from './judge.ts';

/** A line of a file of results: a result, and the text that it is about. */
type Result = { readonly text: string; readonly verdict: Verdict };

/** Results of earlier runs, and where those of this run go. */
type Results = {
  /** A mutant that was killed, of a file that is the same now. A survivor is judged again: there may be a test. */
  readonly known: (mutant: Mutant) => Verdict | undefined;
  readonly add: (verdict: Verdict) => void;
};

const placeOf = ({ file, line, column, original, replacement }: Mutant): string =>
  JSON.stringify([file, line, column, original, replacement]);

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Reads a file of results of these files, if there is one. It is written line by line: a run can be interrupted. */
export function openResults(root: string, files: readonly string[], path: string): Results {
  const hashes = new Map(files.map((file) => [file, hashOf(join(root, file))]));
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const killed = new Map<string, Verdict>();
  for (const line of lines.filter((one) => one.endsWith('}'))) {
    const { text, verdict } = JSON.parse(line) as Result;
    const isNoticed = verdict.state === 'killed' || verdict.state === 'timeout';
    if (isNoticed && hashes.get(verdict.mutant.file) === text) killed.set(placeOf(verdict.mutant), verdict);
  }
  return {
    known: (mutant) => {
      const verdict = killed.get(placeOf(mutant));
      return verdict && { ...verdict, mutant };
    },
    add: (verdict) => {
      const result: Result = { text: hashes.get(verdict.mutant.file) ?? '', verdict };
      appendFileSync(path, `${JSON.stringify(result)}\n`);
    },
  };
}
