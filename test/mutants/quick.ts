import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.ts';
import type { Lane } from './lanes.ts';
import type { QuickKill, QuickRun } from './protocol.ts';

/** A mutant may act so long in one test, on a machine that is busy. */
const stalledSeconds = 30;

/** `known`: ids of the mutants that were noticed, by any file of tests; each one more is added. */
type Quick = { readonly folder: string; readonly known: Set<string>; readonly mutants: readonly Mutant[] };

/**
 * Tries the mutants that a file of tests reaches without evaluating its modules again, as `quick-runner.ts` says. One
 * that stops the process is left out then: it is judged alone later, like all that nothing noticed here.
 */
export async function tryQuickly(
  lane: Lane,
  test: string,
  { folder, known, mutants }: Quick,
  onNoticed: (mutant: Mutant, kill: QuickKill) => void,
): Promise<void> {
  const place = join(folder, `quick-${encodeURIComponent(test)}`);
  const [quick, kills, progress] = [`${place}.json`, `${place}.kills`, `${place}.progress`];
  const left = new Set<string>();
  for (;;) {
    const open = mutants.map(({ id }) => id).filter((id) => !known.has(id) && !left.has(id));
    if (open.length === 0) return;
    writeFileSync(quick, JSON.stringify({ open, kills, progress } satisfies QuickRun));
    writeFileSync(kills, '');
    rmSync(progress, { force: true });
    const result = await lane.run({ tests: [test], quick, progress }, stalledSeconds);
    for (const line of readFileSync(kills, 'utf8').split('\n').filter(Boolean)) {
      const kill = JSON.parse(line) as QuickKill;
      const mutant = mutants.find(({ id }) => id === kill.id);
      if (mutant === undefined || known.has(kill.id)) continue;
      known.add(kill.id);
      onNoticed(mutant, kill);
    }
    const stalled = existsSync(progress) ? readFileSync(progress, 'utf8').split(' ')[1] : undefined;
    if (result !== 'timeout' || stalled === undefined) return;
    left.add(stalled);
  }
}
