import type { Stack } from 'aws-cdk-lib';
import { App, CfnRule, Fn, PermissionsBoundary, Stage, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '#functions/routes.ts';
import { routes as allRoutes } from '#functions/routes.ts';
import type { Build } from './aws/bundle.ts';
import { callerBundle, hasSimulatedBank } from './aws/bundle.ts';
import { commandDeploys } from './aws/cli-plugin.ts';
import { boundaryName } from './aws/constructs/deploy-permissions.ts';
import { addGuardRails } from './aws/guard-rails.ts';
import { keptBundles } from './aws/kept-bundles.ts';
import {
  CallbacksStack,
  CallerStack,
  CopiesStack,
  DataStack,
  MonitoringStack,
  OperatorsStack,
  PipelineStack,
  ServiceStack,
} from './aws/stacks.ts';
import { isOn, withSwitches } from './aws/switches.ts';
import { pascalCase } from './aws/names.ts';
import { environments } from './environments.ts';
import type { EnvironmentName, EnvironmentSettings } from './settings.ts';
import type { UnsetValue } from './unset-values.ts';
import { isForPartners, unsetValues } from './unset-values.ts';

const root = join(import.meta.dirname, '..');

export type BuildOptions = {
  /** Folders of bundles. Absent: functions hold a placeholder, enough to read templates. */
  readonly bundles?: Readonly<Partial<Record<Build, string>>>;
  /** Bundles of production contain the simulated bank. Default: false, as placeholders contain no bank at all. */
  readonly simulatedBank?: boolean;
  /** Each is a stage. Default: `Dev`, `Hml`, `Prod`, and `Local` with the context value `local` (switches.ts). */
  readonly environments?: readonly EnvironmentName[];
  /** Default: the list of functions/routes.ts. */
  readonly routes?: readonly Route[];
  /** Settings for tests, instead of those of environments.ts. */
  readonly settings?: Readonly<Partial<Record<EnvironmentName, EnvironmentSettings>>>;
  /** Switches of switches.ts, and flags of CDK. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The command deploys: unset values are errors in the partners' environments. Default: from the CLI's plug-in. */
  readonly deploys?: boolean;
  /** Checks templates by CloudFormation's rules. Only for tests: the synthesis takes three times as long. */
  readonly validated?: true;
  /** Folder of the assembly. Default: `cdk.out` under the CDK CLI, else a temporary one. */
  readonly outdir?: string;
};

/** The CDK app, not yet synthesized. */
export function buildApp(options: BuildOptions = {}): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: options.validated === true,
    context: { ...featureFlags(), ...options.context },
    ...(options.outdir !== undefined && { outdir: options.outdir }),
  });
  const { bundles, routes = allRoutes, deploys = commandDeploys() } = options;
  refuseSharedLogRole(Object.values({ ...environments, ...options.settings }));
  const placeholderFolder = placeholder();
  const names = (Object.keys(environments) as EnvironmentName[]).filter(
    (name) => name !== 'local' || isOn(app.node, 'local'),
  );
  for (const name of options.environments ?? names) {
    const settings = withSwitches(app.node, options.settings?.[name] ?? environments[name]);
    const build: Build = settings.simulationTools ? 'simulation' : 'production';
    const codeOf = (bundle: string) =>
      Code.fromAsset(bundles === undefined ? placeholderFolder : folderOf(bundles, build, bundle));
    const unset = unsetValues(settings, options.simulatedBank);
    stopUnset(addEnvironment(app, settings, routes, codeOf), settings, unset, deploys);
    addBeside(app, settings);
  }
  return app;
}

/**
 * Refuses two environments that set API Gateway's log role in one account and region. The role is a setting of the
 * account and region: each release would replace the role of the other environment. The check covers all environments,
 * also those that are not deployed now.
 * @throws Error naming both
 */
function refuseSharedLogRole(all: readonly EnvironmentSettings[]): void {
  const owners = new Map<string, string>();
  for (const { name, target, api } of all) {
    if (!api.ownsGatewayLogRole || target?.account === undefined) continue;
    const place = `${target.account}, ${target.region}`;
    const owner = owners.get(place);
    if (owner !== undefined)
      throw new Error(
        `Only one environment of an account and region may set api.ownsGatewayLogRole: ${owner} and ${name} are both in ${place}.`,
      );
    owners.set(place, name);
  }
}

function addEnvironment(
  app: App,
  settings: EnvironmentSettings,
  all: readonly Route[],
  codeOf: (bundle: string) => Code,
): Stacks {
  const { name, target } = settings;
  const stage = new Stage(app, pascalCase(name), {
    ...(target !== undefined && { env: target }),
    ...(settings.pipeline !== undefined && {
      permissionsBoundary: PermissionsBoundary.fromName(boundaryName(settings)),
    }),
  });
  const routes = all.filter((route) => settings.simulationTools || route.simulation !== true);
  const data = new DataStack(stage, 'Data', settings);
  const service = new ServiceStack(stage, 'Service', {
    settings,
    routes,
    codeOf,
    table: data.table,
    queues: data.queues,
    bankQueues: data.bankQueues,
    dueQueues: data.dueQueues,
    signing: data.signing,
  });
  // An emulator evaluates no alarm.
  const watching =
    name === 'local' ? [] : [new MonitoringStack(stage, 'Monitoring', { settings, table: data.table, routes })];
  // Commands on this machine need no role.
  const operating = name === 'local' ? [] : [new OperatorsStack(stage, 'Operators', settings, data.table)];
  const { caller } = settings;
  const calling =
    caller === undefined
      ? []
      : [new CallerStack(stage, 'Caller', { settings, caller, code: codeOf(callerBundle.name) })];
  const called = settings.callbacks === undefined ? [] : [new CallbacksStack(stage, 'Callbacks', settings)];
  for (const stack of [...watching, ...calling, ...called]) stack.addStackDependency(service);
  return { service, others: [data, ...watching, ...operating, ...calling, ...called] };
}

/** Adds separate stages for stacks that are deployed by others, or in another account, than the environment. */
function addBeside(app: App, settings: EnvironmentSettings): void {
  const { target, data, pipeline } = settings;
  if (target === undefined) return;
  const name = pascalCase(settings.name);
  const { copies } = data;
  if (copies !== undefined) {
    const env = { account: copies.account, region: copies.region ?? target.region };
    new CopiesStack(new Stage(app, `${name}Copies`, { env }), 'Vault', settings);
  }
  if (pipeline !== undefined)
    new PipelineStack(new Stage(app, `${name}Pipeline`, { env: target }), 'Roles', settings, pipeline);
}

/**
 * Returns the feature flags of cdk.json, which CDK reads only under its CLI. Two differ from CDK's recommendation.
 * References between stacks are exports: CloudFormation then keeps the table as long as the service. Annotations stay
 * out of the validation report: it has one result, and an error of `Prod` would stop a deployment of `Dev`.
 */
function featureFlags(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  return context;
}

/** One small asset for all functions. */
function placeholder(): string {
  const folder = join(root, 'dist/placeholder');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), 'export const handler = async () => ({});\n');
  return folder;
}

/** Whether the CDK CLI needs bundles: to list stacks it needs none. */
function wantsBundles(): boolean {
  const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
  const stacks = context['aws:cdk:bundling-stacks'];
  return !Array.isArray(stacks) || stacks.length > 0;
}

async function withBundles(): Promise<BuildOptions> {
  const production = await keptBundles('production');
  const simulation = await keptBundles('simulation');
  return {
    bundles: { production: production.folder, simulation: simulation.folder },
    simulatedBank: hasSimulatedBank(production.metafile),
  };
}

/** @throws Error when an environment uses a build without bundles */
function folderOf(bundles: NonNullable<BuildOptions['bundles']>, build: Build, bundle: string): string {
  const folder = bundles[build];
  if (folder === undefined) throw new Error(`The build ${build} has no bundles.`);
  return join(folder, bundle);
}

/** The stacks of one environment. */
type Stacks = { readonly service: Stack; readonly others: readonly Stack[] };

/**
 * Lists the unset values as a warning. In the partners' environments they stop a deployment: an error on each stack
 * stops the CDK CLI before it needs credentials, and a rule that no stack fulfils stops CloudFormation.
 */
function stopUnset(
  { service, others }: Stacks,
  settings: EnvironmentSettings,
  unset: readonly UnsetValue[],
  deploys: boolean,
): void {
  if (unset.length === 0) return;
  const { name } = settings;
  const list = unset.map(({ setting, description }) => `  ${setting}: ${description}`).join('\n');
  const message = `${name} lacks these values, in infra/environments.ts unless the line names another file:\n${list}\nSee docs/deployment.md, step 5.`;
  const stops = isForPartners(settings);
  if (stops)
    for (const stack of [service, ...others]) {
      // Like CDK's own rule on the version of the bootstrap stack; no version has this name.
      const assert = Fn.conditionContains(['every value is set'], Fn.ref('BootstrapVersion'));
      new CfnRule(stack, 'UnsetValues', { assertions: [{ assert, assertDescription: message }] });
    }
  // On the stacks: the CLI prints the annotations of the chosen stacks, not of their stage.
  if (stops && deploys) {
    for (const stack of others)
      Validations.of(stack).addError(
        'UnsetValues',
        `${name} lacks values: the messages of its stack Service list them.`,
      );
    Validations.of(service).addError('UnsetValues', message);
  } else {
    Validations.of(service).addWarning('UnsetValues', message);
  }
}

if (import.meta.main) {
  const app = buildApp(wantsBundles() ? await withBundles() : {});
  addGuardRails(app);
  app.synth();
}
