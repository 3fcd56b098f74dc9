import { exitWith, run, timed } from './commands.ts';
import { installDynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';

/** `npm run test:reference`: the persistence suite on Amazon's own DynamoDB Local. Exits with the suite's code. */
async function main(): Promise<number> {
  await timed('DynamoDB Local from Maven Central', installDynamoDbLocal);
  const engine = await timed('start', startDynamoDbLocal);
  try {
    return await timed('persistence suite', () =>
      run(['vitest', 'run', '--project', 'persistence'], {
        environment: {
          AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
          AWS_REGION: 'us-east-1',
          AWS_ACCESS_KEY_ID: 'test',
          AWS_SECRET_ACCESS_KEY: 'test',
        },
      }),
    );
  } finally {
    await engine.stop();
  }
}

exitWith(main());
