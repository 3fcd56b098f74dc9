import { resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { OptionValues } from '@banking-order/partner-tools';
import { runTool } from '@banking-order/partner-tools';
import { packKit } from './pack.ts';

const usage = `Packs a typed client of the service for partners, one tarball: calls by their names, a token that is kept,
requests that are repeated where that is safe, notifications verified. It needs nothing but Node 20.

npm run kit [-- OPTIONS]

  --into FOLDER    where the tarball goes (default: dist)

Install it with npm install <tarball>; its README shows how it is used.`;

const options = { into: { type: 'string' } } as const;

async function run({ into }: OptionValues<typeof options>): Promise<boolean> {
  console.log('Generating the client from docs/openapi.json, compiling and packing it …');
  const file = await packKit(resolve(into ?? 'dist'), manifest.version);
  console.log(`\n${file}\n\nnpm install ${file}`);
  return true;
}

process.exitCode = await runTool({ usage, options, run }, process.argv.slice(2));
