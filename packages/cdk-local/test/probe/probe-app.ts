import { join } from 'node:path';
import { App, Duration, RemovalPolicy, Stack, Stage, TimeZone } from 'aws-cdk-lib';
import {
  AuthorizationType,
  LambdaIntegration,
  ResponseType,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import {
  Code,
  FilterCriteria,
  FilterRule,
  Function as LambdaFunction,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { build } from 'esbuild';

const functions = ['echo', 'token-authorizer', 'relay', 'deliver', 'tick'] as const;

/**
 * A small system of the same shapes as the real one: the fixture of the tests. Two stacks in a stage, the
 * service importing what the data stack exports.
 */
export async function buildProbe(folder: string): Promise<App> {
  await build({
    entryPoints: Object.fromEntries(
      functions.map((name) => [`${name}/index`, join(import.meta.dirname, 'functions', `${name}.ts`)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    keepNames: true,
    sourcemap: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const app = new App({ outdir: join(folder, 'cdk.out'), analyticsReporting: false });
  const stage = new Stage(app, 'Probe');
  const table = dataStack(stage);
  serviceStack(stage, table, folder);
  return app;
}

function dataStack(stage: Stage): TableV2 {
  const stack = new Stack(stage, 'Data');
  return new TableV2(stack, 'Table', {
    partitionKey: { name: 'PK', type: AttributeType.STRING },
    sortKey: { name: 'SK', type: AttributeType.STRING },
    dynamoStream: StreamViewType.NEW_IMAGE,
    timeToLiveAttribute: 'expiresAt',
    removalPolicy: RemovalPolicy.DESTROY,
    globalSecondaryIndexes: [
      {
        indexName: 'GSI1',
        partitionKey: { name: 'GSI1PK', type: AttributeType.STRING },
        sortKey: { name: 'GSI1SK', type: AttributeType.STRING },
      },
      {
        indexName: 'GSI2',
        partitionKey: { name: 'GSI2PK', type: AttributeType.STRING },
        sortKey: { name: 'GSI2SK', type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      },
    ],
  });
}

function serviceStack(stage: Stage, table: TableV2, folder: string): void {
  const stack = new Stack(stage, 'Service');
  const key = new Key(stack, 'Key', { keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY, alias: 'probe' });
  const bucket = new Bucket(stack, 'Files', { objectLockEnabled: true, versioned: true, enforceSSL: true });
  const lambda = (id: string, asset: (typeof functions)[number], timeout: Duration): LambdaFunction => {
    const fn = new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromAsset(join(folder, asset)),
      timeout,
      environment: {
        TABLE_NAME: table.tableName,
        STAGE: 'probe',
        KEY_ARN: key.keyArn,
        BUCKET_NAME: bucket.bucketName,
        SETTINGS: '{}',
        NODE_OPTIONS: '--enable-source-maps',
      },
    });
    table.grantReadWriteData(fn);
    return fn;
  };
  api(stack, lambda);
  queues(stack, table as StreamedTable, lambda);
  const tick = new LambdaInvoke(lambda('Tick', 'tick', Duration.seconds(3)));
  new Schedule(stack, 'EveryMinute', { schedule: ScheduleExpression.rate(Duration.minutes(1)), target: tick });
  new Schedule(stack, 'Evenings', {
    schedule: ScheduleExpression.cron({ minute: '*', hour: '0-20', timeZone: TimeZone.AMERICA_SAO_PAULO }),
    target: tick,
  });
  new Schedule(stack, 'Off', { schedule: ScheduleExpression.rate(Duration.minutes(1)), target: tick, enabled: false });
}

type MakeFunction = (id: string, asset: (typeof functions)[number], timeout: Duration) => LambdaFunction;

function api(stack: Stack, lambda: MakeFunction): void {
  const gateway = new RestApi(stack, 'Api', { cloudWatchRole: false, deployOptions: { stageName: 'v1' } });
  const byToken = new TokenAuthorizer(stack, 'TokenAuthorizer', {
    handler: lambda('TokenCheck', 'token-authorizer', Duration.seconds(3)),
    validationRegex: 'Bearer [a-z0-9.]+',
    resultsCacheTtl: Duration.minutes(1),
  });
  const echo = new LambdaIntegration(lambda('Echo', 'echo', Duration.seconds(1)));
  const hasty = new LambdaIntegration(lambda('Hasty', 'echo', Duration.seconds(3)), { timeout: Duration.millis(100) });
  const orders = gateway.root.addResource('orders');
  const secured = { authorizer: byToken, authorizationType: AuthorizationType.CUSTOM };
  orders.addMethod('GET', echo, secured);
  orders.addMethod('POST', echo, secured);
  orders.addResource('{id}').addMethod('GET', echo, secured);
  orders.addResource('latest').addMethod('GET', echo, secured);
  const open = gateway.root.addResource('open');
  for (const method of ['GET', 'POST', 'PUT']) open.addMethod(method, echo);
  gateway.root.addResource('hasty').addMethod('GET', hasty);
  gateway.root.addResource('files').addResource('{path}').addMethod('GET', echo);
  const body = (code: string, message = '-'): Record<string, string> => ({
    'application/json': `{"error":"${code}","message":"${message}","details":[]}`,
  });
  gateway.addGatewayResponse('Default4xx', { type: ResponseType.DEFAULT_4XX, templates: body('INVALID_REQUEST') });
  gateway.addGatewayResponse('Default5xx', { type: ResponseType.DEFAULT_5XX, templates: body('INTERNAL_ERROR') });
  gateway.addGatewayResponse('Unauthorized', {
    type: ResponseType.UNAUTHORIZED,
    statusCode: '401',
    templates: body('UNAUTHORIZED'),
    responseHeaders: { 'WWW-Authenticate': "'Bearer'", 'x-request-id': 'context.requestId' },
  });
  gateway.addGatewayResponse('Denied', {
    type: ResponseType.ACCESS_DENIED,
    statusCode: '403',
    templates: body('FORBIDDEN_ERROR', '$context.authorizer.reason'),
  });
  gateway.addGatewayResponse('Unknown', {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    statusCode: '404',
    templates: body('NOT_FOUND'),
  });
}

/** With a stream the table has its ARN, which the type of the construct leaves open. */
type StreamedTable = TableV2 & { readonly tableStreamArn: string };

/** Long enough that a function notes each receive also on a slow machine. */
const deliverTimeout = Duration.seconds(4);

function queues(stack: Stack, table: StreamedTable, lambda: MakeFunction): void {
  const deadLetters = new Queue(stack, 'DeadLetters', { retentionPeriod: Duration.days(14) });
  const queue = new Queue(stack, 'Deliveries', {
    visibilityTimeout: deliverTimeout,
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
  });
  const discarded = new Queue(stack, 'Discarded');
  lambda('Deliver', 'deliver', deliverTimeout).addEventSource(
    new SqsEventSource(queue, { batchSize: 2, reportBatchItemFailures: true, maxConcurrency: 3 }),
  );
  lambda('Relay', 'relay', Duration.seconds(3)).addEventSource(
    new DynamoEventSource(table, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 10,
      bisectBatchOnError: true,
      retryAttempts: 1,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(discarded),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { NewImage: { entity: { S: FilterRule.or('DELIVERY', 'DELIVERY_SENDING') } } },
        }),
      ],
    }),
  );
}
