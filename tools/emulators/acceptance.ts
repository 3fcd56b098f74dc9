// npm run tool -- tools/emulators/acceptance.ts ministack, or localstack: deploys the CDK app into an emulator,
// onboards two companies, and runs acceptance tests there. Exits with their code.
import { join } from 'node:path';
import { freePort } from '@banking-order/cdk-local';
import { exitWith, root, run, runOrThrow, runStep, tail } from '#infra/releases/commands.ts';
import { onDeployments, pathsOf } from './acceptance-files.ts';
import type { Emulator } from './emulator.ts';
import { installLocalStack, plugins, startLocalStack } from './localstack.ts';
import { checkLoopback } from './loopback.ts';
import { startMiniStack } from './ministack.ts';
import type { EmulatorName } from './not-judged.ts';
import { describeNotJudged } from './not-judged.ts';
import { pythonFor, pythonTool } from './python-tools.ts';
import type { Trial } from './deployment.ts';
import { emptyFolder, withTrial } from './deployment.ts';

type AcceptanceRun = {
  /** Folder of logs, assembly and sandbox file. */
  readonly folder: string;
  readonly start: (folder: string) => Promise<Emulator>;
  /** The default tests; `--all` runs all. */
  readonly usual: readonly string[];
};

/** Journey 3 by HTTP, redrive to the dead-letter queue, jobs of the real and of the simulated clock. */
const smoke = [
  'slow/acceptance/demo',
  'slow/acceptance/webhooks-retries',
  'acceptance/pay-ins-expiry',
  'acceptance/clock',
].map((name) => `test/${name}.test.ts`);

const runs: Readonly<Record<EmulatorName, AcceptanceRun>> = {
  ministack: { folder: '.deployed', start: installAndStartMiniStack, usual: pathsOf(onDeployments) },
  localstack: { folder: '.localstack-test', start: installAndStartLocalStack, usual: smoke },
};

/** `acceptance.ts <emulator> [--all | <test file>…]`; with `--python` it only prints the emulator's Python. */
async function main([name = '', ...args]: readonly string[]): Promise<number> {
  if (!Object.hasOwn(runs, name)) throw new Error(`Name an emulator: ${Object.keys(runs).join(', ')}.`);
  const emulatorName = name as EmulatorName;
  if (args[0] === '--python') {
    console.log(await pythonFor(emulatorName));
    return 0;
  }
  const { start, usual, ...acceptanceRun } = runs[emulatorName];
  const folder = join(root, acceptanceRun.folder);
  emptyFolder(folder);
  const files = args.length === 0 ? usual : args.filter((word) => word !== '--all');
  return withTrial(await start(folder), folder, (trial) => runSuite(trial, emulatorName, files));
}

async function installAndStartMiniStack(folder: string): Promise<Emulator> {
  const program = await runStep('MiniStack from PyPI', () => pythonTool('ministack'));
  return runStep('start', () => startMiniStack(program, folder));
}

async function installAndStartLocalStack(folder: string): Promise<Emulator> {
  const python = await runStep('LocalStack from PyPI, DynamoDB Local from Maven Central', installLocalStack);
  await runStep('tests of the plugin', () => testPlugin(python));
  return runStep('start', async () => startLocalStack(python, folder, await freePort()));
}

/** Tests the plugin on LocalStack's code, without a running LocalStack. */
function testPlugin(python: string): Promise<void> {
  const environment = { PYTHONPATH: plugins, PYTHONDONTWRITEBYTECODE: '1' };
  const discover = ['discover', '--start-directory', join(plugins, 'tests')];
  return runOrThrow([python, '-m', 'unittest', ...discover], { environment });
}

/** Runs the acceptance suite, or files of it, and prints what the emulator does not judge. */
async function runSuite(
  { emulator, sandboxFile }: Trial,
  name: EmulatorName,
  files: readonly string[],
): Promise<number> {
  const code = await runStep('acceptance suite', () =>
    run(['vitest', 'run', '--project', 'acceptance', '--project', 'silence', ...files], {
      environment: {
        ...emulator.environment,
        ACCEPTANCE_SANDBOX: sandboxFile,
        ACCEPTANCE_CAPABILITIES: emulator.capabilities.join(','),
      },
    }),
  );
  // Checked again: now the processes of the functions run, which the suite started.
  checkLoopback(emulator.mark);
  console.log(`\n${describeNotJudged(name)}`);
  if (code !== 0) console.log(`\nLast lines of ${emulator.log}:\n${tail(emulator.log)}`);
  return code;
}

exitWith(main(process.argv.slice(2)));
