import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { bundleFunctions, bundles, endpointBundle, workerBundle } from '../../infra/bundle.ts';
import { zippedBytes } from '../../infra/bundle-sizes.ts';
import { environments } from '../../infra/environments.ts';
import { variableValues } from '../../infra/function-variables.ts';
import { pascalCase } from '../../infra/service-functions.ts';
import { workerNames, workers } from '../../infra/workers.ts';
import type { EnvName } from '../../shared/runtime/env.ts';
import type { FunctionAccess } from '../../infra/constructs/function-access.ts';
import { functionNamed, synthesize } from './synthesized.ts';

const outdir = mkdtempSync(join(tmpdir(), 'bundles-test-'));
afterAll(() => {
  rmSync(outdir, { recursive: true, force: true });
});

const { outputs } = await bundleFunctions({ outdir });
const hml = synthesize()('Hml-Service');

/** What a function is given, beside the code that it is given it for. */
const functions: readonly { bundle: string; id: string; access: FunctionAccess }[] = [
  ...routes.map((route) => ({
    bundle: endpointBundle(route),
    id: pascalCase(route.contract.operationId),
    access: route.access,
  })),
  ...workerNames.map((name) => ({ bundle: workerBundle(name), id: pascalCase(name), access: workers[name].access })),
];

describe.each(functions)('the bundle $bundle', ({ bundle, id, access }) => {
  const code = readFileSync(join(outdir, bundle, 'index.mjs'), 'utf8');

  test('loads, and exports a handler', async () => {
    const module = (await import(pathToFileURL(join(outdir, bundle, 'index.mjs')).href)) as { handler?: unknown };
    expect(module.handler).toBeTypeOf('function');
  });

  test('is below 200 KiB zipped', () => {
    expect(zippedBytes(join(outdir, bundle))).toBeLessThan(200 * 1024);
  });

  test('reads exactly the variables that its function is given', () => {
    const given = Object.keys(functionNamed(hml, id).environment).filter((name) => name !== 'NODE_OPTIONS');
    // Dead code is gone, so a name that is left in quotes is one that env() is called with.
    const read = variableNames().filter((name) => code.includes(`"${name}"`));
    expect(given.toSorted()).toEqual(read.toSorted());
  });

  test('queries exactly the indexes that its function may', () => {
    expect(access.indexes ?? []).toEqual((['GSI1', 'GSI2'] as const).filter((index) => code.includes(`"${index}"`)));
  });

  test('names the partition of secrets exactly if its function may read it', () => {
    expect(code.includes('.webhookSecret(')).toBe(access.secrets === true);
  });
});

test('there is one bundle a function, and one function a bundle', () => {
  const written = Object.keys(outputs).filter((name) => name.endsWith('index.mjs'));
  expect(written).toHaveLength(functions.length);
  expect(new Set(bundles().map(({ name }) => name)).size).toBe(functions.length);
});

test('nothing that only AWS CDK needs is in a bundle', () => {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  expect(inputs.filter((input) => /^infra\/|node_modules\/(aws-cdk-lib|constructs|esbuild)\//.test(input))).toEqual([]);
});

test('source maps name our files, not their contents, and no packages', () => {
  const [first] = bundles();
  const map = JSON.parse(readFileSync(join(outdir, first!.name, 'index.mjs.map'), 'utf8')) as {
    sources: string[];
    sourcesContent?: unknown;
  };
  expect(map.sourcesContent).toBeUndefined();
  expect(map.sources.some((source) => source.endsWith(first!.source))).toBe(true);
});

test('a function without a handler stops the bundling, by its name', async () => {
  const only = [{ name: 'nowhere', source: 'functions/nowhere/handler.ts' }];
  await expect(bundleFunctions({ outdir: join(outdir, 'none'), only })).rejects.toThrow('functions/nowhere/handler.ts');
});

function variableNames(): readonly EnvName[] {
  const reference = { tableName: '', queueUrl: '' };
  const queues = { deliveries: reference, deadLetters: reference };
  const sources = { settings: environments.hml, table: reference, queues } as unknown as Parameters<
    typeof variableValues
  >[0];
  return Object.keys(variableValues(sources)) as EnvName[];
}
