import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { routes, type Route } from '../functions/routes.ts';
import { workers, type WorkerName } from './workers.ts';

const ROOT = join(import.meta.dirname, '..');

/** Where bundles are written: a folder a function, holding `index.mjs` and its source map. */
export const BUNDLES = join(ROOT, 'dist/functions');

/** Name of an endpoint's bundle: its folder. */
export function endpointBundle(route: Pick<Route, 'folder'>): string {
  return route.folder.replaceAll('/', '-');
}

export function workerBundle(name: WorkerName): string {
  return `workers-${name}`;
}

export type Bundle = { readonly name: string; readonly source: string };

/** Every function: the name of its bundle and the file that exports its handler, relative to the repository. */
export function bundles(): readonly Bundle[] {
  return [
    ...routes.map((route) => ({ name: endpointBundle(route), source: `functions/${route.folder}/handler.ts` })),
    ...(Object.keys(workers) as WorkerName[]).map((name) => ({
      name: workerBundle(name),
      source: `functions/workers/${name}/handler.ts`,
    })),
  ];
}

export type BundleOptions = {
  readonly outdir?: string;
  /** Off for tests that read the code. */
  readonly minify?: boolean;
  readonly only?: readonly Bundle[];
};

/**
 * Bundles all functions in one call. Everything is inside, the AWS SDK too, so that what was tested is what runs.
 *
 * @returns esbuild's record of which file went into which bundle.
 * @throws Error naming every function that has no handler.
 */
export async function bundleFunctions(options: BundleOptions = {}): Promise<Metafile> {
  const { outdir = BUNDLES, minify = true, only = bundles() } = options;
  const missing = only.filter(({ source }) => !existsSync(join(ROOT, source))).map(({ source }) => source);
  if (missing.length > 0) throw new Error(`These functions have no handler: ${missing.join(', ')}`);
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: only.map(({ name, source }) => ({ in: source, out: `${name}/index` })),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    minify,
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  return metafile;
}
