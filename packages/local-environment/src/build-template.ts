// node packages/local-environment/src/build-template.ts FOLDER: bundles the functions, synthesizes the stage Local, and
// saves both in the folder. It is a separate process, so that bundler and CDK do not stay in the memory of the
// environment.
import { stop } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { keptBundles } from '#infra/aws/kept-bundles.ts';
import { synthesize, saveTemplate } from '@banking-order/cdk-local';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('build-template.ts needs a folder as its argument.');
mkdirSync(folder, { recursive: true });
const bundles = { simulation: (await keptBundles('simulation')).folder };
await stop();
const build = (outdir: string) => buildApp({ bundles, environments: ['local'], outdir: join(outdir, 'cdk.out') });
saveTemplate(folder, await synthesize(build, join(folder, 'assembly'), 'Local'));
