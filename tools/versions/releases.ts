import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '#functions/routes.ts';
import { openApiDocument } from '#tools/docs/document.ts';
import type { Node } from './schemas.ts';
import { nodeOf } from './schemas.ts';

const folder = join(import.meta.dirname, '../../docs/releases');

/** Members that no client is bound by. A field may have one of these names: the names of fields are kept. */
const explaining = ['description', 'summary', 'example', 'examples', 'tags', 'links', 'info', 'servers', 'title'];

/** Returns a document without what explains it. */
function bindingPart(part: unknown, isNames = false): unknown {
  if (Array.isArray(part)) return part.map((item: unknown) => bindingPart(item));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => isNames || !explaining.includes(name))
      .map(([name, value]) => [name, bindingPart(value, name === 'properties' && !isNames)]),
  );
}

/** The document as the code has it. */
export function currentDocument(): Node {
  return nodeOf(JSON.parse(JSON.stringify(openApiDocument(routes, manifest.version))));
}

/** Returns the version of the last release, and its document. */
export function lastRelease(): { readonly version: string; readonly document: Node } {
  const versions = globSync('*.json', { cwd: folder }).map((file) => basename(file, '.json'));
  const version = versions.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
  if (version === undefined) throw new Error('docs/releases has no document.');
  return { version, document: nodeOf(JSON.parse(readFileSync(join(folder, `${version}.json`), 'utf8'))) };
}

/** Keeps the document as that of its version. @returns the version */
export function keepRelease(): string {
  const { version } = manifest;
  writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(bindingPart(currentDocument()))}\n`);
  return version;
}
