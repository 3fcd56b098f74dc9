import { Aws, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { truststoreKey } from '#infra/authorities.ts';
import { authoritiesBucketName, functionArn } from '#infra/aws/names.ts';
import { resourceName } from '#infra/resource-name.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { addCallerRole, calledFunction } from './called-functions.ts';
import { apiName } from './partner-api.ts';
import { addLogGroup } from './service-function.ts';

const receiver: WorkerName = 'receive-callbacks';

/**
 * The REST API that banks call. API Gateway's default address is disabled: requests come only by the domain in
 * `callbacks.domain`, which requires a client certificate. Paths contain a token, so no log and no trace has them.
 */
export class CallbackApi extends Construct {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id);
    const { callbacks, bankCallbacks } = settings;
    const api = new RestApi(this, 'Api', {
      restApiName: `${apiName(settings)}-callbacks`,
      description: `Banking order service, ${settings.name}: callbacks of banks`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      disableExecuteApiEndpoint: true,
      deployOptions: {
        stageName: settings.name,
        throttlingRateLimit: bankCallbacks.throttling.rate,
        throttlingBurstLimit: bankCallbacks.throttling.burst,
        // Traces and execution logs have the path.
        tracingEnabled: false,
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(addLogGroup(this, 'AccessLog', settings)),
        accessLogFormat: accessLogFormat(),
      },
    });
    const arn = functionArn(this, resourceName(settings, receiver));
    const integration = calledFunction(this, 'Receiver', { arn, role: addCallerRole(this, [arn]) });
    // A bank adds `/pix`, `/rec` or `/cobr` to the address that it was given; Efí tests the address itself.
    for (const path of ['/{token}', '/{token}/{list}']) api.root.resourceForPath(path).addMethod('POST', integration);
    if (callbacks?.authorities !== true) return;
    const authorities = addAuthorities(this, settings);
    if (callbacks.domain === undefined) return;
    const { hostName, certificateArn, truststoreVersion: version } = callbacks.domain;
    const domain = new DomainName(this, 'Domain', {
      domainName: hostName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      // CDK declares optional members that may be undefined, which its own interfaces do not allow.
      mtls: { bucket: authorities as IBucket, key: truststoreKey, ...(version !== undefined && { version }) },
    });
    domain.addBasePathMapping(api);
    new CfnOutput(Stack.of(this), 'CallbackAliasTarget', {
      description: `Host that the DNS record of ${hostName} points to`,
      value: domain.domainNameAliasDomainName,
    });
  }
}

/** Adds the bucket of the banks' authorities, versioned. `bank:truststore` writes the file before the domain exists. */
function addAuthorities(scope: Construct, settings: EnvironmentSettings): Bucket {
  const bucket = new Bucket(scope, 'Authorities', {
    bucketName: authoritiesBucketName(settings),
    versioned: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  new CfnOutput(Stack.of(scope), 'CallbackAuthorities', {
    description: 'Truststore of the domain that banks call',
    value: `s3://${bucket.bucketName}/${truststoreKey}`,
  });
  return bucket;
}

/** Grants `bank:truststore` and `bank:check` the file of authorities, and the domain that reads it. */
export function truststoreStatements({ callbacks, ...settings }: EnvironmentSettings): PolicyStatement[] {
  if (callbacks?.authorities !== true) return [];
  const bucket = `arn:${Aws.PARTITION}:s3:::${authoritiesBucketName(settings)}`;
  const file = { sid: 'Truststore', actions: ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'] };
  return [
    new PolicyStatement({ ...file, resources: [`${bucket}/${truststoreKey}`] }),
    // Without s3:ListBucket, S3 responds to a read of a missing file with 403 instead of 404.
    new PolicyStatement({ sid: 'NoTruststoreYet', actions: ['s3:ListBucket'], resources: [bucket] }),
    ...(callbacks.domain === undefined
      ? []
      : [callbackDomainStatement(callbacks.domain.hostName, ['apigateway:GET', 'apigateway:PATCH'])]),
  ];
}

/** Grants actions only on the domain that banks call. */
export function callbackDomainStatement(hostName: string, actions: string[]): PolicyStatement {
  const resource = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/domainnames/${hostName}`;
  return new PolicyStatement({ sid: 'CallbackDomain', actions, resources: [resource] });
}

/** Logs only route and outcome: the path has the token, and the subject of a certificate may name a person. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
      requestTime: AccessLogField.contextRequestTimeEpoch(),
      resourcePath: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      errorType: AccessLogField.contextErrorResponseType(),
      responseLatency: AccessLogField.contextResponseLatency(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
    }),
  );
}
