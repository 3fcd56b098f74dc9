import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { TestRunner } from 'vitest';
import type { QuickKill, QuickRun } from './protocol.ts';
import { quickVariable } from './protocol.ts';

type Test = Parameters<TestRunner['onAfterRetryTask']>[0];
type Try = Parameters<TestRunner['onAfterRetryTask']>[1];

/** What instrumented code reads and counts. */
type Mutation = {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number;
  hitLimit?: number;
  readonly mutantCoverage?: { readonly perTest: Readonly<Record<string, object | undefined>> };
};
const mutation = ((globalThis as { __stryker__?: Mutation }).__stryker__ ??= {});

/** A mutant that is met so often is in a loop that never ends. */
const mostHits = 5_000_000;
/** A test that computes longer without a mutant is left to the runs of mutants that are judged alone. */
const mostCpuMs = 300;
/** Vitest tries a test again until it has passed: here until there is nothing left to try. */
const asOftenAsNeeded = 1_000_000;

function readRun(): QuickRun | undefined {
  const path = process.env[quickVariable] ?? '';
  return path === '' ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as QuickRun);
}

/**
 * Tries each test without a mutant, then with each that it reached. Modules are evaluated once, so that only mutants
 * are noticed that act when a function is called. It says of some that a test noticed them, and nothing of the others.
 * What a mutant left behind must not count: after a failure the test has to pass without one, else the file ends here.
 */
class QuickRunner extends TestRunner {
  private readonly run = readRun();
  private readonly open = new Set(this.run?.open);
  private ahead: string[] = [];
  private noticed: QuickKill | undefined;
  private isSpoilt = false;
  private tries = 0;
  private begunMs = 0;
  private begunCpu = process.threadCpuUsage();

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (this.run === undefined || this.isSpoilt) return;
    test.retry = asOftenAsNeeded;
    [this.ahead, this.noticed] = [[], undefined];
  }

  override onBeforeTryTask(test: Test, options: Try): void {
    super.onBeforeTryTask(test, options);
    if (this.run === undefined) return;
    const active = this.noticed === undefined ? this.ahead[0] : undefined;
    if (active !== undefined) writeFileSync(this.run.progress, `${(this.tries += 1)} ${active}`);
    Object.assign(mutation, { activeMutant: active ?? '', hitCount: 0, hitLimit: mostHits });
    mutation.currentTestId = options.retry === 0 ? test.id : undefined;
    this.begunMs = performance.now();
    this.begunCpu = process.threadCpuUsage();
  }

  override async onAfterRetryTask(test: Test, options: Try): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    if (this.run === undefined || result === undefined || test.retry !== asOftenAsNeeded) return;
    Object.assign(mutation, { activeMutant: '', currentTestId: undefined });
    this.judge(test, result.state === 'fail' ? (result.errors?.at(-1)?.message ?? 'It failed.') : undefined, options);
    if (this.isSpoilt) this.ahead = [];
    const again = { state: 'fail', errors: [{ message: 'There are mutants left to try.' }], attempts: [] };
    Object.assign(result, this.ahead.length === 0 ? { state: 'pass', errors: undefined } : again);
  }

  private judge(test: Test, failure: string | undefined, { retry }: Try): void {
    const [active] = this.ahead;
    if (retry === 0 || active === undefined) {
      this.isSpoilt = failure !== undefined;
      const { user, system } = process.threadCpuUsage(this.begunCpu);
      const reached = Object.keys(mutation.mutantCoverage?.perTest[test.id] ?? {}).filter((id) => this.open.has(id));
      this.ahead = (user + system) / 1000 > mostCpuMs ? [] : reached;
    } else if (this.noticed !== undefined) {
      this.isSpoilt = failure !== undefined;
      if (!this.isSpoilt) this.note(this.noticed);
      this.noticed = undefined;
      this.ahead.shift();
    } else if (failure === undefined) {
      this.ahead.shift();
    } else {
      // What still runs after its time could disturb the next one.
      this.isSpoilt = failure.startsWith('Test timed out');
      this.noticed = { id: active, by: test.fullTestName, seconds: (performance.now() - this.begunMs) / 1000 };
    }
  }

  private note(kill: QuickKill): void {
    this.open.delete(kill.id);
    appendFileSync(this.run?.kills ?? '', `${JSON.stringify(kill)}\n`);
  }
}

export { QuickRunner as default };
