import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { StageOptions } from 'aws-cdk-lib/aws-apigateway';
import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  AuthorizationType,
  DomainName,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Route } from '#functions/routes.ts';
import type { DomainSettings, EnvironmentSettings, Rate } from '#infra/settings.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addLogGroup } from './service-function.ts';

/**
 * One JSON Web Token behind the scheme `Bearer`, in any case (RFC 9110 11.1); the rest is refused before a function
 * runs.
 */
const bearer = '^[Bb][Ee][Aa][Rr][Ee][Rr] +[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$';

export type Endpoint = { readonly route: Route; readonly function: IFunction };

type PartnerApiProps = {
  readonly settings: EnvironmentSettings;
  readonly authorizer: IFunction;
  readonly endpoints: readonly Endpoint[];
};

/** The REST API that partners call: a method an endpoint, each behind the authorizer. */
export class PartnerApi extends Construct {
  readonly api: RestApi;
  /** For the firewall. */
  readonly stageArn: string;

  constructor(scope: Construct, id: string, props: PartnerApiProps) {
    super(scope, id);
    const { settings } = props;
    const { api: own } = settings;
    const accessLog = addLogGroup(this, 'AccessLog', settings);
    this.api = new RestApi(this, 'Api', {
      restApiName: `banking-order-${settings.name}`,
      description: `Banking order service, ${settings.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: own.ownsGatewayLogRole,
      disableExecuteApiEndpoint: own.domain !== undefined,
      ...(own.companyThrottling !== undefined && { apiKeySourceType: ApiKeySourceType.AUTHORIZER }),
      deployOptions: stageOptions(settings, accessLog),
    });
    this.stageArn = this.api.deploymentStage.stageArn;
    // API Gateway would make this group itself, with entries that never expire.
    const errorLog = `API-Gateway-Execution-Logs_${this.api.restApiId}/${settings.name}`;
    this.api.deploymentStage.node.addDependency(addLogGroup(this, 'ErrorLog', settings, errorLog));
    addGatewayResponses(this.api);
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler: props.authorizer,
      validationRegex: bearer,
      resultsCacheTtl: Duration.seconds(60),
    });
    for (const endpoint of props.endpoints)
      addMethod(this.api, authorizer, endpoint, own.companyThrottling !== undefined);
    if (own.companyThrottling !== undefined) addCompanyPlan(this.api, own.companyThrottling);
  }
}

function addMethod(api: RestApi, authorizer: TokenAuthorizer, endpoint: Endpoint, counted: boolean): void {
  const { method, path, operationId } = endpoint.route.contract;
  api.root
    .resourceForPath(path)
    .addMethod(method, new LambdaIntegration(endpoint.function, { allowTestInvoke: false }), {
      authorizer,
      authorizationType: AuthorizationType.CUSTOM,
      // The key comes from the authorizer: callers never see it.
      apiKeyRequired: counted,
      operationName: operationId,
    });
}

function stageOptions(settings: EnvironmentSettings, accessLog: LogGroup): StageOptions {
  const { throttling } = settings.api;
  return {
    stageName: settings.name,
    throttlingRateLimit: throttling.rate,
    throttlingBurstLimit: throttling.burst,
    tracingEnabled: true,
    // Each metric of a method is paid for; the service's own tell the same by operation.
    metricsEnabled: false,
    // Bodies and headers hold documents and tokens: they are never logged.
    dataTraceEnabled: false,
    loggingLevel: MethodLoggingLevel.ERROR,
    accessLogDestination: new LogGroupLogDestination(accessLog),
    accessLogFormat: accessLogFormat(),
  };
}

/** Who called what and how it went: the route, not the path; no address, no user agent, no query. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
      requestTime: AccessLogField.contextRequestTimeEpoch(),
      httpMethod: AccessLogField.contextHttpMethod(),
      resourcePath: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      companyId: AccessLogField.contextAuthorizer('companyId'),
      clientId: AccessLogField.contextAuthorizer('clientId'),
      errorType: AccessLogField.contextErrorResponseType(),
      responseLength: AccessLogField.contextResponseLength(),
      responseLatency: AccessLogField.contextResponseLatency(),
      integrationLatency: AccessLogField.contextIntegrationLatency(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
      authorizerLatency: AccessLogField.contextAuthorizerIntegrationLatency(),
      firewallStatus: AccessLogField.contextWafResponseCode(),
      traceId: AccessLogField.contextXrayTraceId(),
    }),
  );
}

/**
 * Gives each company its own bucket of requests. Onboarding adds an API key to the plan, and its value to the company's
 * clients.
 */
function addCompanyPlan(api: RestApi, { rate, burst }: Rate): void {
  const plan = api.addUsagePlan('Companies', {
    description: 'Requests of one company',
    throttle: { rateLimit: rate, burstLimit: burst },
    apiStages: [{ stage: api.deploymentStage }],
  });
  new CfnOutput(Stack.of(api), 'CompanyPlanId', { value: plan.usagePlanId });
}

/** The API under a host name of the company, with client certificates if it asks for them. */
export class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, props: { settings: DomainSettings; api: RestApi }) {
    super(scope, id);
    const { hostName, certificateArn, clientAuthorities } = props.settings;
    const domain = new DomainName(this, 'Domain', {
      domainName: hostName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(clientAuthorities !== undefined && { mtls: trustStore(this, clientAuthorities) }),
    });
    domain.addBasePathMapping(props.api);
    new CfnOutput(Stack.of(this), 'DomainAliasTarget', {
      description: `Host that the DNS record of ${hostName} points to`,
      value: domain.domainNameAliasDomainName,
    });
  }
}

/** @throws Error when the address is not `s3://bucket/key`. */
function trustStore(scope: Construct, address: string) {
  const [, bucketName, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? [];
  if (bucketName === undefined || key === undefined) throw new Error(`Not an S3 address of a file: ${address}`);
  return { bucket: Bucket.fromBucketName(scope, 'Authorities', bucketName), key };
}
