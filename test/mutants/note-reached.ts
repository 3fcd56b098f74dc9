import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Reached } from './protocol.ts';
import { reachedVariable } from './protocol.ts';

/** What instrumented code counts: how often each of its mutants was reached. */
type Counters = { readonly mutantCoverage?: { readonly static: Readonly<Record<string, number>> } };

/** Leaves, last of all that a file of tests does, what it reached. */
function noteReached(folder: string): void {
  afterAll(() => {
    const { testPath: test } = expect.getState();
    if (test === undefined) throw new Error('Vitest names no current test file.');
    const { __stryker__: counters } = globalThis as { readonly __stryker__?: Counters };
    const reached: Reached = { test, ids: Object.keys(counters?.mutantCoverage?.static ?? {}) };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, encodeURIComponent(test)), JSON.stringify(reached));
  });
}

// A setup file of the first run.
const folder = process.env[reachedVariable];
if (folder === undefined)
  throw new Error('This setup file is only for the first run of mutants: its variable is not set.');
noteReached(folder);
