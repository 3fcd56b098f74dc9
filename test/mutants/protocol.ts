/** What a lane is told first. `instrumented`: a file with the texts. `related`: a first run, of tests of these. */
export type LaneSettings = {
  readonly root: string;
  readonly judges: readonly string[];
  readonly instrumented: string;
  readonly related?: readonly string[];
};

/** A run: with this mutant, or as the code is; of these files of tests, in this order, or of all that are related. */
export type LaneRun = { readonly mutant?: string; readonly tests?: readonly string[] };

/** `failure`: the first test that failed, or what failed outside tests. `secondsOf`: what each file of tests took. */
export type LaneResult = {
  readonly failure?: string;
  readonly passed: number;
  readonly secondsOf: Readonly<Record<string, number>>;
};

/** The variable that names the folder where each file of tests of a first run leaves what it reached. */
export const reachedVariable = 'MUTANTS_REACHED';

/** What a file of tests left: its path, and the ids of the mutants. */
export type Reached = { readonly test: string; readonly ids: readonly string[] };
