// npm run tool -- tools/sbom.ts FILE: writes the packages in the functions of production, as CycloneDX. Fails on a
// licence that is not allowed.
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptBundles } from '#infra/aws/kept-bundles.ts';

const root = process.cwd();

/** Licences that ask for no more than their notice, or for nothing. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

type BundledPackage = { readonly name: string; readonly version: string; readonly license: string };

type Manifest = { readonly name: string; readonly version: string; readonly license?: string };

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Returns the packages of which a bundle contains a file, by name and version. npm's own list has the installed
 * packages, which differ: some are never bundled, and a bundled package may be nested in another package's folder.
 */
export function bundledPackages({ outputs }: Pick<Metafile, 'outputs'>): readonly BundledPackage[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file)?.[1] ?? []));
  const found = [...folders].map((folder) => {
    const { name, version, license = 'none' } = manifestOf(folder);
    return { name, version, license };
  });
  const once = new Map(found.map((component) => [`${component.name}@${component.version}`, component]));
  return [...once.values()].toSorted((component, b) => (component.name < b.name ? -1 : 1));
}

/** Returns the packages whose licence is not allowed. */
export function notAllowed(packages: readonly BundledPackage[]): readonly BundledPackage[] {
  return packages.filter(({ license }) => !allowed.includes(license));
}

/** The bill of materials, the same for the same packages: it has no time and no number of its own. */
export function billOfMaterials(packages: readonly BundledPackage[]): string {
  const own = manifestOf('.');
  const component = new Models.Component(Enums.ComponentType.Application, own.name, {
    version: own.version,
    bomRef: own.name,
  });
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component }) });
  for (const { name, version, license } of packages) {
    const [scope, bare = ''] = name.startsWith('@') ? name.split('/') : [undefined, name];
    const purl = `pkg:npm/${scope === undefined ? '' : `${encodeURIComponent(scope)}/`}${bare}@${version}`;
    const licenses = new Models.LicenseRepository([new Models.LicenseExpression(license)]);
    const group = scope === undefined ? {} : { group: scope };
    bom.components.add(
      new Models.Component(Enums.ComponentType.Library, bare, { ...group, version, purl, licenses, bomRef: purl }),
    );
  }
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error('Usage: npm run tool -- tools/sbom.ts FILE');
  const packages = bundledPackages((await keptBundles('production')).metafile);
  writeFileSync(file, billOfMaterials(packages));
  console.log(`${packages.length} packages: ${file}`);
  const refused = notAllowed(packages);
  for (const { name, version, license } of refused) console.error(`${name}@${version}: ${license} is not allowed`);
  if (refused.length > 0) process.exitCode = 1;
}
