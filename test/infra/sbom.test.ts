import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleFunctions, bundles, callerBundle } from '#infra/aws/bundle.ts';
import { billOfMaterials, bundledPackages, notAllowed } from '#tools/sbom.ts';

const outdir = mkdtempSync(join(tmpdir(), 'sbom-'));
afterAll(() => {
  rmSync(outdir, { recursive: true, force: true });
});

const only = bundles('production').filter(({ name }) => name === 'workers-authorizer');
const packages = bundledPackages(await bundleFunctions({ build: 'production', outdir, only, minify: false }));

test('the bill of materials has the packages in a bundle, transitive ones too, and no others', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['jose', 'zod', '@aws-sdk/client-dynamodb', '@smithy/core']));
  for (const absent of ['@middy/core', 'uqr', 'aws-cdk-lib', 'typescript']) expect(names).not.toContain(absent);
});

test('the synthetic caller, whose package has command lines, does without their parser', async () => {
  const { outputs } = await bundleFunctions({ build: 'production', outdir, only: [callerBundle], minify: false });
  const names = bundledPackages({ outputs }).map(({ name }) => name);
  expect(names).toContain('@aws-sdk/client-secrets-manager');
  expect(names).not.toContain('commander');
});

test('the bill of materials names each package by its purl, in the same order each time', () => {
  const bom = JSON.parse(billOfMaterials(packages)) as {
    bomFormat: string;
    specVersion: string;
    components: { purl: string; licenses: { expression: string }[] }[];
  };
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(bom.components).toHaveLength(packages.length);
  const purls = bom.components.map(({ purl }) => purl);
  expect(purls).toContainEqual(expect.stringMatching(/^pkg:npm\/jose@\d+\.\d+\.\d+$/u));
  expect(purls).toContainEqual(expect.stringMatching(/^pkg:npm\/%40aws-sdk\/client-dynamodb@3\./u));
  expect(bom.components[0]?.licenses[0]?.expression).toMatch(/^[\w.-]+$/u);
  expect(billOfMaterials(packages)).toBe(billOfMaterials(packages.toReversed()));
});

test('a licence that asks for more than its notice is refused by name', () => {
  expect(notAllowed(packages)).toEqual([]);
  const strange = { name: 'strange', version: '1.0.0', license: 'AGPL-3.0-only' };
  expect(notAllowed([...packages, strange])).toEqual([strange]);
});
