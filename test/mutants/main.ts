import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '#infra/releases/commands.ts';
import { areaNames, filesOfArea, filesOfAreas, testsOfArea } from './areas.ts';
import type { Equivalent } from './equivalents.ts';
import { refutedEquivalents, unfoundedEquivalents } from './equivalents.ts';
import { instrument } from './instrument.ts';
import type { Verdict } from './judge.ts';
import { judge } from './judge.ts';
import { rowsOf, survivorsOf, tableOf } from './report.ts';
import { openResults } from './results.ts';
import equivalents from './equivalents.json' with { type: 'json' };

/*
 * `npm run tool -- test/mutants/main.ts`: changes the rules in small ways, one at a time, and runs the tests that reach
 * the change. A change that no test notices shows a missing test or unnecessary code, or `equivalents.json` names it
 * with its reason.
 */

const usage = `npm run tool -- test/mutants/main.ts [--results FILE] [--at-once N] [file, folder or area …]

  --results  file of results: new ones are appended, and mutants that are killed there are skipped
  --at-once  number of concurrent mutants (default: one for each core)

Default: all areas of test/mutants/areas.ts. Exit code 1: a mutant survived without a reason.`;

/** An area means its files, a folder all of its own. */
function filesOf(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const ofArea = filesOfArea(root, name);
    if (ofArea.length > 0) return ofArea;
    const path = relative(root, name);
    return statSync(name).isDirectory() ? globSync(`${path}/**/*.ts`, { cwd: root }).toSorted() : [path];
  });
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { results: { type: 'string' }, 'at-once': { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const atOnce = Number(values['at-once'] ?? availableParallelism());
  if (values.help === true || !Number.isSafeInteger(atOnce) || atOnce < 1) {
    console.error(usage);
    return 2;
  }
  const files = positionals.length === 0 ? filesOfAreas(root) : filesOf(positionals);
  const list: readonly Equivalent[] = equivalents;
  const begun = performance.now();
  const results = values.results === undefined ? undefined : openResults(root, files, values.results);
  const onVerdict = (verdict: Verdict, done: number, total: number): void => {
    results?.add(verdict);
    const { mutant, state } = verdict;
    if (done % 100 === 0) console.log(`${done} of ${total} mutants`);
    if (state !== 'survived' && state !== 'uncovered') return;
    console.log(`${state} ${mutant.file}:${mutant.line} "${mutant.original}" -> "${mutant.replacement}"`);
  };
  const verdicts: Verdict[] = [];
  for (const [area, own] of Map.groupBy(files, areaNames(root))) {
    console.log(`${area}: ${own.length} files`);
    const work = { root, files: own, judges: testsOfArea(area), atOnce, onVerdict };
    verdicts.push(...(await judge({ ...work, ...(results && { known: results.known }) })));
  }
  const survivors = survivorsOf(verdicts, list);
  const { mutants } = await instrument(root, filesOfAreas(root));
  const faults = [...unfoundedEquivalents(list, mutants), ...refutedEquivalents(list, verdicts)];
  for (const { mutant, state } of survivors) console.error(`${state} without a reason: ${JSON.stringify(mutant)}`);
  for (const fault of faults) console.error(fault);
  console.log(tableOf(rowsOf(root, verdicts, list)));
  console.log(`${Math.ceil((performance.now() - begun) / 1000)} s, ${survivors.length} survivors without a reason`);
  return survivors.length + faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();
