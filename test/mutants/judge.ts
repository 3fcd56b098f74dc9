import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Mutant } from './instrument.ts';
import { canaryOf, instrument } from './instrument.ts';
import type { Lane } from './lanes.ts';
import { newLane } from './lanes.ts';
import type { LaneSettings, Reached } from './protocol.ts';
import { reachedVariable } from './protocol.ts';
import { tryQuickly } from './quick.ts';

/** What became of a mutant. `uncovered`: no test reaches it. `by`: the test that noticed. */
export type Verdict = {
  readonly mutant: Mutant;
  readonly state: 'killed' | 'timeout' | 'survived' | 'uncovered';
  readonly seconds: number;
  readonly by?: string;
};

type Work = {
  readonly root: string;
  readonly files: readonly string[];
  readonly judges: readonly string[];
  /** Mutants at the same time. */
  readonly atOnce?: number;
  /** What a run may take beside five times the time of its tests. */
  readonly graceSeconds?: number;
  /** What an earlier run found of a mutant that need not be judged again. */
  readonly known?: (mutant: Mutant) => Verdict | undefined;
  readonly onVerdict?: (verdict: Verdict, done: number, total: number) => void;
};

/** The files of tests that reach a mutant or a file's canary, by its id, and how long each of them took. */
type Plan = {
  readonly graceSeconds: number;
  readonly reached: readonly ReachedIds[];
  readonly testsOf: ReadonlyMap<string, readonly string[]>;
  readonly secondsOf: Readonly<Record<string, number>>;
};

/** What the nearest files of tests do not notice has survived: no mutant is left to tests of something else. */
const mostTests = 12;

/** Without a mutant, and with a canary, a run may take what it needs; each other has a limit of its own. */
const firstRunSeconds = 1800;

/** Five times what the same tests took without a mutant, and what threads need to start. */
const limitOf = (tests: readonly string[], { secondsOf, graceSeconds }: Plan): number =>
  graceSeconds + 5 * tests.reduce((total, test) => total + (secondsOf[test] ?? 0), 0);

/** A time that ran out on a busy machine says nothing: once more with so many times of it. */
const patience = 3;

/**
 * Runs every mutant of the files against the tests that reach it.
 * @throws when a test fails without a mutant, or passes with a file's canary: then no result would have a meaning.
 */
export async function judge(work: Work): Promise<readonly Verdict[]> {
  const { root, judges, atOnce = availableParallelism(), graceSeconds = 5, known, onVerdict } = work;
  const { contents, mutants } = await instrument(root, work.files);
  const verdicts = mutants.flatMap((mutant) => known?.(mutant) ?? []);
  const open = mutants.filter((mutant) => known?.(mutant) === undefined);
  const files = work.files.filter((file) => open.some((mutant) => mutant.file === file));
  if (files.length === 0) return verdicts;
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const instrumented = join(folder, 'texts.json');
  writeFileSync(instrumented, JSON.stringify(contents));
  const settings: LaneSettings = { root, judges, instrumented };
  const lanes = Array.from({ length: atOnce }, () => newLane(settings));
  const kills: Kill[] = [];
  try {
    const reached = await firstRun({ ...settings, related: files }, join(folder, 'reached'), mutants);
    const plan = { ...reached, graceSeconds };
    const decide = (verdict: Verdict): void => {
      verdicts.push(verdict);
      onVerdict?.(verdict, verdicts.length, mutants.length);
    };
    await eachByLane(lanes, files, (file, lane) => provesActivation(file, lane, plan));
    const known = new Set<string>();
    await eachByLane(lanes, quickestFirst(plan), async ({ test, ids }, lane) => {
      const own = open.filter(({ id }) => ids.has(id));
      await tryQuickly(lane, test, { folder, known, mutants: own }, (mutant, { by, seconds }) => {
        kills.push({ file: mutant.file, line: mutant.line, test });
        decide({ mutant, state: 'killed', seconds, by: `${test} > ${by}` });
      });
    });
    const alone = open.filter(({ id }) => !known.has(id));
    await eachByLane(lanes, alone, async (mutant, lane) => {
      decide(await verdictOf(mutant, lane, plan, kills));
    });
    const judged = new Set(verdicts.map(({ by }) => testOf(by ?? '')).filter((test) => test in plan.secondsOf));
    await eachByLane(lanes, [...judged], (test, lane) => passesUntouched(test, lane));
    return verdicts;
  } finally {
    for (const lane of lanes) lane.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A test of times may fail on a busy machine among all others; alone it must pass. */
const mostTries = 3;

/** All related tests without a mutant, each file with modules of its own: what does it reach, how long does it take? */
async function firstRun(
  settings: LaneSettings,
  folder: string,
  mutants: readonly Mutant[],
): Promise<Omit<Plan, 'graceSeconds'>> {
  const lane = newLane(settings, { [reachedVariable]: folder });
  let secondsOf: Plan['secondsOf'] = {};
  let failing: readonly string[] | undefined;
  for (let tries = 1; failing === undefined || failing.length > 0; tries += 1) {
    const result = await lane.run(failing === undefined ? {} : { tests: failing }, firstRunSeconds);
    if (result === 'timeout') throw new Error(`Without a mutant the tests take more than ${firstRunSeconds} seconds.`);
    const { failure, failed } = result;
    if (failure !== undefined && (tries === mostTries || failed.length === 0))
      throw new Error(`Without a mutant a test fails: ${failure}`);
    [failing, secondsOf] = [failed, { ...secondsOf, ...result.secondsOf }];
  }
  lane.end();
  const reached = readdirSync(folder).map((name) => {
    const { test, ids } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Reached;
    return { test: relative(settings.root, test), ids: new Set(ids) };
  });
  return { secondsOf, reached, testsOf: nearestTests(reached, mutants, settings.related ?? []) };
}

const quickestFirst = ({ reached, secondsOf }: Plan): readonly ReachedIds[] =>
  reached.toSorted((a, b) => (secondsOf[a.test] ?? 0) - (secondsOf[b.test] ?? 0));

type ReachedIds = { readonly test: string; readonly ids: ReadonlySet<string> };

/** By mutant or canary the nearest files of tests: those of its room, then those that reach most of its file. */
function nearestTests(
  reached: readonly ReachedIds[],
  mutants: readonly Mutant[],
  files: readonly string[],
): Plan['testsOf'] {
  const near = files.map((file) => {
    const own = mutants.filter((mutant) => mutant.file === file);
    const room = `test/${file.split('/')[1] ?? ''}/`;
    const ranked = reached
      .map((one) => ({
        ...one,
        inRoom: one.test.startsWith(room),
        count: own.filter(({ id }) => one.ids.has(id)).length,
      }))
      .toSorted((a, b) => Number(b.inRoom) - Number(a.inRoom) || b.count - a.count || (a.test < b.test ? -1 : 1));
    return [canaryOf(file), ...own.map(({ id }) => id)].map((id): [string, string[]] => {
      const tests = ranked.filter(({ ids }) => ids.has(id)).map(({ test }) => test);
      return [id, tests.slice(0, mostTests)];
    });
  });
  return new Map(near.flat().filter(([, tests]) => tests.length > 0));
}

/** One test that imports the file passes as it is, and fails with the canary in it. Without one all is uncovered. */
async function provesActivation(file: string, lane: Lane, plan: Plan): Promise<void> {
  const [test] = plan.testsOf.get(canaryOf(file)) ?? [];
  if (test === undefined) return;
  await passesUntouched(test, lane);
  const touched = await lane.run({ tests: [test], mutant: canaryOf(file) }, firstRunSeconds);
  if (touched === 'timeout' || touched.failure?.includes(canaryOf(file)) !== true)
    throw new Error(`The canary of ${file} survived: mutants are not active. ${JSON.stringify(touched)}`);
}

/** A file of tests passes in a lane that had mutants: what it notices comes from them. */
async function passesUntouched(test: string, lane: Lane): Promise<void> {
  const untouched = await lane.run({ tests: [test] }, firstRunSeconds);
  if (untouched === 'timeout' || untouched.failure !== undefined || untouched.passed === 0)
    throw new Error(`Without a mutant ${test} does not pass: ${JSON.stringify(untouched)}`);
}

/** The file of tests in the name of a failure. */
const testOf = (failure: string): string => failure.split(/ > |: /)[0] ?? '';

/** A test that noticed a mutant. */
type Kill = { readonly file: string; readonly line: number; readonly test: string };

/** So many lines around a mutant belong to one rule. */
const nearLines = 4;

/** The tests that noticed most of the mutants around this one, then most of its file, then the quickest. */
function ordered(tests: readonly string[], { file, line }: Mutant, plan: Plan, kills: readonly Kill[]): string[] {
  const own = kills.filter((kill) => kill.file === file);
  const near = Map.groupBy(
    own.filter((kill) => Math.abs(kill.line - line) <= nearLines),
    ({ test }) => test,
  );
  const all = Map.groupBy(own, ({ test }) => test);
  const count = (groups: typeof all, test: string): number => groups.get(test)?.length ?? 0;
  const taken = (test: string): number => plan.secondsOf[test] ?? 0;
  return tests.toSorted(
    (a, b) => count(near, b) - count(near, a) || count(all, b) - count(all, a) || taken(a) - taken(b),
  );
}

async function verdictOf(mutant: Mutant, lane: Lane, plan: Plan, kills: Kill[]): Promise<Verdict> {
  const tests = plan.testsOf.get(mutant.id);
  if (tests === undefined) return { mutant, state: 'uncovered', seconds: 0 };
  const begun = performance.now();
  const failure = await firstFailure(mutant, batches(ordered(tests, mutant, plan, kills)), lane, plan);
  const seconds = (performance.now() - begun) / 1000;
  if (failure === 'timeout') return { mutant, state: 'timeout', seconds };
  if (failure === undefined) return { mutant, state: 'survived', seconds };
  kills.push({ file: mutant.file, line: mutant.line, test: testOf(failure) });
  return { mutant, state: 'killed', seconds, by: failure };
}

async function firstFailure(
  mutant: Mutant,
  runs: readonly (readonly string[])[],
  lane: Lane,
  plan: Plan,
): Promise<string | undefined> {
  for (const tests of runs) {
    const run = { tests, mutant: mutant.id };
    const limit = limitOf(tests, plan);
    const quick = await lane.run(run, limit);
    const result = quick === 'timeout' ? await lane.run(run, patience * limit) : quick;
    if (result === 'timeout' || result.failure !== undefined) return result === 'timeout' ? result : result.failure;
  }
  return undefined;
}

/** One file of tests, then two, then four: after a failure the rest need not even be imported. */
function batches<T>(files: readonly T[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  for (let size = 1, from = 0; from < files.length; from += size, size *= 2) all.push(files.slice(from, from + size));
  return all;
}

/** Every lane takes the next piece of work when it has done one. */
async function eachByLane<T>(
  lanes: readonly Lane[],
  work: readonly T[],
  step: (piece: T, lane: Lane) => Promise<void>,
): Promise<void> {
  const pieces = work.values();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const piece of pieces) await step(piece, lane);
    }),
  );
}
