import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { build as runBundler } from 'esbuild';
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import { workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';

const root = join(import.meta.dirname, '../..');

/** Where bundles are written: a folder a build, in it one a function, holding `index.mjs` and its source map. */
export const bundlesFolder = join(root, 'dist/functions');

/**
 * What the functions of an environment are built with. `simulation`: simulated clocks, tools and faults on demand.
 * `production` holds none of them: what a build leaves out, no setting can turn on.
 */
export type Build = 'production' | 'simulation';
export const builds: readonly Build[] = ['production', 'simulation'];

/** Name of an endpoint's bundle: its folder. */
export function endpointBundle(route: Pick<Route, 'folder'>): string {
  return route.folder.replaceAll('/', '-');
}

export function workerBundle(name: WorkerName): string {
  return `workers-${name}`;
}

type Bundle = { readonly name: string; readonly source: string };

/**
 * Every function of a build: the name of its bundle and the file that exports its handler, relative to the repository.
 */
export function bundles(of: Build): readonly Bundle[] {
  const isPart = ({ simulation }: { readonly simulation?: true }): boolean =>
    of === 'simulation' || simulation !== true;
  return [
    ...routes
      .filter(isPart)
      .map((route) => ({ name: endpointBundle(route), source: `functions/${route.folder}/handler.ts` })),
    ...workerNames
      .filter((name) => isPart(workers[name]))
      .map((name) => ({
        name: workerBundle(name),
        source: `functions/workers/${name}/handler.ts`,
      })),
  ];
}

type BundleOptions = {
  readonly build: Build;
  /** Default: the build's folder in `bundlesFolder`. */
  readonly outdir?: string;
  /** Off for tests that read the code. */
  readonly minify?: boolean;
  readonly only?: readonly Bundle[];
};

/**
 * Packages of the CommonJS kind ask for Node's own modules by `require`, which a module of the other kind does not
 * have.
 */
const require = `import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);`;

/**
 * Sources of AWS credentials other than the environment, where Lambda puts them: the SDK loads these packages only when
 * it finds none there. They would be a fifth of every bundle.
 */
const notInLambda = [
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
 * Bundles all functions of a build in one call. The AWS SDK is inside, so that what was tested is what runs.
 *
 * @returns esbuild's record of which file went into which bundle.
 * @throws Error naming every function that has no handler.
 */
export async function bundleFunctions(options: BundleOptions): Promise<Metafile> {
  const { outdir = join(bundlesFolder, options.build), minify = true, only = bundles(options.build) } = options;
  const missing = only.filter(({ source }) => !existsSync(join(root, source))).map(({ source }) => source);
  if (missing.length > 0) throw new Error(`These functions have no handler: ${missing.join(', ')}`);
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await runBundler({
    absWorkingDir: root,
    entryPoints: only.map(({ name, source }) => ({ in: source, out: `${name}/index` })),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    // Chooses the files behind `#sandbox` and `#company-due`; `module` is what esbuild adds by itself where no
    // condition is named.
    conditions: ['module', ...(options.build === 'simulation' ? ['simulation'] : [])],
    external: notInLambda,
    banner: { js: require },
    plugins: [mapOwnCodeOnly],
    minify,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const { name } of only) thinMap(join(outdir, name, 'index.mjs.map'));
  return metafile;
}

/** Five numbers of a mapping (base64 VLQ), the fifth of which points to a name. */
const namedMapping = /((?:[g-z0-9+/]*[A-Za-f]){4})[g-z0-9+/]*[A-Za-f]/gu;

/**
 * Leaves out of a source map what a stack trace does not need, file and line being there: names, and which file of a
 * package something came from. That is a fifth of the map.
 */
function thinMap(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[]; names: string[]; mappings: string };
  const sources = map.sources.map((source) => /node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(source)?.[0] ?? source);
  const mappings = map.mappings.replaceAll(namedMapping, '$1');
  writeFileSync(file, JSON.stringify({ ...map, sources, names: [], mappings }));
}
