import { installDynamoDbLocal } from '#infra/local/engines/dynamodb-local/install.ts';
import { exitWith, run, runStep } from './commands.ts';

/**
 * `npm run test:reference`: the persistence suite on Amazon's own DynamoDB Local, and the local environment on it; or
 * the files of that suite that are named behind `--`. One file at a time: the races in them count on the machine's
 * cores. Exits with the suite's code.
 */
async function main(): Promise<number> {
  await runStep('DynamoDB Local from Maven Central', installDynamoDbLocal);
  const words = process.argv.slice(2);
  const local = ['--project', 'unit', 'test/table', 'test/local/dynamodb-local.test.ts'];
  return runStep('tests on it', () =>
    run(['vitest', 'run', '--project', 'table', '--no-file-parallelism', ...(words.length > 0 ? words : local)], {
      environment: { TEST_ENGINE: 'dynamodb-local' },
    }),
  );
}

exitWith(main());
