import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountRootPrincipal, PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { workerNames, workers } from '#functions/workers.ts';
import { bankSecretsOf } from '#shared/bank/connection.ts';
import type { EnvironmentSettings, PipelineSettings } from '../settings.ts';
import { CallbackApi, truststoreStatements } from './constructs/callback-api.ts';
import { CallbackQueues, feedCallbacks } from './constructs/bank-callbacks.ts';
import { DeliveryPipeline, DeliveryQueues } from './constructs/delivery-pipeline.ts';
import { DueQueues, feedDueJobs } from './constructs/due-queues.ts';
import { operatorStatements, restorerStatements } from './constructs/function-access.ts';
import { feedEntries } from './constructs/statement-chain.ts';
import { Firewall } from './constructs/firewall.ts';
import type { MonitoringProps } from './constructs/monitoring/watched.ts';
import { findWatched } from './constructs/monitoring/watched.ts';
import { addMonitoring } from './constructs/monitoring/monitoring.ts';
import { DeployRoles } from './constructs/deploy-roles.ts';
import { OrdersTable } from './constructs/orders-table.ts';
import { OwnDomain, PartnerApi } from './constructs/partner-api.ts';
import type { Job } from './constructs/scheduled-work.ts';
import { ScheduledWork } from './constructs/scheduled-work.ts';
import type { CallerProps } from './constructs/synthetic-caller.ts';
import { StatementSigning } from './constructs/statement-signing.ts';
import { SyntheticCaller } from './constructs/synthetic-caller.ts';
import { LockedVault, TableCopies } from './constructs/table-copies.ts';
import type { ServiceFunctions, ServiceFunctionsProps } from './service-functions.ts';
import { thisRelease } from '../release.ts';
import { pascalCase } from './names.ts';
import { addFunctions } from './service-functions.ts';

/** Tags of every resource, for the split of the bill. */
function stackTags({ name }: EnvironmentSettings): Record<string, string> {
  return { service: 'banking-order', environment: name };
}

/** Table, keys and bucket of roots, which outlive every deployment, and queues, for which the service stack is full. */
export class DataStack extends Stack {
  /** The table that the service uses. */
  readonly table: ITableV2;
  readonly queues: DeliveryQueues;
  readonly bankQueues: CallbackQueues;
  readonly dueQueues: DueQueues;
  readonly signing: StatementSigning;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the table`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });
    const orders = new OrdersTable(this, 'Orders', settings.data, stackTags(settings));
    this.table = orders.inUse;
    this.queues = new DeliveryQueues(this, 'Queues', settings, {
      notifier: workers['deliver-notification'].timeoutSeconds,
      drainer: workers['drain-backlogs'].timeoutSeconds,
    });
    this.bankQueues = new CallbackQueues(this, 'BankQueues', settings, workers['apply-callbacks']);
    this.dueQueues = new DueQueues(this, 'DueQueues', settings);
    this.signing = new StatementSigning(this, 'Signing', settings.data);
    if (settings.data.copies !== undefined) new TableCopies(this, 'Copies', settings, this.table.tableArn);
    addOutputs(this, {
      TableName: this.table.tableName,
      DeliveryQueueUrl: this.queues.deliveries.queueUrl,
      DeadLetterQueueUrl: this.queues.deadLetters.queueUrl,
      DeadLetterQueueArn: this.queues.deadLetters.queueArn,
      RelayFailureQueueUrl: this.queues.relayFailures.queueUrl,
      SigningKeyArn: this.signing.key.keyArn,
      RootsBucket: this.signing.roots.bucketName,
    });
  }
}

/** The locked vault in another account. It is deployed with credentials of that account, before the table. */
export class CopiesStack extends Stack {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the locked vault of copies`,
      terminationProtection: true,
      tags: stackTags(settings),
    });
    new LockedVault(this, 'Locked', settings);
  }
}

/** The role of releases. A person deploys this stack, because a release must not change its own rights. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings, pipeline: PipelineSettings) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the roles of the pipeline`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });
    new DeployRoles(this, 'Deploy', settings, pipeline);
  }
}

type ServiceStackProps = Omit<ServiceFunctionsProps, 'targets'> &
  Pick<DataStack, 'table' | 'queues' | 'bankQueues' | 'dueQueues' | 'signing'>;

/** The functions, event sources, schedules and API: this stack can be deployed again at any time. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    const { settings, table, queues, bankQueues, dueQueues, signing, routes, codeOf } = props;
    super(scope, id, {
      description: `Banking order service, ${settings.name}: functions, queues, API`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });

    const targets = {
      table,
      queues,
      bankQueues,
      dueQueues,
      signing,
      codeSenders: settings.keys.senders,
      bankSecrets: `${bankSecretsOf(settings.name)}*`,
      callbackHost: settings.callbacks?.domain?.hostName,
    };
    const functions = addFunctions(this, { settings, targets, routes, codeOf });

    new DeliveryPipeline(this, 'Pipeline', {
      ...targets,
      relay: functions.called['relay-deliveries'],
      notifier: functions.called['deliver-notification'],
      drainer: functions.called['drain-backlogs'],
      maxConcurrency: settings.deliveries.maxConcurrency,
      maxDrains: settings.deliveries.maxDrains,
    });
    feedCallbacks(functions.called['apply-callbacks'], bankQueues, settings.bankCallbacks.readers);
    feedDueJobs(functions.called, dueQueues);
    feedEntries(functions.called['chain-entries'], { table, failures: queues.relayFailures, settings });
    new ScheduledWork(this, 'Schedules', settings, jobs(functions.called));

    const { api } = new PartnerApi(this, 'PartnerApi', {
      settings,
      authorizer: functions.called.authorizer,
      endpoints: functions.endpoints,
    });
    const { firewallRate, domain } = settings.api;
    if (firewallRate !== undefined)
      new Firewall(this, 'Firewall', { settings, stageArn: api.deploymentStage.stageArn, rate: firewallRate });
    if (domain !== undefined) new OwnDomain(this, 'Domain', { settings: domain, api });
    const names = Object.entries(functions.workers).map(([name, { functionName }]) => [name, functionName] as const);
    const outputs = names.map(([name, value]) => [`${pascalCase(name)}Name`, value] as const);
    addOutputs(this, { ...Object.fromEntries(outputs), Release: thisRelease() });
  }
}

/** The API that banks call. It knows its function by name: the service stack is the same with and without it. */
export class CallbacksStack extends Stack {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: callbacks of banks`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });
    new CallbackApi(this, 'Callbacks', settings);
  }
}

/**
 * Alarms and dashboard, in a stack of their own so that the service stack has capacity for endpoints. This stack holds
 * no data. It knows functions and queues by name: the service can remove one, or go back to a release without it,
 * before this stack is updated.
 */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    const { settings } = props;
    super(scope, id, {
      description: `Banking order service, ${settings.name}: alarms and dashboard`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });
    addMonitoring(this, findWatched(props));
  }
}

/** The roles that run the operator's commands; the account's own policies decide on access to them. */
export class OperatorsStack extends Stack {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings, table: ITableV2) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the roles of operators`,
      tags: stackTags(settings),
    });
    const banks = `${bankSecretsOf(settings.name)}*`;
    const roles = {
      Operator: { description: 'Runs npm run operator', own: operatorStatements(table, settings, banks) },
      Restorer: {
        description: 'Replaces the current table with a restored one',
        own: restorerStatements(table, settings, banks),
      },
    };
    for (const [name, { description, own }] of Object.entries(roles)) {
      const statements = [...own, ...truststoreStatements(settings)];
      const role = new Role(this, name, {
        description,
        assumedBy: new AccountRootPrincipal(),
        inlinePolicies: { [name]: new PolicyDocument({ statements }) },
      });
      new CfnOutput(this, `${name}RoleArn`, { value: role.roleArn });
    }
  }
}

/** The synthetic caller, which calls the service as a partner does. It knows only the address of the service. */
export class CallerStack extends Stack {
  constructor(scope: Construct, id: string, props: CallerProps) {
    const { settings } = props;
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the synthetic caller`,
      tags: stackTags(settings),
    });
    new SyntheticCaller(this, 'Caller', props);
  }
}

/** The values that the runbook's commands need. */
function addOutputs(stack: Stack, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value });
}

function jobs(functions: ServiceFunctions['called']): Job[] {
  return workerNames.flatMap((name) => {
    const { description, schedule } = workers[name];
    const lambda = functions[name];
    if (schedule === undefined || lambda === undefined) return [];
    return [{ name, function: lambda, description, schedule }];
  });
}
