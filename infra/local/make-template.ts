// node infra/local/make-template.ts <folder>: bundles the functions, synthesizes the stage Local, and saves both in the
// folder. A process of its own: bundler and CDK would stay in the memory of the environment, which needs them no more.
import { stop } from 'esbuild';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../app.ts';
import { bundleFunctions } from '../aws/bundle.ts';
import { synthesize } from './template/assembly.ts';
import { saveTemplate } from './template/saved-template.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('make-template.ts needs the folder to fill.');
const bundles = join(folder, 'bundles');
mkdirSync(folder, { recursive: true });
await bundleFunctions({ build: 'simulation', outdir: join(bundles, 'simulation') });
await stop();
const build = (outdir: string) => buildApp({ bundles, environments: ['local'], outdir: join(outdir, 'cdk.out') });
saveTemplate(folder, await synthesize(build, join(folder, 'assembly'), 'Local'));
rmSync(bundles, { recursive: true });
