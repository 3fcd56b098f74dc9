import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import { lackingBank } from './test/support/lacking.ts';
import { atBanks, pathsOf } from './tools/emulators/acceptance-files.ts';

const env = { TZ: 'UTC', METRIC_NAMESPACE: 'BankingOrderService/test', ERROR_PAGES: '/docs/errors/' };
/** `.ci/run` gives unit tests another zone, and the tests of a file another order, by the number that it shows. */
const { TZ_OF_TESTS: zone = 'UTC', ORDER_OF_TESTS: order } = process.env;

/**
 * `npm run test:slow`: what takes long, by the same projects. A deployment in an emulator is judged by both at once.
 */
const isSlowRun = process.env['TEST_SLOW'] !== undefined;
const isEmulated = process.env['ACCEPTANCE_SANDBOX'] !== undefined;
/**
 * End a test that hangs, in milliseconds. No test is judged by them: on a busy machine, or on a deployment in an
 * emulator, it may take many times as long as on a quiet one.
 */
const limits = {
  testTimeout: isSlowRun || isEmulated ? 1_200_000 : 240_000,
  hookTimeout: 240_000,
  // Longer than a queue hides a message whose receiver died: three minutes.
  expect: { poll: { timeout: 200_000 } },
};

/** One project a kind of evidence; `npm test` runs them all. */
const project = (name: string, include: string[], more: object = {}) => ({
  // Tests write what a build with the sandbox writes. Companies' clocks are read where a test says so.
  // Their companies have the simulated bank.
  resolve: {
    alias: {
      '#company-due': join(import.meta.dirname, 'shared/sandbox/company-due.ts'),
      '#simulated-bank': join(import.meta.dirname, 'shared/bank/simulated/build.ts'),
    },
  },
  test: { name, include, restoreMocks: true, env, ...limits, ...more },
});

/** The files of a worker share their modules: importing them for each file took as long as half of the tests. */
const together = { isolate: false };

const isAtBank = process.env['ACCEPTANCE_BANK'] !== undefined;
/** Tests of packages lie beside them: in `test`, and in `test/slow` what takes long. */
const packageFiles = isSlowRun ? ['packages/*/test/slow/**/*.test.ts'] : ['packages/*/test/**/*.test.ts'];
const files = (kind: string): string[] =>
  [...(isSlowRun && !isEmulated ? [] : ['test']), ...(isSlowRun || isEmulated ? ['test/slow'] : [])].map(
    (folder) => `${folder}/${kind}/**/*.test.ts`,
  );
/** Folders of the unit project. */
const rooms =
  'bench,core,platform,bank,access,accounts,credits,pay-ins,payouts,refunds,certificates,subscriptions,scheduled-payments,pix-keys,webhooks,bank-events,disputes,sandbox,operator,emulators,mutants';

/** Files of tests that take longest, in that order: begun last, one of them would leave every other worker idle. */
const longest = [
  'test/slow/acceptance/webhooks-scale.test.ts',
  'test/slow/acceptance/webhooks-resends.test.ts',
  'test/slow/acceptance/hostile-fuzz.test.ts',
  'test/slow/acceptance/partner-samples.test.ts',
  'test/slow/acceptance/webhooks-hanging.test.ts',
  'test/slow/acceptance/webhooks-retries.test.ts',
  'test/slow/acceptance/scenarios.test.ts',
  'test/slow/acceptance/demo.test.ts',
  'packages/local-environment/test/slow/shell-blocks.test.ts',
  'packages/local-environment/test/slow/bank/callbacks-heard.test.ts',
  'test/slow/acceptance/document-examples.test.ts',
];
const named = [...longest, ...rooms.split(',').map((room) => `test/${room}`)];
for (const path of named) if (!existsSync(path)) throw new Error(`vitest.config.ts names ${path}, which is gone.`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      [...longest, moduleId].findIndex((file) => moduleId.endsWith(file));
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

/**
 * An environment that runs already is one; of the local ones each worker has its own
 * (test/support/environment-setup.ts).
 */
const acceptanceWorkers = isEmulated ? 1 : 2;

export default defineConfig({
  test: {
    // One worker has nobody to leave idle.
    sequence: {
      ...(acceptanceWorkers > 1 && { sequencer: LongestFirst }),
      ...(order !== undefined && { seed: Number(order) }),
    },
    // Vitest itself leaves one core to its main process, which has little to do: of two that is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project('unit', [`test/${isSlowRun ? 'slow/' : ''}{${rooms}}/**/*.test.ts`, ...packageFiles], {
        exclude: [
          ...configDefaults.exclude,
          'packages/*/test/browser/**',
          ...(isSlowRun ? [] : ['packages/*/test/slow/**']),
        ],
        ...together,
        env: { ...env, TZ: zone },
        ...(order !== undefined && { sequence: { shuffle: { files: false, tests: true } } }),
      }),
      ...(isSlowRun
        ? []
        : [
            project('architecture', ['test/architecture/**/*.test.ts'], together),
            project('contract', ['test/contract/**/*.test.ts'], together),
          ]),
      project('model', files('model'), together),
      project('infra', files('infra'), together),
      project('table', files('table'), {
        ...together,
      }),
      project('acceptance', isAtBank ? [...pathsOf(atBanks)] : files('acceptance'), {
        globalSetup: 'test/support/environment-setup.ts',
        ...(process.env['ACCEPTANCE_BANK'] === lackingBank && { setupFiles: 'test/support/at-lacking-bank.ts' }),
        maxWorkers: acceptanceWorkers,
        // After all others: waiting times are judged here.
        sequence: { groupOrder: 1 },
      }),
      // Pages of the local environment in a real browser (`TEST_BROWSER=yes npm test -- --project browser`), where
      // there is one.
      ...(process.env['TEST_BROWSER'] === undefined
        ? []
        : [project('browser', ['packages/*/test/browser/**/*.test.ts'])]),
      // What openapi-generator makes of the document (`npm run tool -- tools/generators.ts`, which brings it).
      ...(process.env['TEST_GENERATORS'] === undefined
        ? []
        : [
            project('generators', ['test/generators/**/*.test.ts'], {
              globalSetup: 'test/support/environment-setup.ts',
              // Each generates a client and compiles it.
              testTimeout: 1_200_000,
              maxWorkers: 1,
            }),
          ]),
      // Reads what the acceptance suite of the same run said, was told and logged.
      project('silence', ['test/silence/**/*.test.ts'], { sequence: { groupOrder: 2 } }),
    ],
  },
});
