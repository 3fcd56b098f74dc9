import { parseArgs } from 'node:util';
import type { Life, LifeOptions } from './world/life.ts';
import { liveApart } from './runs.ts';
import { shorten } from './shorten.ts';
import { showDisputes, showFinding, showTables } from './report.ts';

/*
 * `npm run simulate`: simulates the whole service, in two parallel processes. The steps are divided into runs, each
 * with its own seed and process; the seed and the number of steps repeat a run byte for byte.
 */

/** Steps of one run: enough for months of a company, few enough to repeat it. */
const stepsPerLife = 10_000;

/** Between two quiet times of a run of many days. */
const stepsUntilQuiet = 1000;

const usage = `npm run simulate -- [--seed N] [--steps N | --minutes N | --days N] [--faults none|some|all] [--companies N] [--tables]

  --seed       seed of the first run; each further run adds 1 (default 1)
  --steps      total number of requests, messages, timers and crashes (default 60000); ${stepsPerLife} in each run
  --minutes    starts runs for this time instead
  --days       one run of so many simulated days instead, in which all becomes quiet every --steps steps (default
               ${stepsUntilQuiet}), and goes on
  --faults     injected faults (default all)
  --companies  companies in each run (default 4)
  --tables     prints the transitions, responses and places of injected faults that the runs reached`;

type Options = Omit<LifeOptions, 'steps' | 'days'> & {
  readonly steps: number;
  readonly minutes: number | undefined;
  readonly days: number | undefined;
  readonly tables: boolean;
};

function readOptions(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seed: text, steps: text, minutes: text, days: text, faults: text, companies: text },
      ...{ tables: { type: 'boolean' }, help: { type: 'boolean' } },
    },
  });
  const whole = (value: string | undefined, otherwise: number): number => Number(value ?? otherwise);
  const { faults = 'all', minutes, days } = values;
  const read = {
    seed: whole(values.seed, 1),
    steps: whole(values.steps, days === undefined ? 60_000 : stepsUntilQuiet),
    companies: whole(values.companies, 4),
  };
  const isWhole = [...Object.values(read), whole(minutes, 1), whole(days, 1)].every(
    (value) => Number.isSafeInteger(value) && value > 0,
  );
  if (values.help === true || !isWhole || (faults !== 'none' && faults !== 'some' && faults !== 'all'))
    return undefined;
  return {
    ...read,
    faults,
    minutes: minutes === undefined ? undefined : Number(minutes),
    days: days === undefined ? undefined : Number(days),
    tables: values.tables === true,
  };
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const { seed, steps, minutes, days, faults, companies } = options;
  const most = days === undefined ? stepsPerLife : steps;
  const count = minutes === undefined ? Math.ceil(steps / most) : Infinity;
  const endsAt = Date.now() + (minutes ?? Infinity) * 60_000;
  const runs: Life[] = [];
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < count && Date.now() < endsAt && !runs.some(({ found }) => found.length > 0)) {
      const place = begun;
      begun += 1;
      const own = Math.min(most, minutes === undefined ? steps - place * most : most);
      const run = await liveApart({
        ...{ seed: seed + place, steps: own, faults, companies },
        ...(days !== undefined && { days }),
        ...(options.tables && { isCovered: true }),
      });
      runs.push(run);
      console.log(
        `seed ${run.seed}: ${run.stepCount} steps in ${run.seconds.toFixed(1)} s, ${run.livedDays.toFixed(1)} simulated days, quiet ${run.quietCount} times, digest ${run.digest.slice(0, 16)}${run.found.length > 0 ? ' FAILED' : ''}`,
      );
    }
  };
  await Promise.all([work(), work()]);
  const failed = runs.filter(({ found }) => found.length > 0).toSorted((one, other) => one.seed - other.seed);
  const [first] = failed;
  if (first !== undefined) {
    console.log('Searching for a shorter run that violates the same invariant.');
    showFinding(await shorten(first), first);
  }
  if (options.tables) showTables(runs);
  showDisputes(runs);
  const stepCount = runs.reduce((sum, run) => sum + run.stepCount, 0);
  console.log(`Runs: ${runs.length}. Steps: ${stepCount}. Injected faults: ${faults}.`);
  console.log(`${runs.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
