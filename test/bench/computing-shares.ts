import { existsSync, readFileSync } from 'node:fs';
import type { SourceMapPayload } from 'node:module';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CpuProfile } from './cpu-profile.ts';

/** What a thread computed for, read from its CPU profile: by kinds, and by packages. */
export type Shares = { readonly kinds: ReadonlyMap<Kind, number>; readonly packages: ReadonlyMap<string, number> };
export type Kind = (typeof computingKinds)[number];

export const computingKinds = [
  'AWS SDK',
  "Node's HTTP, sockets and streams",
  "Node's cryptography",
  'Node otherwise',
  'zod',
  "the service's own code",
  'the local environment',
  'other packages',
  'garbage collection',
  'outside of JavaScript',
] as const;

const root = join(import.meta.dirname, '../..');

type Frame = CpuProfile['nodes'][number]['callFrame'];

const packageName = /node_modules\/((?:@[^/]+\/)?[^/]+)/u;
/** The first that fits decides. */
const nodeModules: readonly (readonly [RegExp, Kind])[] = [
  [/^node:(?:internal\/)?crypto/u, "Node's cryptography"],
  // How the local environment asks a function, and is answered.
  [/^node:internal\/(?:worker|per_context\/messageport|event_target)/u, 'the local environment'],
  [
    /^node:(?:_?http|net|dns|_?stream|events|internal\/(?:http|net|streams?|js_stream|dns|url))/u,
    "Node's HTTP, sockets and streams",
  ],
  [/^node:/u, 'Node otherwise'],
];

/** Time of a profile by the file it was spent for; `(idle)`, `(program)` and `(garbage collector)` are such, too. */
function timesOf(profile: CpuProfile): ReadonlyMap<string, number> {
  const sources = sourcesOf(profile);
  const times = new Map<string, number>();
  for (const [place, id] of profile.samples.entries())
    add(times, sources.get(id) ?? '', profile.timeDeltas[place] ?? 0);
  return times;
}

/**
 * Each look of the profiler wakes a thread that waits, and may find it awake: how often that is, by time of waiting, of
 * the thread that waits most.
 */
export function looksAtIdle(profiles: readonly CpuProfile[]): number {
  const times = profiles
    .map(timesOf)
    .map((one) => ({ idle: one.get('(idle)') ?? 0, awake: one.get('(program)') ?? 0 }));
  const [laziest] = times.toSorted((one, other) => other.idle - one.idle);
  return laziest === undefined || laziest.idle === 0 ? 0 : laziest.awake / laziest.idle;
}

/** Shares of the samples of threads that do the same; time in which they wait is left out. */
export function sharesOf(profiles: readonly CpuProfile[], looks: number): Shares {
  const kinds = new Map<Kind, number>();
  const packages = new Map<string, number>();
  let all = 0;
  for (const times of profiles.map(timesOf))
    for (const [source, spent] of times) {
      if (source === '(idle)') continue;
      const own = source === '(program)' ? Math.max(0, spent - looks * (times.get('(idle)') ?? 0)) : spent;
      all += own;
      add(kinds, kindOf(source), own);
      const [, name] = packageName.exec(source) ?? [];
      if (name !== undefined) add(packages, name, own);
    }
  const share = <Key>(sums: ReadonlyMap<Key, number>): Map<Key, number> =>
    new Map([...sums].map(([key, spent]) => [key, spent / Math.max(all, 1)]));
  return { kinds: share(kinds), packages: share(packages) };
}

function add<Key>(sums: Map<Key, number>, key: Key, time: number): void {
  sums.set(key, (sums.get(key) ?? 0) + time);
}

/** The file that each place of a profile belongs to: what V8 does itself belongs to the file that asks for it. */
function sourcesOf({ nodes }: CpuProfile): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sources = new Map<number, string>();
  // Parents stand before their children.
  for (const { id, callFrame, children = [] } of nodes) {
    const own = callFrame.url === '' ? (sources.get(id) ?? callFrame.functionName) : sourceOf(callFrame);
    sources.set(id, own);
    for (const child of children) {
      const { functionName = '', url = '' } = byId.get(child)?.callFrame ?? {};
      if (url === '' && !functionName.startsWith('(')) sources.set(child, own);
    }
  }
  return sources;
}

function kindOf(source: string): Kind {
  if (source === '(garbage collector)') return 'garbage collection';
  if (!source.includes('/') && !source.includes(':')) return 'outside of JavaScript';
  const [, name] = packageName.exec(source) ?? [];
  if (name !== undefined) return kindOfPackage(name);
  const [, kind] = nodeModules.find(([pattern]) => pattern.test(source)) ?? [];
  if (kind !== undefined) return kind;
  return source.includes('infra/') ? 'the local environment' : "the service's own code";
}

export function kindOfPackage(name: string): Kind {
  if (/^@(?:aws|aws-sdk|aws-crypto|smithy)\//u.test(name)) return 'AWS SDK';
  return name === 'zod' ? 'zod' : 'other packages';
}

/** Files of the repository as they are; those of a bundle by its source map. */
function sourceOf({ url, lineNumber, columnNumber }: Frame): string {
  const map = url.endsWith('/index.mjs') && !url.includes('/node_modules/') ? mapOf(fileURLToPath(url)) : undefined;
  if (map === undefined) return url;
  // A package has its name at its beginning alone (`infra/aws/bundle.ts`): what follows belongs to it.
  let [line, column] = [lineNumber, columnNumber];
  for (;;) {
    const at = map.findEntry(line, column);
    if (!('generatedLine' in at)) return url;
    if (typeof at.originalSource === 'string') return nameOf(at.originalSource);
    [line, column] =
      at.generatedColumn > 0 ? [at.generatedLine, at.generatedColumn - 1] : [at.generatedLine - 1, Infinity];
  }
}

/**
 * A map names files from its own folder, which may lie below `node_modules`, outside of the repository, or beside it:
 * what leads to the repository is an end of its path.
 */
function nameOf(source: string): string {
  const way = source.replace(/^(?:\.\.\/)+/u, '');
  const end = endsOfRoot.find((one) => way.startsWith(one)) ?? '';
  const name = way.slice(end.length);
  return /^(?:functions|infra|node_modules|shared)\/|^node:/u.test(name) ? name : `node_modules/${name}`;
}

/** `work/main/`, `main/` */
const endsOfRoot = root
  .split('/')
  .slice(1)
  .map((_, place, names) => `${names.slice(place).join('/')}/`);

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const text = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : undefined;
    maps.set(file, text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload));
  }
  return maps.get(file);
}
