import { once } from 'node:events';
import { join } from 'node:path';
import { endWithNpm } from '@banking-order/cdk-local';
import { exitWith, root, runStep } from '#infra/releases/commands.ts';
import { installLocalStack, startLocalStack } from './localstack.ts';
import { describeNotJudged } from './not-judged.ts';
import { emptyFolder, withTrial } from './deployment.ts';

const folder = join(root, '.localstack');

/** LocalStack's usual port by default. */
const port = Number(process.env['PORT'] ?? '4566');

/** `npm run start:localstack`: the service in LocalStack 4.14 until Ctrl-C or SIGTERM, empty at each start. */
async function main(): Promise<number> {
  endWithNpm('start:localstack');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('PORT must be a number from 1 to 65535.');
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      end.abort();
    });
  }
  emptyFolder(folder);
  const python = await runStep('LocalStack from PyPI, DynamoDB Local from Maven Central', installLocalStack);
  const emulator = await runStep('start', () => startLocalStack(python, folder, port));
  return withTrial(emulator, folder, async ({ baseUrl, sandboxFile }) => {
    console.log(describeNotJudged('localstack'));
    console.log(
      `\nUse it with LOCAL_DIR=.localstack, for example LOCAL_DIR=.localstack npm run demo. Stop it with Ctrl-C.`,
    );
    console.log(`AWS CLI and SDK: AWS_ENDPOINT_URL=${emulator.endpoint}, any access key, AWS_REGION=sa-east-1.`);
    console.log(`ready ${baseUrl} (companies, secrets and accounts: ${sandboxFile})`);
    if (!end.signal.aborted) await once(end.signal, 'abort');
    return 0;
  });
}

exitWith(main());
