import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { builds } from '#infra/aws/bundle.ts';
import { keptBundles } from '#infra/aws/kept-bundles.ts';

/** Returns the most bytes of a function's zip: a large one makes a slow first call. No partner waits for a worker's. */
export function barBytes(bundle: string): number {
  return (bundle.startsWith('workers-') ? 210 : 200) * 1024;
}

/** Bytes of a zip beside its data: a local and a central header per entry, each with the name, and the end record. */
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

/** @param name of a bundle, behind that of its build */
function isAbove(name: string, bytes: number): boolean {
  return bytes > barBytes(name.slice(name.indexOf('/') + 1));
}

function table(sizes: readonly (readonly [string, number])[]): string {
  const width = Math.max(...sizes.map(([name]) => name.length));
  const lines = sizes.map(([name, bytes]) => {
    const kib = (bytes / 1024).toFixed(1).padStart(7);
    return `${name.padEnd(width)} ${kib} KiB${isAbove(name, bytes) ? '  above its limit' : ''}`;
  });
  return lines.join('\n');
}

if (import.meta.main) {
  const sizes: (readonly [string, number])[] = [];
  for (const build of builds) {
    const { folder } = await keptBundles(build);
    for (const name of readdirSync(folder)) sizes.push([`${build}/${name}`, zippedBytes(join(folder, name))]);
  }
  sizes.sort(([, a], [, b]) => b - a);
  console.log(table(sizes));
  if (sizes.some(([name, bytes]) => isAbove(name, bytes))) process.exitCode = 1;
}
