import type { Stack } from 'aws-cdk-lib';
import { App, CfnRule, Fn, Stage, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '#functions/routes.ts';
import { routes as allRoutes } from '#functions/routes.ts';
import type { Build } from './aws/bundle.ts';
import { builds, bundleFunctions, bundlesFolder } from './aws/bundle.ts';
import { commandDeploys } from './aws/cli-plugin.ts';
import { addGuardRails } from './aws/guard-rails.ts';
import { DataStack, ServiceStack } from './aws/stacks.ts';
import { isOn, withSwitches } from './aws/switches.ts';
import { environments } from './environments.ts';
import type { EnvironmentName, EnvironmentSettings } from './settings.ts';
import { isForPartners, unsetValues } from './unset-values.ts';

const root = join(import.meta.dirname, '..');

export type BuildOptions = {
  /**
   * Folder of bundles as bundle.ts leaves it (`bundlesFolder`), in it those of each build. Absent: functions hold a
   * placeholder, enough to read templates.
   */
  readonly bundles?: string;
  /** Each is a stage of its own: `Dev`, `Hml`, `Prod`, and `Local` where the context asks for it. Default: these. */
  readonly environments?: readonly EnvironmentName[];
  /** Default: THE list of functions/routes.ts. */
  readonly routes?: readonly Route[];
  /** Instead of those of environments.ts: what a test wants to see. */
  readonly settings?: Readonly<Partial<Record<EnvironmentName, EnvironmentSettings>>>;
  /** Switches of switches.ts, and flags of CDK. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** What partners use is deployed only when everything is set. Default: what the CLI's plug-in says. */
  readonly deploys?: boolean;
  /**
   * Checks templates by CloudFormation's own rules: for tests alone, because a synthesis takes three times as long with
   * it.
   */
  readonly validated?: true;
  /** Folder of the assembly. Default: `cdk.out` under the CDK CLI, else a temporary one. */
  readonly outdir?: string;
};

/** The CDK app, not yet synthesized. The feature flags of cdk.json apply however it is run. */
export function buildApp(options: BuildOptions = {}): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: options.validated === true,
    context: { ...featureFlags(), ...options.context },
    ...(options.outdir !== undefined && { outdir: options.outdir }),
  });
  const { bundles = placeholder(), routes = allRoutes, deploys = commandDeploys() } = options;
  const codeOf =
    (build: Build) =>
    (bundle: string): Code =>
      Code.fromAsset(options.bundles === undefined ? bundles : join(bundles, build, bundle));
  const names = (Object.keys(environments) as EnvironmentName[]).filter(
    (name) => name !== 'local' || isOn(app.node, 'local'),
  );
  for (const name of options.environments ?? names) {
    const settings = withSwitches(app.node, options.settings?.[name] ?? environments[name]);
    const code = codeOf(settings.simulationTools ? 'simulation' : 'production');
    stopUnset(addEnvironment(app, settings, routes, code), settings, deploys);
  }
  return app;
}

/** One environment: the table, and everything else. */
function addEnvironment(
  app: App,
  settings: EnvironmentSettings,
  all: readonly Route[],
  codeOf: (bundle: string) => Code,
) {
  const { name, target } = settings;
  const stage = new Stage(app, name.charAt(0).toUpperCase() + name.slice(1), {
    ...(target !== undefined && { env: target }),
  });
  const routes = all.filter((route) => settings.simulationTools || route.simulation !== true);
  const data = new DataStack(stage, 'Data', settings);
  const service = new ServiceStack(stage, 'Service', { settings, table: data.table, routes, codeOf });
  if (!settings.simulationTools) {
    const message = 'The bank is the simulated one (functions/banks.ts): no money moves.';
    Validations.of(service).addWarning('SimulatedBank', message);
  }
  return { data, service };
}

/**
 * Feature flags of CDK, however the app is run. Two differ from what CDK recommends: references between stacks are
 * exports, so that the table cannot be deleted under the service; and annotations stay out of the validation report,
 * whose one verdict would let an error of `Prod` stop the deployment of `Dev`.
 */
function featureFlags(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  return context;
}

/** One small asset for all functions, always the same. */
function placeholder(): string {
  const folder = join(root, 'dist/placeholder');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), 'export const handler = async () => ({});\n');
  return folder;
}

/** The CDK CLI asks for no bundles where it only lists stacks. */
function wantsBundles(): boolean {
  const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
  const stacks = context['aws:cdk:bundling-stacks'];
  return !Array.isArray(stacks) || stacks.length > 0;
}

type Stacks = { readonly data: Stack; readonly service: Stack };

/**
 * Says what nobody has set. Where partners use the environment that stops a deployment: the CDK CLI, before it asks for
 * credentials, by an error on each stack that it chose, and CloudFormation, whatever it gets the template from, by a
 * rule that no stack fulfils. Whoever only looks at the stacks is warned.
 */
function stopUnset({ data, service }: Stacks, settings: EnvironmentSettings, deploys: boolean): void {
  const unset = unsetValues(settings);
  if (unset.length === 0) return;
  const { name } = settings;
  const list = unset.map(({ setting, what }) => `  ${setting}: ${what}`).join('\n');
  const message = `infra/environments.ts does not say yet for ${name}:\n${list}\nSee docs/deployment.md, step 5.`;
  const stops = isForPartners(settings);
  if (stops) for (const stack of [data, service]) addRule(stack, message);
  // On the stacks, because the CLI prints what is said of the stacks that it chose, not of their stage.
  if (stops && deploys) {
    Validations.of(data).addError('UnsetValues', `${name} lacks values, listed with its stack Service.`);
    Validations.of(service).addError('UnsetValues', message);
  } else {
    Validations.of(service).addWarning('UnsetValues', message);
  }
}

/** Of the shape of the CDK's own rule on the version of the bootstrap stack; no version is called so. */
function addRule(stack: Stack, message: string): void {
  const assert = Fn.conditionContains(['every value is set'], Fn.ref('BootstrapVersion'));
  new CfnRule(stack, 'UnsetValues', { assertions: [{ assert, assertDescription: message }] });
}

if (import.meta.main) {
  const bundled = wantsBundles();
  if (bundled) for (const build of builds) await bundleFunctions({ build });
  const app = buildApp(bundled ? { bundles: bundlesFolder } : {});
  addGuardRails(app);
  app.synth();
}
