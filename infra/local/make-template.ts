// node infra/local/make-template.ts <folder>: bundles the functions, synthesizes the stage Local, and saves both in the
// folder. A process of its own: bundler and CDK would stay in the memory of the environment, which needs them no more.
import { stop } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../app.ts';
import { keptBundles } from '../aws/kept-bundles.ts';
import { synthesize } from './template/assembly.ts';
import { saveTemplate } from './template/saved-template.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('make-template.ts needs the folder to fill.');
mkdirSync(folder, { recursive: true });
const bundles = { simulation: (await keptBundles('simulation')).folder };
await stop();
const build = (outdir: string) => buildApp({ bundles, environments: ['local'], outdir: join(outdir, 'cdk.out') });
saveTemplate(folder, await synthesize(build, join(folder, 'assembly'), 'Local'));
