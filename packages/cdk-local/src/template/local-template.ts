/** A resource of a synthesized stack. */
export type TemplateResource = {
  /** Logical id in its stack. */
  readonly id: string;
  readonly stack: string;
  readonly type: string;
  /** Properties as in the template: intrinsic functions are still objects. */
  readonly properties: Readonly<Record<string, unknown>>;
};

/** The synthesized stacks of one stage; intrinsic functions are not resolved yet. */
export type LocalTemplate = {
  readonly resources: readonly TemplateResource[];
  /** Every export of every stack, by name: the value is still unresolved and belongs to `stack`. */
  readonly exports: ReadonlyMap<string, { readonly stack: string; readonly value: unknown }>;
  /** Directory of an asset by its object key (`<hash>.zip`), absolute. */
  readonly assets: ReadonlyMap<string, string>;
};

/** A problem of template or machine that the developer can solve: printed as one line, without a stack trace. */
export class LocalStartError extends Error {
  override readonly name = 'LocalStartError';
}

/** How messages name a resource: type, stack and logical id. */
export function describeResource(resource: TemplateResource): string {
  return `${resource.type} ${resource.stack}.${resource.id}`;
}

/** Types that the local environment runs, each with the file that implements it. */
const runTypes = {
  'AWS::ApiGateway::Authorizer': 'api/api-model.ts',
  'AWS::ApiGateway::GatewayResponse': 'api/gateway-responses.ts',
  'AWS::ApiGateway::Method': 'api/api-model.ts',
  'AWS::ApiGateway::Resource': 'api/api-model.ts',
  'AWS::ApiGateway::RestApi': 'api/api-model.ts',
  'AWS::ApiGateway::Stage': 'api/api-model.ts',
  'AWS::DynamoDB::GlobalTable': 'engines/dynamodb-table.ts',
  'AWS::KMS::Key': 'local-aws/signing-keys.ts',
  'AWS::Lambda::EventSourceMapping': 'event-sources/event-sources.ts',
  'AWS::Lambda::Function': 'functions/function-definitions.ts',
  'AWS::S3::Bucket': 'local-aws/buckets.ts',
  'AWS::SQS::Queue': 'engines/sqs-queues.ts',
  'AWS::Scheduler::Schedule': 'schedules.ts',
} as const;

/** Types that a local run leaves out, each with the reason. */
const skippedTypes = {
  'AWS::ApiGateway::Deployment': 'a snapshot of the methods; the methods themselves are run',
  'AWS::CloudWatch::Alarm': 'no alarm is sent from a laptop',
  'AWS::CloudWatch::Dashboard': 'no behaviour',
  'AWS::IAM::Policy': 'the template tests check permissions, a local run does not',
  'AWS::IAM::Role': 'the template tests check permissions, a local run does not',
  'AWS::KMS::Alias': 'keys are found by id and ARN',
  'AWS::Lambda::EventInvokeConfig': 'schedules are not retried: the next run is the retry',
  'AWS::Lambda::Permission': 'the template tests check permissions, a local run does not',
  'AWS::Logs::LogGroup': 'logs go to one file',
  'AWS::S3::BucketPolicy': 'the template tests check permissions, a local run does not',
  'AWS::SQS::QueuePolicy': 'the template tests check permissions, a local run does not',
} as const;

/** @throws LocalStartError with the resources whose type the local environment neither runs nor leaves out. */
export function checkResourceTypes({ resources }: LocalTemplate): void {
  const unknown = resources.filter(({ type }) => !(type in runTypes) && !(type in skippedTypes));
  if (unknown.length === 0) return;
  const names = unknown.map(describeResource).join(', ');
  throw new LocalStartError(
    `The local environment does not support ${names}. Implement the type, or exclude it by name in packages/cdk-local/src/template/local-template.ts.`,
  );
}
