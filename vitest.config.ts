import { defineConfig } from 'vitest/config';

/** One project a kind of evidence; `npm test` runs them all. */
const project = (name: string, include: string[], more: object = {}) => ({
  test: { name, include, restoreMocks: true, env: { TZ: process.env['TZ_OF_TESTS'] ?? 'UTC' }, ...more },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', [
        'test/{domain,http,notifications,provider,runtime,operations,workers,partner,local}/**/*.test.ts',
      ]),
      project('architecture', ['test/architecture/**/*.test.ts']),
      project('contract', ['test/contract/**/*.test.ts']),
      project('model', ['test/model/**/*.test.ts'], { testTimeout: 60_000 }),
      project('infra', ['test/infra/**/*.test.ts'], { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 }),
      project('persistence', ['test/persistence/**/*.test.ts'], { testTimeout: 30_000, hookTimeout: 30_000 }),
      project('acceptance', ['test/acceptance/**/*.test.ts'], {
        globalSetup: 'test/support/environment-setup.ts',
        testTimeout: 60_000,
        hookTimeout: 60_000,
        fileParallelism: false,
      }),
    ],
  },
});
