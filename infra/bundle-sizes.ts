import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { BUNDLES, bundleFunctions } from './bundle.ts';

/** Prints how large each function's zip is, and fails when one is above the bar: a large bundle is a slow first request. */

const BAR_BYTES = 200 * 1024;

/** Fixed parts of a zip: a local and a central header an entry, each with the name, and the end of the directory. */
const ENTRY_BYTES = 30 + 46;
const END_BYTES = 22;

/** Size of a folder as one zip, bytes: its files deflated, as the CDK packs them. */
export function zippedBytes(folder: string): number {
  const entries = readdirSync(folder).map((name) => {
    const packed = deflateRawSync(readFileSync(join(folder, name))).length;
    return packed + ENTRY_BYTES + 2 * Buffer.byteLength(name);
  });
  return entries.reduce((total, bytes) => total + bytes, END_BYTES);
}

function table(sizes: readonly (readonly [string, number])[]): string {
  const width = Math.max(...sizes.map(([name]) => name.length));
  const lines = sizes.map(([name, bytes]) => {
    const kib = (bytes / 1024).toFixed(1).padStart(7);
    return `${name.padEnd(width)} ${kib} KiB${bytes > BAR_BYTES ? '  above the bar' : ''}`;
  });
  return [...lines, `${'bar'.padEnd(width)} ${(BAR_BYTES / 1024).toFixed(1).padStart(7)} KiB`].join('\n');
}

if (import.meta.main) {
  await bundleFunctions();
  const sizes = readdirSync(BUNDLES).map((name) => [name, zippedBytes(join(BUNDLES, name))] as const);
  sizes.sort(([, a], [, b]) => b - a);
  console.log(table(sizes));
  if (sizes.some(([, bytes]) => bytes > BAR_BYTES)) process.exitCode = 1;
}
