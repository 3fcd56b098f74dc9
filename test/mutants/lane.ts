import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { Reporter, TestSpecification, Vitest } from 'vitest/node';
import { BaseSequencer, createVitest } from 'vitest/node';
import { activeVariable } from './instrument.ts';
import type { LaneResult, LaneRun, LaneSettings } from './protocol.ts';
import { quickVariable } from './protocol.ts';

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

const instrumentedTexts = ({ root, instrumented }: LaneSettings): Plugin => {
  const contents = JSON.parse(readFileSync(instrumented, 'utf8')) as Readonly<Record<string, string>>;
  return { name: 'instrumented-texts', enforce: 'pre', load: (id) => contents[relative(root, id)] };
};

/** One Vitest that stays: each run has a new thread, which evaluates modules anew that are transformed already. */
async function startVitest(settings: LaneSettings, reporter: Reporter): Promise<Vitest> {
  const { root, judges, related } = settings;
  const first = related && { related: related.map((file) => join(root, file)) };
  return createVitest(
    {
      ...{ root, config: false, watch: false, include: [...judges], reporters: [reporter], pool: 'threads' },
      ...{
        restoreMocks: true,
        testTimeout: 60_000,
        cache: false,
        env: { TZ: 'UTC', METRIC_NAMESPACE: 'BankingOrderService/test', ERROR_PAGES: '/docs/errors/' },
      },
      // Of a file that does not change, the cache would give back what another run made of it.
      fsModuleCache: false,
      ...(first === undefined
        ? { isolate: false, maxWorkers: 1, bail: 1, runner: join(import.meta.dirname, 'quick-runner.ts') }
        : { ...first, isolate: true, maxWorkers: 2, setupFiles: [join(import.meta.dirname, 'note-reached.ts')] }),
    },
    {
      plugins: [instrumentedTexts(settings)],
      resolve: {
        // As in vitest.config.ts.
        alias: {
          '#company-due': join(root, 'shared/sandbox/company-due.ts'),
          '#simulated-bank': join(root, 'shared/bank/simulated/build.ts'),
        },
      },
      test: { sequence: { sequencer: AsGiven } },
    },
  );
}

/** The lane's side of `lanes.ts`. */
async function serve(settings: LaneSettings): Promise<void> {
  let failures: string[] = [];
  let failed = new Set<string>();
  let passed = 0;
  let secondsOf: Record<string, number> = {};
  const vitest = await startVitest(settings, {
    onTestCaseResult: (test) => {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      if (state !== 'failed') return;
      failed.add(test.module.relativeModuleId);
      failures.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    },
    onTestModuleEnd: (module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      secondsOf[module.relativeModuleId] = (duration + collectDuration + setupDuration) / 1000;
      for (const { message } of module.errors()) failures.push(`${module.relativeModuleId}: ${message}`);
    },
    onTestSuiteResult: (suite) => {
      for (const { message } of suite.errors()) failures.push(`${suite.module.relativeModuleId}: ${message}`);
    },
  });
  const all = await vitest.getRelevantTestSpecifications();
  process.on('message', ({ mutant, tests, quick }: LaneRun) => {
    [failures, failed, passed, secondsOf] = [[], new Set(), 0, {}];
    // Threads take the variable as it is when they begin; no mutant has the empty id.
    process.env[activeVariable] = mutant ?? '';
    process.env[quickVariable] = quick ?? '';
    const byFile = new Map(all.map((one) => [relative(settings.root, one.moduleId), one]));
    const chosen = tests?.flatMap((test) => byFile.get(test) ?? []) ?? all;
    void vitest.runTestSpecifications(chosen).then(({ unhandledErrors }) => {
      for (const error of unhandledErrors) failures.push((error as Error).message);
      const [failure] = failures;
      const result: LaneResult = {
        passed,
        failed: [...failed],
        secondsOf,
        ...(failure === undefined ? {} : { failure }),
      };
      process.send?.(result);
    });
  });
  process.send?.('ready');
}

process.on('disconnect', () => process.exit(0));
process.once('message', (settings: LaneSettings) => void serve(settings));
