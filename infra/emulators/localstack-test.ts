import { join } from 'node:path';
import { freePort } from '../local/processes.ts';
import { exitWith, root, runOrThrow, runStep } from './commands.ts';
import { installLocalStack, plugins, startLocalStack } from './localstack.ts';
import { judgements } from './not-judged.ts';
import { emptyFolder, runSuite, withTrial } from './trial.ts';

/** Everything that a run leaves: logs, assembly, sandbox file. */
const folder = join(root, '.localstack-test');

/**
 * `npm run test:localstack`: as `npm run test:deployed`, into LocalStack 4.14 with this project's plugin, after the
 * tests of that plugin. Exits with the suite's code.
 */
async function main(): Promise<number> {
  emptyFolder(folder);
  const python = await runStep('LocalStack from PyPI, DynamoDB Local from Maven Central', installLocalStack);
  await runStep('tests of the plugin', () => testPlugin(python));
  const emulator = await runStep('start', async () => startLocalStack(python, folder, await freePort()));
  return withTrial(emulator, folder, (trial) => runSuite(trial, judgements.localstack, process.argv.slice(2)));
}

/** Tests the plugin on LocalStack's code, without a running LocalStack. */
async function testPlugin(python: string): Promise<void> {
  const environment = { PYTHONPATH: plugins, PYTHONDONTWRITEBYTECODE: '1' };
  await runOrThrow([python, '-m', 'unittest', 'discover', '--start-directory', join(plugins, 'tests')], {
    environment,
  });
}

exitWith(main());
