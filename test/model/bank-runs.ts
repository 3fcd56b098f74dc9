import type { ModelOptions } from './bank-model.ts';
import { runModel } from './bank-model.ts';

/** What several lives came to, and the first of them that went wrong, by its seed. */
type Runs = {
  runCount: number;
  steps: number;
  commands: number;
  certificates: number;
  readonly problems: string[];
  readonly seen: Map<string, number>;
};

/** Lives from these seeds on, until there are enough of them. */
export async function runLives(
  isEnough: (runs: Runs) => boolean,
  { seed: first, ...options }: ModelOptions,
): Promise<Runs> {
  const runs: Runs = { runCount: 0, steps: 0, commands: 0, certificates: 0, problems: [], seen: new Map() };
  while (!isEnough(runs)) {
    const seed = first + runs.runCount;
    const { problems, steps, commands, certificates, seen } = await runModel({ seed, ...options });
    runs.runCount += 1;
    runs.steps += steps;
    runs.commands += commands;
    runs.certificates += certificates;
    runs.problems.push(...problems.map(({ check, text }) => `seed ${seed}: ${check}: ${text}`));
    for (const [event, count] of seen) runs.seen.set(event, (runs.seen.get(event) ?? 0) + count);
  }
  return runs;
}
