import { resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { OptionsOf } from '@banking-order/partner-tools';
import { defineTool, runProgram } from '@banking-order/partner-tools';
import { packKit } from './pack.ts';

async function run({ into }: OptionsOf<'into'>): Promise<void> {
  console.log('Generating the client from docs/openapi.json, compiling and packing it …');
  const file = await packKit(resolve(into ?? 'dist'), manifest.version);
  console.log(`\n${file}\n\nnpm install ${file}`);
}

const tool = defineTool(
  'kit',
  'Packs a typed client of the service for partners into one tarball. The client has a method for each operation, keeps its token, repeats requests where that is safe, and verifies notifications. It needs only Node 20 or later.',
)
  .option('--into <FOLDER>', 'folder of the tarball (default: dist)')
  .addHelpText('after', '\nInstall it with npm install <tarball>. Its README explains its use.')
  .action(run);

process.exitCode = await runProgram(tool, process.argv.slice(2));
