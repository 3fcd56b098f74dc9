import { Duration, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Route } from '../functions/routes.ts';
import { endpointBundle, workerBundle } from './bundle.ts';
import { DeliveryPipeline } from './constructs/delivery-pipeline.ts';
import { closedQueue, DeliveryQueues } from './constructs/delivery-queues.ts';
import { accessStatements, queueStatement, streamStatements } from './constructs/function-access.ts';
import { PartnerApi, type Endpoint } from './constructs/partner-api.ts';
import { ScheduledWork } from './constructs/scheduled-work.ts';
import { ServiceFunction, type ServiceFunctionProps } from './constructs/service-function.ts';
import { pick, variableValues } from './function-variables.ts';
import type { EnvironmentSettings } from './settings.ts';
import { endpointFunction, workers, type WorkerName } from './workers.ts';

export type ServiceStackProps = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly routes: readonly Route[];
  /** The code of a bundle by its name. */
  readonly codeOf: (bundle: string) => Code;
};

/** Everything that can be deployed anew at any time: functions, queues, schedules, the API and what watches them. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    const { settings, table } = props;
    super(scope, id, {
      description: `Banking order service, ${settings.name}: functions, queues, API`,
      terminationProtection: settings.data.protected,
    });

    const queues = new DeliveryQueues(this, 'Queues', workers['deliver-notification'].timeoutSeconds);
    const relayFailures = closedQueue(this, 'RelayFailures', { retention: Duration.days(14) });
    const targets = { table, deliveryQueue: queues.deliveries, deadLetterQueue: queues.deadLetters };
    const values = variableValues({ settings, ...targets });

    const worker = (
      name: WorkerName,
      more: { readonly statements?: readonly PolicyStatement[]; readonly scheduled?: true } = {},
    ): LambdaFunction => {
      const { description, memoryMb, timeoutSeconds, access, variables } = workers[name];
      const { statements = [], ...options } = more;
      return new ServiceFunction(this, pascalCase(name), {
        ...{ settings, description, memoryMb, timeoutSeconds, ...options },
        code: props.codeOf(workerBundle(name)),
        variables: pick(values, variables),
        statements: [...accessStatements(access, targets), ...statements],
      }).lambda;
    };

    const relay = worker('relay-deliveries', {
      statements: [...streamStatements(table), queueStatement(relayFailures, 'sends')],
    });
    const notifier = worker('deliver-notification');
    new DeliveryPipeline(this, 'Pipeline', { table, relay, relayFailures, deliveries: queues.deliveries, notifier });

    new ScheduledWork(this, 'Schedules', [
      scheduled('sweep-deliveries'),
      scheduled('expire-pay-ins'),
      scheduled('submit-payouts'),
    ]);
    function scheduled(name: WorkerName) {
      return {
        name: pascalCase(name),
        function: worker(name, { scheduled: true }),
        description: workers[name].description,
      };
    }

    const endpoints = props.routes.map((route): Endpoint => {
      const { operationId, summary } = route.contract;
      const options: ServiceFunctionProps = {
        ...{ settings, description: `${operationId}: ${summary}`, ...endpointFunction },
        code: props.codeOf(endpointBundle(route)),
        variables: pick(values, endpointFunction.variables),
        statements: accessStatements(route.access, targets),
      };
      return { route, function: new ServiceFunction(this, pascalCase(operationId), options).lambda };
    });
    new PartnerApi(this, 'PartnerApi', { settings, authorizer: worker('authorizer'), endpoints });
  }
}

/** `relay-deliveries` and `createPayout` become `RelayDeliveries` and `CreatePayout`: part of logical ids. */
function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
