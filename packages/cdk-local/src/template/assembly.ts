import type { App } from 'aws-cdk-lib';
import type { CloudAssembly, CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { LocalTemplate } from './local-template.ts';
import { LocalStartError } from './local-template.ts';

const templateShape = z.object({
  Resources: z
    .record(z.string(), z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .default({}),
});

const manifestShape = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        source: z.object({ path: z.string().optional(), packaging: z.string().optional() }),
        destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
      }),
    )
    .default({}),
});

/**
 * Synthesizes an app and reads one stage of it.
 *
 * @param buildApp Constructs the app in an empty folder; its functions run from there.
 * @param folder Emptied first.
 * @param stage Name of the stage.
 * @throws LocalStartError when the app has no such stage or the stage no stack.
 */
export async function synthesize(
  buildApp: (folder: string) => App | Promise<App>,
  folder: string,
  stage: string,
): Promise<LocalTemplate> {
  rmSync(folder, { recursive: true, force: true });
  // A new name each time: within a process, CDK remembers which assets it copied to which folder.
  const empty = join(folder, randomUUID());
  mkdirSync(empty, { recursive: true });
  const app = await buildApp(empty);
  // CDK's linter takes three seconds. The tests and every deployment find the same problems.
  process.env['CDK_VALIDATION'] ??= 'false';
  return readAssembly(app.synth(), stage);
}

/** Reads the stacks of a stage of the assembly. */
function readAssembly(assembly: CloudAssembly, stage: string): LocalTemplate {
  const artifacts = assembly.nestedAssemblies
    .filter(({ displayName }) => displayName === stage)
    .flatMap(({ nestedAssembly }) => nestedAssembly.stacksRecursively);
  if (artifacts.length === 0) throw new LocalStartError(`The CDK app has no stack in a stage ${stage}.`);
  const stacks = artifacts.map(({ stackName: stack, template }) => ({ stack, ...templateShape.parse(template) }));
  return {
    resources: stacks.flatMap(({ stack, Resources }) =>
      Object.entries(Resources).map(([id, { Type: type, Properties: properties }]) => ({
        id,
        stack,
        type,
        properties,
      })),
    ),
    exports: new Map(
      stacks.flatMap(({ stack, Outputs }) =>
        Object.values(Outputs).flatMap(({ Export, Value: value }) => (Export ? [[Export.Name, { stack, value }]] : [])),
      ),
    ),
    assets: new Map(artifacts.flatMap(assetsOf)),
  };
}

/** Reads the directory of each object key from the asset manifest of a stack. */
function assetsOf(artifact: CloudFormationStackArtifact): readonly (readonly [string, string])[] {
  const file = artifact.dependencies
    .map((dependency) => dependency.manifest)
    .find((candidate) => candidate.type.startsWith('cdk:asset-manifest'))?.properties;
  const name = file !== undefined && 'file' in file ? file.file : undefined;
  if (name === undefined) return [];
  const path = join(artifact.assembly.directory, name);
  const manifest = manifestShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  return Object.values(manifest.files).flatMap((asset) => {
    const source = asset.source.path;
    if (source === undefined) return [];
    return Object.values(asset.destinations).map(({ objectKey }) => [objectKey, join(dirname(path), source)] as const);
  });
}
