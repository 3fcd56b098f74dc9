import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '#functions/routes.ts';
import { openApiDocument } from '#tools/docs/document.ts';
import { compareDocuments } from './compare.ts';
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

/** The document of a version. */
type Release = { readonly version: string; readonly document: Node };

/** Returns the kept releases, the earliest first. */
export function keptReleases(): readonly Release[] {
  return globSync('*.json', { cwd: folder })
    .map((file) => basename(file, '.json'))
    .toSorted(compareVersions)
    .map((version) => ({
      version,
      document: nodeOf(JSON.parse(readFileSync(join(folder, `${version}.json`), 'utf8'))),
    }));
}

/** Returns the last kept release. */
export function lastRelease(): Release {
  const last = keptReleases().at(-1);
  if (last === undefined) throw new Error('docs/releases has no document.');
  return last;
}

/**
 * Returns why a release must not be kept beside the others: its version is no later one, or it breaks a client of the
 * last one; undefined if it may.
 */
export function refusalOf(kept: readonly Release[], { version, document }: Release): string | undefined {
  const last = kept.at(-1);
  if (last === undefined) return undefined;
  const file = `docs/releases/${last.version}.json`;
  if (compareVersions(version, last.version) <= 0)
    return `${file} is kept: version ${version} is no later one. Raise it in package.json; delete the file first only if ${last.version} was never deployed.`;
  const broken = compareDocuments(last.document, document).filter(({ breaks }) => breaks);
  if (broken.length === 0) return undefined;
  const found = broken.map(({ place, change }) => `BREAKS  ${place}: ${change}`).join('\n');
  return `${found}\n${version} breaks a client of ${last.version}: what does needs paths of its own (docs/versions.md).`;
}

/** Returns today's document under the version of package.json. */
export function currentRelease(): Release {
  return { version: manifest.version, document: nodeOf(bindingPart(currentDocument())) };
}

/** Writes the document of a release, and replaces none. @returns the file */
export function keepRelease({ version, document }: Release): string {
  writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(document)}\n`, { flag: 'wx' });
  return `docs/releases/${version}.json`;
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
