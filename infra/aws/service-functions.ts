import type { Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Code, Function as LambdaFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Route } from '#functions/routes.ts';
import type { OfWorkers } from '#functions/workers.ts';
import { endpointFunction, workerNames, workers } from '#functions/workers.ts';
import type { FunctionAccess } from '#functions/access.ts';
import type { EnvName } from '#shared/platform/env.ts';
import type { DueQueueVariable } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilyNames, dueQueueVariable } from '#shared/platform/jobs/due-kinds.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { metricNamespace } from '#shared/platform/metrics.ts';
import { settingsVariable } from '#shared/platform/settings.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { neverReserved, startedByQueues } from '../settings.ts';
import { bundleName } from './bundle.ts';
import { pascalCase } from './names.ts';
import type { CallbackQueues } from './constructs/bank-callbacks.ts';
import type { DeliveryQueues } from './constructs/delivery-pipeline.ts';
import type { DueQueues } from './constructs/due-queues.ts';
import type { AccessTargets } from './constructs/function-access.ts';
import { accessStatements } from './constructs/function-access.ts';
import type { StatementSigning } from './constructs/statement-signing.ts';
import type { Endpoint } from './constructs/partner-api.ts';
import { LiveVersions } from './constructs/live-version.ts';
import { ServiceFunction } from './constructs/service-function.ts';

export type ServiceFunctionsProps = {
  readonly settings: EnvironmentSettings;
  readonly targets: AccessTargets;
  readonly routes: readonly Route[];
  /** The code of a bundle by its name. */
  readonly codeOf: (bundle: string) => Code;
};

export type ServiceFunctions = {
  readonly workers: OfWorkers<LambdaFunction>;
  /** The workers as queues, schedules and the API call them. */
  readonly called: OfWorkers<IFunction>;
  readonly endpoints: readonly Endpoint[];
};

/**
 * Adds every function of the service, by the lists workers.ts and routes.ts.
 * @throws Error when `functions.provisioned` names a function that partners do not call, or `functions.reserved` none,
 * too few executions, or more than the account has
 */
export function addFunctions(
  stack: Stack,
  { settings, targets, routes, codeOf }: ServiceFunctionsProps,
): ServiceFunctions {
  const values = variableValues({ settings, ...targets });
  const { provisioned = {}, reserved = {} } = settings.functions;
  const operations = routes.map(({ contract }) => contract.operationId);
  requireKnown(
    provisioned,
    ['authorizer', ...operations],
    'functions.provisioned names functions that partners do not call',
  );
  requireKnown(reserved, [...deployedWorkers(settings), ...operations], 'functions.reserved names unknown functions');
  requireConcurrency(settings);
  const live = new LiveVersions(stack, 'Live', settings);
  const add = (
    name: string,
    folder: string,
    calledByApi: boolean,
    { access, variables, schedule, ...size }: Definition,
  ): LambdaFunction =>
    new ServiceFunction(stack, pascalCase(name), {
      settings,
      name,
      calledByApi,
      ...size,
      reserved: reserved[name],
      code: codeOf(bundleName(folder)),
      variables: Object.fromEntries([...variables, namespace].map((variable) => [variable, values[variable]])),
      statements: accessStatements(access, targets),
      scheduled: schedule !== undefined,
    }).lambda;
  const endpoint = (route: Route): Endpoint => {
    const { operationId, summary } = route.contract;
    const description = `${operationId}: ${summary}`;
    const access: FunctionAccess = { ...route.access, ...(settings.simulationTools && { slowCalls: 'holds' }) };
    const { timeoutSeconds = endpointFunction.timeoutSeconds } = route;
    const variables: readonly EnvName[] = [...endpointFunction.variables, ...(access.signs ? [signingVariable] : [])];
    const size = { ...endpointFunction, timeoutSeconds };
    const lambda = add(operationId, route.folder, true, { ...size, variables, description, access });
    return { route, function: live.publish(operationId, lambda, provisioned[operationId]) };
  };
  const added = deployedWorkers(settings).map(
    (name) => [name, add(name, `workers/${name}`, name === 'authorizer', workers[name])] as const,
  );
  const called = added.map(
    ([name, lambda]) =>
      [name, live.publish(name, lambda, provisioned[name], workers[name].schedule !== undefined)] as const,
  );
  return {
    workers: Object.fromEntries(added) as ServiceFunctions['workers'],
    called: Object.fromEntries(called) as ServiceFunctions['called'],
    endpoints: routes.map(endpoint),
  };
}

function requireKnown(given: Readonly<Record<string, number>>, known: readonly string[], message: string): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${message}: ${unknown.join(', ')}.`);
}

/** Requires that the account has the reserved executions, and that no queue starts more than its function reserves. */
function requireConcurrency(settings: EnvironmentSettings): void {
  const { reserved = {}, executions } = settings.functions;
  const all = Object.values(reserved).reduce((sum, count) => sum + count, neverReserved);
  if (all > executions)
    throw new Error(`functions.reserved needs ${all} executions with Lambda's own, above ${executions}.`);
  for (const [name, count] of Object.entries(startedByQueues(settings)))
    if ((reserved[name] ?? count) < count)
      throw new Error(`functions.reserved of ${name} is below the ${count} that its queue starts.`);
}

/** The workers of an environment. */
export function deployedWorkers({ simulationTools }: EnvironmentSettings): readonly WorkerName[] {
  return workerNames.filter((name) => simulationTools || workers[name].simulation !== true);
}

/** Every function writes metrics. */
const namespace: EnvName = 'METRIC_NAMESPACE';
/** Every function that signs names the key. */
const signingVariable: EnvName = 'SIGNING_KEY';

/** The fields of a worker that an endpoint has, too. */
type Definition = Pick<
  (typeof workers)[WorkerName],
  'description' | 'memoryMb' | 'timeoutSeconds' | 'access' | 'variables' | 'schedule'
>;

type VariableSources = {
  readonly settings: EnvironmentSettings;
  readonly table: ITableV2;
  readonly queues: DeliveryQueues;
  readonly bankQueues: CallbackQueues;
  readonly dueQueues: DueQueues;
  readonly signing: StatementSigning;
};

/** The values of all variables. A value that only CloudFormation knows has a variable of its own. */
export function variableValues({
  settings,
  table,
  queues,
  bankQueues,
  dueQueues,
  signing,
}: VariableSources): Readonly<Record<EnvName, string>> {
  const dueUrls = dueFamilyNames.map((family) => [dueQueueVariable(family), dueQueues.of[family].queueUrl] as const);
  return {
    ...(Object.fromEntries(dueUrls) as Record<DueQueueVariable, string>),
    TABLE_NAME: table.tableName,
    QUEUE_URL: queues.deliveries.queueUrl,
    DEAD_LETTER_QUEUE_URL: queues.deadLetters.queueUrl,
    DRAIN_QUEUE_URL: queues.drains.queueUrl,
    CALLBACK_QUEUE_URL: bankQueues.callbacks.queueUrl,
    CALLBACK_UNKNOWN_QUEUE_URL: bankQueues.unknown.queueUrl,
    CALLBACK_HOST: settings.callbacks?.domain?.hostName ?? 'none',
    SIGNING_KEY: signing.key.keyArn,
    ROOTS_BUCKET: signing.roots.bucketName,
    METRIC_NAMESPACE: metricNamespace(settings.name),
    ERROR_PAGES: settings.api.errorPages,
    SETTINGS: settingsVariable(settings),
  };
}
