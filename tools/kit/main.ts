import { resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { OptionValues } from '@banking-order/partner-tools';
import { runTool } from '@banking-order/partner-tools';
import { packKit } from './pack.ts';

const usage = `Packs a typed client of the service for partners into one tarball. The client has a method for each operation, keeps
its token, repeats requests where that is safe, and verifies notifications. It needs only Node 20 or later.

npm run kit [-- OPTIONS]

  --into FOLDER    folder of the tarball (default: dist)

Install it with npm install <tarball>. Its README explains its use.`;

const options = { into: { type: 'string' } } as const;

async function run({ into }: OptionValues<typeof options>): Promise<boolean> {
  console.log('Generating the client from docs/openapi.json, compiling and packing it …');
  const file = await packKit(resolve(into ?? 'dist'), manifest.version);
  console.log(`\n${file}\n\nnpm install ${file}`);
  return true;
}

process.exitCode = await runTool({ usage, options, run }, process.argv.slice(2));
