import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildOptions } from '#infra/app.ts';
import { buildApp } from '#infra/app.ts';
import type { Settings } from '#shared/platform/settings.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON; the tests say what they expect of it
export type Properties = Record<string, any>;
export type Resource = {
  readonly id: string;
  readonly Type: string;
  /** Empty where the template has none. */
  readonly Properties: Properties;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: object;
};
export type Template = {
  readonly stackName: string;
  readonly terminationProtection: boolean;
  readonly resources: readonly Resource[];
  readonly outputs: Properties;
  readonly text: string;
};

export type Stacks = ((name: string) => Template) & {
  readonly names: readonly string[];
  /** Account and region of a stack, as `aws://111111111111/sa-east-1`. */
  readonly environmentOf: (name: string) => string | undefined;
};

const synthesized = new Map<string, Stacks>();

/**
 * Every stack by its name (`Prod-Service`), with placeholders for code. The same options are synthesized once: it takes
 * seconds.
 */
export function synthesize(
  options: Pick<BuildOptions, 'environments' | 'settings' | 'context' | 'routes'> = {},
): Stacks {
  const key = JSON.stringify(options);
  const stacks = synthesized.get(key) ?? synthesizeNow(options);
  synthesized.set(key, stacks);
  return stacks;
}

function synthesizeNow(options: BuildOptions): Stacks {
  const outdir = mkdtempSync(join(tmpdir(), 'infra-test-'));
  try {
    const app = buildApp({ ...options, context: { local: true, ...options.context }, outdir });
    const assembly = app.synth();
    const stacks = assembly.nestedAssemblies.flatMap(({ nestedAssembly }) => nestedAssembly.stacks);
    const templates = new Map(stacks.map((stack) => [stack.stackName, read(stack)]));
    const names = [...templates.keys()];
    const find = (name: string): Template => {
      const template = templates.get(name);
      if (template === undefined) throw new Error(`No stack ${name}: ${names.join(', ')}`);
      return template;
    };
    const environmentNames = new Map(stacks.map((stack) => [stack.stackName, stack.environment.name]));
    return Object.assign(find, { names, environmentOf: (name: string) => environmentNames.get(name) });
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function read(stack: {
  stackName: string;
  terminationProtection?: boolean | undefined;
  template: Properties;
}): Template {
  const { Resources, Outputs } = stack.template as {
    Resources: Record<string, Omit<Resource, 'Properties'> & { Properties?: Properties }>;
    Outputs?: Properties;
  };
  return {
    stackName: stack.stackName,
    terminationProtection: stack.terminationProtection === true,
    resources: Object.entries(Resources).map(([id, resource]) => ({
      ...resource,
      id,
      Properties: resource.Properties ?? {},
    })),
    outputs: Outputs ?? {},
    text: JSON.stringify(stack.template),
  };
}

export function all(template: Template, type: string): readonly Resource[] {
  return template.resources.filter((resource) => resource.Type === type);
}

export function only(template: Template, type: string): Resource {
  const [first, ...more] = all(template, type);
  if (first === undefined || more.length > 0)
    throw new Error(`${template.stackName} has ${more.length + (first ? 1 : 0)} ${type}`);
  return first;
}

/** The resource whose logical id begins so; ids end in a hash. */
export function named(template: Template, type: string, prefix: string): Resource {
  const found = all(template, type).filter(({ id }) => new RegExp(`^${prefix}[0-9A-F]{8}$`).test(id));
  if (found.length !== 1) throw new Error(`${template.stackName} has ${found.length} ${type} called ${prefix}`);
  return found[0]!;
}

/** What callers of a function reach: its live alias where it has one, else the function itself. */
export function calledId(template: Template, name: string): string {
  const alias = all(template, 'AWS::Lambda::Alias').find(({ id }) => id.startsWith(`${name}FunctionLive`));
  return (alias ?? named(template, 'AWS::Lambda::Function', `${name}Function`)).id;
}

export type Statement = {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
};

/**
 * A function with the policy of its role, by the id that infra/aws/service-functions.ts gives it: `RelayDeliveries`.
 */
type FunctionView = {
  readonly name: string;
  readonly properties: Properties;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly statements: readonly Statement[];
};

export function functionsOf(template: Template): readonly FunctionView[] {
  return all(template, 'AWS::Lambda::Function').map(({ id, Properties: properties }) => {
    const role = template.resources.find((resource) => resource.id === properties['Role']['Fn::GetAtt'][0])!;
    const policies = role.Properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[];
    return {
      name: id.replace(/Function[0-9A-F]{8}$/, ''),
      properties,
      environment: properties['Environment'].Variables as Record<string, unknown>,
      statements: policies.flatMap((policy) => policy.PolicyDocument.Statement),
    };
  });
}

export function functionNamed(template: Template, name: string): FunctionView {
  const found = functionsOf(template).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`${template.stackName} has no function ${name}`);
  return found;
}

/** The settings that a function is given. */
export function settingsOf({ environment }: FunctionView): Settings {
  return JSON.parse(environment['SETTINGS'] as string) as Settings;
}

export const actionsOf = (statement: Statement): readonly string[] => [statement.Action].flat();
export const resourcesOf = (statement: Statement): readonly string[] =>
  [statement.Resource].flat().map((resource) => (typeof resource === 'string' ? resource : JSON.stringify(resource)));
