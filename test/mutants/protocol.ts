/** The first message to a lane. `instrumented`: a file with the texts. `related`: a first run, of tests of these. */
export type LaneSettings = {
  readonly root: string;
  readonly judges: readonly string[];
  readonly instrumented: string;
  readonly related?: readonly string[];
};

/**
 * A run: with this mutant, or as the code is; of these files of tests, in this order, or of all that are related.
 * `quick`: a file with a `QuickRun`.
 */
export type LaneRun = { readonly mutant?: string; readonly tests?: readonly string[]; readonly quick?: string };

/**
 * `failure`: the first test that failed, or what failed outside tests. `failed`: the files with tests that failed.
 * `secondsOf`: what each file of tests took.
 */
export type LaneResult = {
  readonly failure?: string;
  readonly failed: readonly string[];
  readonly passed: number;
  readonly secondsOf: Readonly<Record<string, number>>;
};

/** The variable that names the folder where each file of tests of a first run leaves what it reached. */
export const reachedVariable = 'MUTANTS_REACHED';

/** What a file of tests left: its path, and the ids of the mutants. */
export type Reached = { readonly test: string; readonly ids: readonly string[] };

/** The variable that names the file with a `QuickRun`. */
export const quickVariable = 'MUTANTS_QUICK';

/**
 * Mutants to try in one evaluation of a file of tests. `kills`: the file to which those that were noticed are added.
 * `progress`: the file that says which one acts now.
 */
export type QuickRun = { readonly open: readonly string[]; readonly kills: string; readonly progress: string };

/** A line of the kills. */
export type QuickKill = { readonly id: string; readonly by: string; readonly seconds: number };
