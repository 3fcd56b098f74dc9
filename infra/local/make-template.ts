// node infra/local/make-template.ts <folder>: bundles the functions, synthesizes the stage Local, and saves both in the
// folder. A process of its own: bundler and CDK would stay in the memory of the environment, which needs them no more.
import { stop } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../app.ts';
import { bundleFunctions } from '../aws/bundle.ts';
import { synthesize } from './template/assembly.ts';
import { newestMade, saveTemplate } from './template/saved-template.ts';

const root = join(import.meta.dirname, '../..');

async function makeTemplate(folder: string): Promise<void> {
  const bundles = await newestMade(join(root, 'node_modules/.cache/local-functions'), {
    make: async (outdir) => {
      const { inputs } = await bundleFunctions({ build: 'simulation', outdir: join(outdir, 'simulation') });
      await stop();
      return Object.keys(inputs);
    },
    root,
    settings: () => [
      'infra/aws/bundle.ts',
      'functions/workers.ts',
      'functions/routes.ts',
      'package.json',
      'package-lock.json',
    ],
  });
  mkdirSync(folder, { recursive: true });
  const build = (outdir: string) => buildApp({ bundles, environments: ['local'], outdir: join(outdir, 'cdk.out') });
  saveTemplate(folder, await synthesize(build, join(folder, 'assembly'), 'Local'));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('make-template.ts needs the folder to fill.');
await makeTemplate(folder);
