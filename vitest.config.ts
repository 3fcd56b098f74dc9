import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** One project a kind of evidence; `npm test` runs them all. */
const project = (name: string, include: string[], more: object = {}) => ({
  test: { name, include, restoreMocks: true, env: { TZ: process.env['TZ_OF_TESTS'] ?? 'UTC' }, ...more },
});

/** The files of a worker share their modules: importing them for each file took as long as half of the tests. */
const together = { isolate: false };

/** Files of tests that take longest, in that order: begun last, one of them would leave every other worker idle. */
const longest = [
  'hostile-fuzz',
  'partner-samples',
  'webhooks-hanging',
  'scenarios',
  'webhooks-retries',
  'document-examples',
  'demo',
].map((name) => `test/acceptance/${name}.test.ts`);
for (const file of longest) if (!existsSync(file)) throw new Error(`vitest.config.ts names ${file}, which is gone.`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      [...longest, moduleId].findIndex((file) => moduleId.endsWith(file));
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

/** An environment that runs already is one; of the local ones each worker has its own (test/support/environment-setup.ts). */
const acceptanceWorkers = process.env['ACCEPTANCE_SANDBOX'] === undefined ? 2 : 1;

export default defineConfig({
  test: {
    // One worker has nobody to leave idle.
    sequence: acceptanceWorkers > 1 ? { sequencer: LongestFirst } : {},
    // Vitest itself leaves one core to its main process, which has little to do: of two that is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project(
        'unit',
        [
          'test/{bench,core,platform,bank,access,accounts,pay-ins,payouts,refunds,subscriptions,scheduled-payments,pix-keys,webhooks,sandbox,operator,partner,local,console,emulators}/**/*.test.ts',
        ],
        // Half a core may be all that a file gets.
        { ...together, testTimeout: 20_000 },
      ),
      project('architecture', ['test/architecture/**/*.test.ts'], together),
      project('contract', ['test/contract/**/*.test.ts'], together),
      project('model', ['test/model/**/*.test.ts'], { ...together, testTimeout: 60_000 }),
      project('infra', ['test/infra/**/*.test.ts'], { ...together, testTimeout: 180_000, hookTimeout: 60_000 }),
      project('table', ['test/table/**/*.test.ts'], {
        ...together,
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      project('acceptance', ['test/acceptance/**/*.test.ts'], {
        globalSetup: 'test/support/environment-setup.ts',
        testTimeout: 60_000,
        hookTimeout: 60_000,
        maxWorkers: acceptanceWorkers,
        // After all others: waiting times are judged here.
        sequence: { groupOrder: 1 },
      }),
      // Pages of the local environment in a real browser (`npm run test:browser`), where there is one.
      ...(process.env['TEST_BROWSER'] === undefined
        ? []
        : [project('browser', ['test/browser/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 120_000 })]),
      // What openapi-generator makes of the document (`npm run test:generators`, which brings it).
      ...(process.env['TEST_GENERATORS'] === undefined
        ? []
        : [
            project('generators', ['test/generators/**/*.test.ts'], {
              globalSetup: 'test/support/environment-setup.ts',
              testTimeout: 180_000,
              hookTimeout: 60_000,
              maxWorkers: 1,
            }),
          ]),
      // Reads what the acceptance suite of the same run said, was told and logged.
      project('silence', ['test/silence/**/*.test.ts'], { testTimeout: 60_000, sequence: { groupOrder: 2 } }),
    ],
  },
});
