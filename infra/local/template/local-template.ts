/**
 * The synthesized stacks of one stage as the local environment reads them: resources, parameters, outputs and assets,
 * nothing resolved yet.
 */

export type TemplateResource = {
  /** Logical id in its stack. */
  readonly id: string;
  readonly stack: string;
  readonly type: string;
  /** As in the template: intrinsic functions are still objects. */
  readonly properties: Readonly<Record<string, unknown>>;
};

export type TemplateStack = {
  readonly name: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
};

export type LocalTemplate = {
  readonly stacks: ReadonlyMap<string, TemplateStack>;
  /** Every export of every stack, by name: the value is still unresolved and belongs to `stack`. */
  readonly exports: ReadonlyMap<string, { readonly stack: string; readonly value: unknown }>;
  /** Directory of an asset by its object key (`<hash>.zip`), absolute. */
  readonly assets: ReadonlyMap<string, string>;
};

/**
 * A problem of the template or of the machine that the person who starts the environment can act on: printed as one
 * line, without a stack.
 */
export class LocalStartError extends Error {
  override readonly name = 'LocalStartError';
}

/** All resources of a type, in the order of the template. */
export function resourcesOf(template: LocalTemplate, type: string): readonly TemplateResource[] {
  return allResources(template).filter((resource) => resource.type === type);
}

/** @throws LocalStartError unless the template has exactly one resource of the type. */
export function theOne(template: LocalTemplate, type: string): TemplateResource {
  const [one, ...others] = resourcesOf(template, type);
  if (one !== undefined && others.length === 0) return one;
  throw new LocalStartError(
    `The local environment runs one ${type}; the template has ${others.length === 0 ? 'none' : others.length + 1}.`,
  );
}

/** Every resource of every stack. */
function allResources(template: LocalTemplate): readonly TemplateResource[] {
  return [...template.stacks.values()].flatMap((stack) => [...stack.resources.values()]);
}

/** How messages name a resource: type, stack and logical id. */
export function describeResource(resource: TemplateResource): string {
  return `${resource.type} ${resource.stack}.${resource.id}`;
}

/** Types that the local environment runs, each with the file that does. */
const runTypes = {
  'AWS::ApiGateway::Authorizer': 'api/api-model.ts',
  'AWS::ApiGateway::GatewayResponse': 'api/gateway-responses.ts',
  'AWS::ApiGateway::Method': 'api/api-model.ts',
  'AWS::ApiGateway::Resource': 'api/api-model.ts',
  'AWS::ApiGateway::RestApi': 'api/api-model.ts',
  'AWS::ApiGateway::Stage': 'api/api-model.ts',
  'AWS::DynamoDB::GlobalTable': 'engines/dynamodb-table.ts',
  'AWS::Lambda::EventSourceMapping': 'event-sources/event-sources.ts',
  'AWS::Lambda::Function': 'functions/function-definitions.ts',
  'AWS::SQS::Queue': 'engines/sqs-queues.ts',
  'AWS::Scheduler::Schedule': 'schedules.ts',
} as const;

/** Types that a local run leaves out, each with the reason. */
const leftOutTypes = {
  'AWS::ApiGateway::Account': 'only the logging role of the gateway',
  'AWS::ApiGateway::Deployment': 'a snapshot of the methods; the methods themselves are run',
  'AWS::CDK::Metadata': 'no behaviour',
  'AWS::CloudWatch::Alarm': 'no alarm is sent from a laptop',
  'AWS::CloudWatch::CompositeAlarm': 'no alarm is sent from a laptop',
  'AWS::CloudWatch::Dashboard': 'no behaviour',
  'AWS::IAM::ManagedPolicy': 'permissions are judged by the template tests, not locally',
  'AWS::IAM::Policy': 'permissions are judged by the template tests, not locally',
  'AWS::IAM::Role': 'permissions are judged by the template tests, not locally',
  'AWS::KMS::Alias': 'no encryption at rest locally',
  'AWS::KMS::Key': 'no encryption at rest locally',
  'AWS::Lambda::EventInvokeConfig': 'schedules are not retried: the next run is the retry',
  'AWS::Lambda::Permission': 'permissions are judged by the template tests, not locally',
  'AWS::Logs::LogGroup': 'logs go to one file',
  'AWS::Logs::MetricFilter': 'no metrics locally',
  'AWS::SNS::Subscription': 'topics carry alarms only',
  'AWS::SNS::Topic': 'topics carry alarms only',
  'AWS::SNS::TopicPolicy': 'topics carry alarms only',
  'AWS::SQS::QueuePolicy': 'permissions are judged by the template tests, not locally',
  'AWS::Scheduler::ScheduleGroup': 'a name for schedules',
  'AWS::WAFv2::WebACL': 'the firewall stands before the API only on AWS',
  'AWS::WAFv2::WebACLAssociation': 'the firewall stands before the API only on AWS',
} as const;

/**
 * Every resource type is either run or left out for a stated reason: a new type in the template is a question to its
 * author, not silence.
 *
 * @throws LocalStartError naming the resources of unknown type.
 */
export function checkResourceTypes(template: LocalTemplate): void {
  const unknown = allResources(template).filter(({ type }) => !(type in runTypes) && !(type in leftOutTypes));
  if (unknown.length === 0) return;
  const names = unknown.map(describeResource).join(', ');
  throw new LocalStartError(
    `The local environment does not know: ${names}. Run the type or leave it out by name in infra/local/template/local-template.ts.`,
  );
}
