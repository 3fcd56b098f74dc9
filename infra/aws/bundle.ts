import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceMapLine, SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import type { Metafile, Plugin } from 'esbuild';
import { build as runBundler } from 'esbuild';
import { routes } from '#functions/routes.ts';
import { workerNames, workers } from '#functions/workers.ts';

const root = join(import.meta.dirname, '../..');

/** `simulation` has simulated clocks, tools and faults on demand. No setting can turn them on in `production`. */
export const builds = ['production', 'simulation'] as const;
export type Build = (typeof builds)[number];

/** Name of the bundle of a folder under functions/. */
export function bundleName(folder: string): string {
  return folder.replaceAll('/', '-');
}

type Bundle = { readonly name: string; readonly source: string };

/** Every function of a build: its bundle, and the file of its handler, relative to the repository. */
export function bundles(build: Build): readonly Bundle[] {
  const isPart = ({ simulation }: { readonly simulation?: true }): boolean =>
    build === 'simulation' || simulation !== true;
  const endpoints = routes.filter(isPart).map(({ folder }) => folder);
  const others = workerNames.filter((name) => isPart(workers[name])).map((name) => `workers/${name}`);
  return [...endpoints, ...others].map((folder) => ({
    name: bundleName(folder),
    source: `functions/${folder}/handler.ts`,
  }));
}

/** The synthetic caller and its receiver, no part of the service. */
export const callerBundle: Bundle = {
  name: 'synthetic-caller',
  source: 'packages/partner-tools/src/caller/handler.ts',
};

type BundleOptions = {
  readonly build: Build;
  /** Folder for `<function>/index.mjs` and its source map of each function; its former content is removed. */
  readonly outdir: string;
  /** Off for tests that read the code. */
  readonly minify?: boolean;
  readonly only?: readonly Bundle[];
};

/** CommonJS packages load Node's modules by `require`, which an ES module does not have. */
const require = `import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);`;

/**
 * Packages that would be a fifth of every bundle. The SDK loads them only if the environment variables have no
 * credentials; Lambda sets these variables.
 */
const notInLambda = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

/** Leaves packages out of source maps, which makes them an eighth as large. */
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
 * Bundles all functions of a build, the AWS SDK included: the tested version is the one that runs.
 * @returns esbuild's record of the files in each bundle.
 * @throws Error that names every function without a handler.
 */
export async function bundleFunctions(options: BundleOptions): Promise<Metafile> {
  const { outdir, minify = true } = options;
  const { only = [...bundles(options.build), callerBundle] } = options;
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
    // `simulation` chooses the files of `#sandbox` and `#company-due`; `module` is esbuild's default.
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

/** Whether the record of a build has files of the simulated bank in a bundle. */
export function hasSimulatedBank({ outputs }: Pick<Metafile, 'outputs'>): boolean {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  return inputs.some((file) => file.startsWith('shared/bank/simulated/'));
}

/**
 * Removes names, columns and the files of packages from a source map: a stack trace needs only file and line. One
 * mapping stays for each change of the source line, and names the first column of that line.
 */
function thinMap(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[]; names: string[]; mappings: string };
  const sources = map.sources.map((source) => /node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(source)?.[0] ?? source);
  const mappings = encode(decode(map.mappings).map(oneMappingALine));
  writeFileSync(file, JSON.stringify({ ...map, sources, names: [], mappings }));
}

/** Keeps the mappings of one line of the bundle whose file or line differs from the mapping before. */
function oneMappingALine(segments: SourceMapLine): SourceMapLine {
  let [lastSource, lastLine] = [-1, -1];
  return segments.flatMap(([column, source, line]): SourceMapSegment[] => {
    if (source === undefined || line === undefined || (source === lastSource && line === lastLine)) return [];
    [lastSource, lastLine] = [source, line];
    return [[column, source, line, 0]];
  });
}
