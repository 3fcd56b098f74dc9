import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Manifest, Source } from './sources.ts';
import { inside, isOfTests, matching, packageOf, packages, root, sources } from './sources.ts';

type Dependencies = Readonly<Record<string, string>>;
const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const manifests = [['.', rootManifest] as const, ...packages];
const allOf = ({ dependencies, devDependencies, optionalDependencies }: Manifest): Dependencies => ({
  ...devDependencies,
  ...optionalDependencies,
  ...dependencies,
});
const filesOf = (folder: string): readonly Source[] => sources.filter(({ path }) => packageOf(path) === folder);
/** `@scope/name` or `name` of `@scope/name/file.ts`. */
const libraryOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/u.exec(specifier)?.[0] ?? specifier;
const libraries = (files: readonly Source[]): ReadonlySet<string> =>
  new Set(
    files
      .flatMap(({ imports }) => imports.map(({ specifier }) => specifier))
      .filter((specifier) => !/^[.#]/u.test(specifier) && !isBuiltin(specifier))
      .map(libraryOf),
  );

/** The service: what runs on AWS, and what an operator runs. Tests and tools may use packages. */
const isCore = inside('functions', 'shared', 'infra');

describe.each([...packages])('%s', (folder, manifest) => {
  test('has one public entry and a README of at most a page', () => {
    expect(Object.keys(manifest.exports)).toEqual(['.']);
    expect(existsSync(join(root, folder, manifest.exports['.']))).toBe(true);
    const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
    expect(readme.split('\n').length).toBeLessThan(60);
  });

  test('declares the libraries that it imports, and no others', () => {
    const files = filesOf(folder);
    expect(files.length).toBeGreaterThan(0);
    const own = libraries(files.filter(({ path }) => !isOfTests(path)));
    const runs = { ...manifest.optionalDependencies, ...manifest.dependencies };
    expect([...own].filter((name) => !(name in runs) && !isOfTypes(name, files))).toEqual([]);
    const named = new Set([...libraries(files), ...namedOtherwise(folder)]);
    expect(Object.keys(allOf(manifest)).filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => !(name in allOf(manifest)) && !isOfTypes(name, files))).toEqual([]);
  });

  test('imports each module of the service that its manifest names', () => {
    const lines = Object.entries(manifest.imports).filter(([, target]) => target.startsWith(rootManifest.name));
    const used = filesOf(folder).flatMap(({ imports }) => imports.map(({ specifier }) => specifier));
    const isUsed = (name: string): boolean => {
      const [before = '', after = ''] = name.split('*');
      return used.some((specifier) =>
        name.includes('*') ? specifier.startsWith(before) && specifier.endsWith(after) : specifier === name,
      );
    };
    expect(lines.filter(([name]) => !isUsed(name))).toEqual([]);
  });
});

/** A library of types alone has its name from the library that it describes. */
function isOfTypes(name: string, files: readonly Source[]): boolean {
  return files
    .flatMap(({ imports }) => imports)
    .filter(({ specifier }) => libraryOf(specifier) === name)
    .every(({ typeOnly }) => typeOnly);
}

/** Libraries that a package reaches without an import: by the manifest, or by the path of a file in them. */
function namedOtherwise(folder: string): readonly string[] {
  const allLines = filesOf(folder).flatMap(({ lines }) => lines);
  const resolved = allLines.flatMap((line) => [...line.matchAll(/import\.meta\.resolve\([`']([^`'$]+)/gu)]);
  const service = Object.values(packages.get(folder)?.imports ?? {}).filter((target) => !target.startsWith('.'));
  return [...resolved.map(([, name = '']) => libraryOf(name)), ...service.map(libraryOf)];
}

test('a library has one version in all manifests', () => {
  const versions = Map.groupBy(
    manifests.flatMap(([folder, manifest]) =>
      Object.entries(allOf(manifest)).map(([name, version]) => ({ folder, name, version })),
    ),
    ({ name }) => name,
  );
  expect([...versions.values()].filter((all) => new Set(all.map(({ version }) => version)).size > 1)).toEqual([]);
});

/** Which packages a package may import, nothing for most: no two need each other. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'packages/console': ['packages/partner-tools'],
  'packages/local-environment': [
    'packages/cdk-local',
    'packages/console',
    'packages/fake-bank',
    'packages/partner-tools',
  ],
};

test('a package imports only the packages that it may depend on', () => {
  const found = sources
    .filter(({ path }) => packageOf(path) !== undefined && !isOfTests(path))
    .flatMap(({ path, imports }) => {
      const own = packageOf(path) ?? '';
      const allowed = [own, ...(mayImport[own] ?? [])];
      return imports
        .filter(({ from }) => packageOf(from) !== undefined && !allowed.includes(packageOf(from) ?? ''))
        .map(({ line, from }) => `${path}:${line}: ${from}`);
    });
  expect(found, 'Packages that import each other are one package.').toEqual([]);
});

test('a package is imported only by its name', () => {
  const around = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => packageOf(from) !== undefined && packageOf(from) !== packageOf(path))
      .filter(({ from, specifier }) => specifier !== packages.get(packageOf(from) ?? '')?.name)
      .map(({ line, specifier }) => `${path}:${line}: ${specifier}`),
  );
  expect(around, 'Import another package by its public entry.').toEqual([]);
});

test('the service imports no package and no tool', () => {
  const found = sources
    .filter(({ path }) => isCore(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => inside('packages', 'tools')(from))
        .map(({ line, from }) => `${path}:${line}: ${from}`),
    );
  expect(found, 'A package or tool runs, tests or shows the service. The service needs none of them.').toEqual([]);
});

/** Files of a package but its tests. */
const withoutTests = (folder: string): readonly Source[] => filesOf(folder).filter(({ path }) => !isOfTests(path));

test.each([
  ['packages/cdk-local', 'A runner of templates knows no service.'],
  ['packages/fake-bank', 'A judge that shares a reading of the rules with what it judges shares its mistakes.'],
])('%s imports no file of the service', (folder, why) => {
  const found = withoutTests(folder).flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => packageOf(from) === undefined && from.includes('.ts'))
      .map(({ line, from }) => `${path}:${line}: ${from}`),
  );
  expect(found, why).toEqual([]);
});

test('cdk-local names no payment', () => {
  const files = withoutTests('packages/cdk-local');
  const findNames = matching(/\b(?:pix|bank|payout|pay-?in|subscription|refund|company)/iu);
  expect(
    files.flatMap((source) => findNames(source).map(({ line, text }) => `${source.path}:${line}: ${text}`)),
  ).toEqual([]);
});
