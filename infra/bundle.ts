import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
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

/** Packages of the CommonJS kind ask for Node's own modules by `require`, which a module of the other kind does not have. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);`;

/**
 * Sources of AWS credentials other than the environment, where Lambda puts them: the SDK loads these packages only when
 * it finds none there. They would be a fifth of every bundle.
 */
const NOT_IN_LAMBDA = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

/** Leaves packages out of source maps: a stack trace names our lines, and the map is an eighth as large. */
const mapOwnCodeOnly: Plugin = {
  name: 'map-own-code-only',
  setup: (build) => {
    const emptyMap = Buffer.from('{"version":3,"sources":[""],"names":[],"mappings":"AAAA"}').toString('base64');
    const comment = `\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`;
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}${comment}`,
      loader: 'js',
    }));
  },
};

/**
 * Bundles all functions in one call. The AWS SDK is inside, so that what was tested is what runs.
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
    external: NOT_IN_LAMBDA,
    banner: { js: REQUIRE },
    plugins: [mapOwnCodeOnly],
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
