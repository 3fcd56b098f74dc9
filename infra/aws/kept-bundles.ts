import type { Metafile } from 'esbuild';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from './bundle.ts';
import { bundleFunctions } from './bundle.ts';
import { bundleSources } from './bundle-sources.ts';
import { newestBuild } from './newest-build.ts';

const root = join(import.meta.dirname, '../..');

type KeptBundles = {
  /** Path of one folder per bundle, named after it, each with `index.mjs` and its source map. */
  readonly folder: string;
  /** esbuild's record of the files in each bundle. */
  readonly metafile: Metafile;
};

/**
 * Returns all functions of a build from `dist/functions/<build>`, for deployments, the local environment, and checks of
 * their size or content. They are bundled again only after a change.
 */
export async function keptBundles(build: Build): Promise<KeptBundles> {
  const buildFolder = await newestBuild(join(root, 'dist/functions', build), sourceFiles, async (folder) => {
    const metafile = await bundleFunctions({ build, outdir: join(folder, 'bundles') });
    refuseUnwatched(metafile, sourceFiles());
    writeFileSync(join(folder, 'metafile.json'), JSON.stringify(metafile));
  });
  const metafile = JSON.parse(readFileSync(join(buildFolder, 'metafile.json'), 'utf8')) as Metafile;
  return { folder: join(buildFolder, 'bundles'), metafile };
}

function sourceFiles(): readonly string[] {
  return globSync(bundleSources, { cwd: root }).map((file) => join(root, file));
}

/** Requires every source file of a bundle to be watched for changes. @throws Error naming the files that are not */
export function refuseUnwatched({ inputs }: Pick<Metafile, 'inputs'>, watched: readonly string[]): void {
  const known = new Set(watched);
  const own = Object.keys(inputs).filter((file) => !file.startsWith('node_modules/'));
  const unwatched = own.filter((file) => !known.has(join(root, file)));
  if (unwatched.length > 0) throw new Error(`infra/aws/bundle-sources.ts lacks ${unwatched.join(', ')}.`);
}
