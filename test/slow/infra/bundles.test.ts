import { dueFamilyNames, dueQueueVariable } from '#shared/platform/jobs/due-kinds.ts';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { buildApp } from '#infra/app.ts';
import type { Build } from '#infra/aws/bundle.ts';
import { bundleFunctions, bundleName, bundles, callerBundle, hasSimulatedBank } from '#infra/aws/bundle.ts';
import { keptBundles } from '#infra/aws/kept-bundles.ts';
import { barBytes, zippedBytes } from '#tools/bundle-sizes.ts';
import { environments } from '#infra/environments.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { variableValues } from '#infra/aws/service-functions.ts';
import { workerNames, workers } from '#functions/workers.ts';
import { indexes } from '#shared/platform/table/store.ts';
import type { EnvName } from '#shared/platform/env.ts';
import type { FunctionAccess } from '#functions/access.ts';
import { functionNamed, functionsOf, synthesize } from '#test/infra/synthesized.ts';

const outdir = mkdtempSync(join(tmpdir(), 'bundles-test-'));
afterAll(() => {
  rmSync(outdir, { recursive: true, force: true });
});

/** A build as it is deployed, without the caller, which is no part of the service. */
async function built(build: Build) {
  const { folder, metafile } = await keptBundles(build);
  const outputs = Object.entries(metafile.outputs).filter(([name]) => !name.includes(`/${callerBundle.name}/`));
  return { folder, outputs: Object.fromEntries(outputs) };
}

const { folder: simulation, outputs } = await built('simulation');
const { folder: production, outputs: productionOutputs } = await built('production');
const hml = synthesize()('Hml-Service');

/** What a function is given, beside the code that it is given it for. */
const functions: readonly { bundle: string; id: string; access: FunctionAccess }[] = [
  ...routes.map((route) => ({
    bundle: bundleName(route.folder),
    id: pascalCase(route.contract.operationId),
    access: route.access,
  })),
  ...workerNames.map((name) => ({
    bundle: bundleName(`workers/${name}`),
    id: pascalCase(name),
    access: workers[name].access,
  })),
];

describe.each(functions)('the bundle $bundle', ({ bundle, id, access }) => {
  const code = readFileSync(join(simulation, bundle, 'index.mjs'), 'utf8');

  test('loads, and exports a handler', async () => {
    const module = (await import(pathToFileURL(join(simulation, bundle, 'index.mjs')).href)) as { handler?: unknown };
    expect(module.handler).toBeTypeOf('function');
  });

  test('is below the bar in both builds, zipped', () => {
    expect(zippedBytes(join(simulation, bundle))).toBeLessThan(barBytes(bundle));
    if (bundles('production').some(({ name }) => name === bundle))
      expect(zippedBytes(join(production, bundle))).toBeLessThan(barBytes(bundle));
  });

  test('reads exactly the variables that its function is given', () => {
    const given = Object.keys(functionNamed(hml, id).environment).filter((name) => name !== 'NODE_OPTIONS');
    // Dead code is gone, so a name that is left in quotes is one that env() is called with.
    const named = variableNames().filter((name) => code.includes(`"${name}"`));
    // That of a queue of due jobs is composed of the family that its worker gives after its own name.
    const families = dueFamilyNames.filter((family) =>
      new RegExp(`"${bundle.replace('workers-', '')}",(\\{family:)?"${family}"`, 'u').test(code),
    );
    // The relay names the family when it sends new codes.
    const sent = bundle === 'workers-relay-deliveries' && code.includes('("KEY_CODES",') ? ['KEY_CODES' as const] : [];
    const read = [...named, ...[...families, ...sent].map(dueQueueVariable)];
    expect(given.toSorted()).toEqual(read.toSorted());
  });

  test('queries exactly the indexes that its function may', () => {
    expect(access.indexes ?? []).toEqual(Object.keys(indexes).filter((index) => code.includes(`"${index}"`)));
  });

  test('names the partition of secrets exactly if its function may read it', () => {
    expect(code.includes('.webhookSecret(')).toBe(access.secrets === true);
    expect(code.includes('.codeSecret(')).toBe(access.codeSecrets === true);
    expect(code.includes('.hashSecret(')).toBe(access.hashSecret === true);
  });
});

test('a function that reads no address of a receiver carries no reader of addresses, though its answers hold some', () => {
  const { inputs } = Object.entries(productionOutputs).find(([name]) => name.endsWith('webhooks-get/index.mjs'))![1];
  const files = Object.keys(inputs);
  expect(files).toContain('functions/webhooks/get/contract.ts');
  expect(files.filter((file) => /ipaddr|target-guard/u.test(file))).toEqual([]);
});

test('no function carries the examples of the API document', () => {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(files).toContain('shared/pay-ins/contract.ts');
  expect(files.filter((file) => file.endsWith('examples.ts'))).toEqual([]);
});

test('there is one bundle a function, and one function a bundle', () => {
  const written = Object.keys(outputs).filter((name) => name.endsWith('index.mjs'));
  expect(written).toHaveLength(functions.length);
  expect(new Set(bundles('simulation').map(({ name }) => name)).size).toBe(functions.length);
});

describe('the build of production', () => {
  const simulated = [
    'shared/sandbox/simulated-time.ts',
    'shared/sandbox/clock-store.ts',
    'shared/sandbox/clock.ts',
    'shared/sandbox/advance-clock.ts',
    'shared/sandbox/build.ts',
    'shared/sandbox/company-due.ts',
    'shared/sandbox/simulated-faults.ts',
  ];
  const inputsOf = (all: typeof outputs) => new Set(Object.values(all).flatMap((output) => Object.keys(output.inputs)));

  test('contains no file of simulated clocks, kept codes and faults on demand, which the other build contains', () => {
    const inputs = inputsOf(productionOutputs);
    expect(simulated.filter((file) => inputs.has(file))).toEqual([]);
    expect([...inputs].filter((file) => /^(?:functions\/order-tools|shared\/sandbox)\//u.test(file))).toEqual([]);
    expect(inputs).toContain('shared/platform/no-sandbox.ts');
    const others = inputsOf(outputs);
    expect(simulated.filter((file) => !others.has(file))).toEqual([]);
    expect(others).not.toContain('shared/platform/no-sandbox.ts');
  });

  test('contains the simulated bank as long as functions/banks.ts takes its ports', () => {
    const banks = readFileSync('functions/banks.ts', 'utf8');
    expect(hasSimulatedBank({ outputs: productionOutputs })).toBe(banks.includes("'#shared/bank/simulated/"));
    expect(hasSimulatedBank({ outputs: {} })).toBe(false);
  });

  test('knows no header that asks for a fault', () => {
    const knowing = (folder: string, candidates: readonly { readonly name: string }[]) =>
      candidates.filter(({ name }) => readFileSync(join(folder, name, 'index.mjs'), 'utf8').includes('x-simulate'));
    expect(knowing(production, bundles('production'))).toEqual([]);
    expect(knowing(simulation, bundles('simulation')).map(({ name }) => name)).toContain('payouts-create');
  });

  test('never reads a company’s clock', () => {
    const readers = (folder: string, candidates: readonly { readonly name: string }[]) =>
      candidates.filter(({ name }) => readFileSync(join(folder, name, 'index.mjs'), 'utf8').includes('.companyClock('));
    expect(readers(production, bundles('production'))).toEqual([]);
    expect(readers(simulation, bundles('simulation')).map(({ name }) => name)).toContain('pay-ins-create');
  });

  test('is what production is given, function by function: no tool and no worker of clocks', () => {
    const prod = synthesize({ environments: ['prod'] })('Prod-Service');
    const expected = functions.filter(({ bundle }) => bundles('production').some(({ name }) => name === bundle));
    const names = functionsOf(prod).map(({ name }) => name);
    expect(names.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    expect(names).not.toContain('RunCompanyJobs');
    expect(names).not.toContain('SetClock');
  });
});

/** Which folder of bundles the code of an environment comes from. */
test.each([
  ['prod', 'production'],
  ['hml', 'simulation'],
  ['dev', 'simulation'],
  ['local', 'simulation'],
] as const)('the environment %s is deployed with the build of %s', (name, build) => {
  const taken = new Set<string>();
  const marked = join(outdir, `marked-${name}`);
  const folders = bundles('simulation').flatMap((one) =>
    (['production', 'simulation'] as const).map((buildName) => ({
      of: buildName,
      folder: join(marked, buildName, one.name),
    })),
  );
  for (const { of: buildName, folder } of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.mjs'), `// ${buildName}`);
  }
  const ofBuilds = { production: join(marked, 'production'), simulation: join(marked, 'simulation') };
  const assembly = buildApp({ bundles: ofBuilds, environments: [name], outdir: join(outdir, `cdk-${name}`) }).synth();
  for (const file of globSync('asset.*/index.mjs', { cwd: assembly.directory, withFileTypes: false }))
    taken.add(readFileSync(join(assembly.directory, file), 'utf8'));
  expect([...taken]).toEqual([`// ${build}`]);
});

test('a bundle contains no file of infra/ and no package that only AWS CDK needs', () => {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  expect(inputs.filter((input) => /^infra\/|node_modules\/(aws-cdk-lib|constructs|esbuild)\//.test(input))).toEqual([]);
});

test('source maps name our files, not their contents, and no packages', () => {
  const [first] = bundles('simulation');
  const map = JSON.parse(readFileSync(join(simulation, first!.name, 'index.mjs.map'), 'utf8')) as {
    sources: string[];
    sourcesContent?: unknown;
  };
  expect(map.sourcesContent).toBeUndefined();
  expect(map.sources.some((source) => source.endsWith(first!.source))).toBe(true);
});

test('source maps lead from the code to our line', () => {
  const { name, source } = bundles('simulation').find((one) => one.name === 'order-tools-set-clock')!;
  const code = readFileSync(join(simulation, name, 'index.mjs'), 'utf8').split('\n');
  const line = code.findIndex((text) => text.includes('Send now or advanceSeconds.'));
  const column = code[line]?.indexOf('Send now or advanceSeconds.') ?? -1;
  const map = new SourceMap(
    JSON.parse(readFileSync(join(simulation, name, 'index.mjs.map'), 'utf8')) as SourceMapPayload,
  );
  const entry = map.findEntry(line, column);
  const file = source.replace('handler.ts', 'contract.ts');
  if (!('originalSource' in entry)) throw new Error('The position is not mapped.');
  expect(entry.originalSource.endsWith(file)).toBe(true);
  const original = readFileSync(file, 'utf8').split('\n')[entry.originalLine];
  expect(original).toContain('Send now or advanceSeconds.');
});

test('a function without a handler stops the bundling, by its name', async () => {
  const only = [{ name: 'nowhere', source: 'functions/nowhere/handler.ts' }];
  await expect(bundleFunctions({ build: 'simulation', outdir: join(outdir, 'none'), only })).rejects.toThrow(
    'functions/nowhere/handler.ts',
  );
});

function variableNames(): readonly EnvName[] {
  const reference = { tableName: '', queueUrl: '' };
  const queues = { deliveries: reference, drains: reference, deadLetters: reference };
  const bankQueues = { callbacks: reference, unknown: reference };
  const dueQueues = { of: Object.fromEntries(dueFamilyNames.map((family) => [family, reference])) };
  const signing = { key: { keyArn: '' }, roots: { bucketName: '' } };
  const sources = {
    settings: environments.hml,
    table: reference,
    queues,
    bankQueues,
    dueQueues,
    signing,
  } as unknown as Parameters<typeof variableValues>[0];
  return Object.keys(variableValues(sources)) as EnvName[];
}
