import { installDynamoDbLocal } from '@banking-order/cdk-local';
import { exitWith, run, runStep } from '#infra/releases/commands.ts';

/** Tests of the installation, and of `npm start` on DynamoDB Local. */
const unitTests = ['cdk-local', 'local-environment'].map((name) => `packages/${name}/test/dynamodb-local.test.ts`);

/**
 * `npm run tool -- tools/emulators/reference.ts`: runs the tests of the table and of `npm start`, or named files, on
 * Amazon's DynamoDB Local; one file at a time, because their races need the machine's cores. Exits with their code.
 */
async function main(): Promise<number> {
  await runStep('DynamoDB Local from Maven Central', installDynamoDbLocal);
  const args = process.argv.slice(2);
  const local = ['--project', 'unit', 'test/table', ...unitTests];
  return runStep('tests on DynamoDB Local', () =>
    run(['vitest', 'run', '--project', 'table', '--no-file-parallelism', ...(args.length > 0 ? args : local)], {
      environment: { TEST_ENGINE: 'dynamodb-local' },
    }),
  );
}

exitWith(main());
