import type { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Route } from '#functions/routes.ts';
import type { OfWorkers } from '#functions/workers.ts';
import { endpointFunction, workerNames, workers } from '#functions/workers.ts';
import type { EnvName } from '#shared/platform/env.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { settingsVariable } from '#shared/platform/settings.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { endpointBundle, workerBundle } from './bundle.ts';
import type { DeliveryQueues } from './constructs/delivery-pipeline.ts';
import type { AccessTargets } from './constructs/function-access.ts';
import { accessStatements } from './constructs/function-access.ts';
import type { Endpoint } from './constructs/partner-api.ts';
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
  readonly endpoints: readonly Endpoint[];
};

/** Adds every function of the service, from the two lists that name them: workers.ts and routes.ts. */
export function addFunctions(stack: Stack, props: ServiceFunctionsProps): ServiceFunctions {
  const { settings, targets } = props;
  const values = variableValues({ settings, ...targets });
  const worker = (name: WorkerName): LambdaFunction => {
    const { description, memoryMb, timeoutSeconds, access, variables, schedule } = workers[name];
    return new ServiceFunction(stack, pascalCase(name), {
      settings,
      description,
      memoryMb,
      timeoutSeconds,
      code: props.codeOf(workerBundle(name)),
      variables: pick(values, variables),
      statements: accessStatements(access, targets),
      scheduled: schedule !== undefined,
    }).lambda;
  };
  const endpoint = (route: Route): Endpoint => {
    const { operationId, summary } = route.contract;
    const { memoryMb, timeoutSeconds, variables } = endpointFunction;
    const { lambda } = new ServiceFunction(stack, pascalCase(operationId), {
      settings,
      description: `${operationId}: ${summary}`,
      memoryMb,
      timeoutSeconds,
      code: props.codeOf(endpointBundle(route)),
      variables: pick(values, variables),
      statements: accessStatements(
        { ...route.access, ...(settings.simulationTools && { slowCalls: 'holds' }) },
        targets,
      ),
      scheduled: false,
    });
    return { route, function: lambda };
  };
  const deployed = workerNames.filter((name) => settings.simulationTools || workers[name].simulation !== true);
  return {
    workers: Object.fromEntries(deployed.map((name) => [name, worker(name)])) as ServiceFunctions['workers'],
    endpoints: props.routes.map(endpoint),
  };
}

/** `relay-deliveries` and `createPayout` become `RelayDeliveries` and `CreatePayout`: part of logical ids. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

type VariableSources = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
};

/** The value of every variable that functions read. What CloudFormation alone knows is a variable of its own. */
export function variableValues({ settings, table, queues }: VariableSources): Readonly<Record<EnvName, string>> {
  return {
    TABLE_NAME: table.tableName,
    QUEUE_URL: queues.deliveries.queueUrl,
    DEAD_LETTER_QUEUE_URL: queues.deadLetters.queueUrl,
    SETTINGS: settingsVariable(settings),
  };
}

/** The variables of one function. */
function pick(values: Readonly<Record<EnvName, string>>, names: readonly EnvName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
