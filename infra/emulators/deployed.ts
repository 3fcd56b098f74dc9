import { join } from 'node:path';
import { exitWith, root, runStep } from './commands.ts';
import { startMiniStack } from './ministack.ts';
import { judgements } from './not-judged.ts';
import { pythonTool } from './python-tools.ts';
import { emptyFolder, runSuite, withTrial } from './trial.ts';

/** Everything that a run leaves: log of the emulator, assembly, sandbox file. */
const folder = join(root, '.deployed');

/**
 * `npm run test:deployed`: deploys the CDK app by the CDK CLI into MiniStack, onboards two companies there and runs the
 * acceptance suite against it. Exits with the suite's code.
 */
async function main(): Promise<number> {
  emptyFolder(folder);
  const program = await runStep('MiniStack from PyPI', () => pythonTool('ministack'));
  const emulator = await runStep('start', () => startMiniStack(program, folder));
  return withTrial(emulator, folder, (trial) => runSuite(trial, judgements.ministack, process.argv.slice(2)));
}

exitWith(main());
