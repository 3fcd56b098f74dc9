import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stage, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { routes as allRoutes, type Route } from '../functions/routes.ts';
import { BUNDLES, bundleFunctions } from './bundle.ts';
import { DataStack } from './data-stack.ts';
import { environments, unsetValues } from './environments.ts';
import { addGuardRails } from './guard-rails.ts';
import { ServiceStack } from './service-stack.ts';
import type { EnvironmentName, EnvironmentSettings } from './settings.ts';
import { withSwitches } from './switches.ts';

const ROOT = join(import.meta.dirname, '..');

export type BuildOptions = {
  /** Folder of bundles as bundle.ts leaves it (`BUNDLES`). Absent: functions hold a placeholder, enough to read templates. */
  readonly bundles?: string;
  /** Default: all. Each is a stage of its own: `Local`, `Dev`, `Hml`, `Prod`. */
  readonly environments?: readonly EnvironmentName[];
  /** Default: THE list of functions/routes.ts. */
  readonly routes?: readonly Route[];
  /** Instead of those of environments.ts: what a test wants to see. */
  readonly settings?: Readonly<Partial<Record<EnvironmentName, EnvironmentSettings>>>;
  /** Switches of switches.ts, and flags of CDK. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Templates are judged by CloudFormation's own rules: the tests do, a synthesis would take three times as long. */
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
  const { bundles = placeholder(), routes = allRoutes } = options;
  const codeOf = (bundle: string): Code =>
    Code.fromAsset(options.bundles === undefined ? bundles : join(bundles, bundle));
  for (const name of options.environments ?? (Object.keys(environments) as EnvironmentName[])) {
    const settings = withSwitches(app.node, options.settings?.[name] ?? environments[name]);
    addEnvironment(app, settings, routes, codeOf);
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
  const { table } = new DataStack(stage, 'Data', settings);
  new ServiceStack(stage, 'Service', { settings, table, routes, codeOf });
  const unset = unsetValues(settings);
  if (unset.length > 0) {
    Validations.of(stage).addWarning(
      'UnsetValues',
      `infra/environments.ts does not say yet for ${name}: ${unset.join(', ')}.`,
    );
  }
}

/**
 * Feature flags of CDK, however the app is run. One differs from what CDK recommends: references between stacks are exports,
 * which stop whoever would delete the table under the service.
 */
function featureFlags(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  return context;
}

/** One small asset for all functions, always the same. */
function placeholder(): string {
  const folder = join(ROOT, 'dist/placeholder');
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

if (import.meta.main) {
  const bundled = wantsBundles();
  if (bundled) await bundleFunctions();
  const app = buildApp(bundled ? { bundles: BUNDLES } : {});
  addGuardRails(app);
  app.synth();
}
