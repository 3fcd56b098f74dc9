import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { bundlesFolder, bundleFunctions, builds } from '../aws/bundle.ts';

/** A function with a larger zip fails the tool: a large bundle makes a slow first request. */
export const barBytes = { production: 213 * 1024, simulation: 218 * 1024 } as const;
const barOf = (name: string): number => (name.startsWith('production/') ? barBytes.production : barBytes.simulation);

/** Of a zip: a local and a central header per entry, each with the name, and the end of the directory. */
const entryBytes = 30 + 46;
const endBytes = 22;

/** Bytes of a folder's zip with deflated files, which the CDK makes. */
export function zippedBytes(folder: string): number {
  const entries = readdirSync(folder).map((name) => {
    const packed = deflateRawSync(readFileSync(join(folder, name))).length;
    return packed + entryBytes + 2 * Buffer.byteLength(name);
  });
  return entries.reduce((total, bytes) => total + bytes, endBytes);
}

function table(sizes: readonly (readonly [string, number])[]): string {
  const width = Math.max(...sizes.map(([name]) => name.length));
  const lines = sizes.map(([name, bytes]) => {
    const kib = (bytes / 1024).toFixed(1).padStart(7);
    return `${name.padEnd(width)} ${kib} KiB${bytes > barOf(name) ? '  above the bar' : ''}`;
  });
  const bars = builds.map(
    (build) => `${build.padEnd(width)} ${(barBytes[build] / 1024).toFixed(1).padStart(7)} KiB at most`,
  );
  return [...lines, ...bars].join('\n');
}

if (import.meta.main) {
  for (const build of builds) await bundleFunctions({ build });
  const names = builds.flatMap((build) => readdirSync(join(bundlesFolder, build)).map((name) => `${build}/${name}`));
  const sizes = names.map((name) => [name, zippedBytes(join(bundlesFolder, name))] as const);
  sizes.sort(([, a], [, b]) => b - a);
  console.log(table(sizes));
  if (sizes.some(([name, bytes]) => bytes > barOf(name))) process.exitCode = 1;
}
