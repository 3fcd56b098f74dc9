import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { StageOptions } from 'aws-cdk-lib/aws-apigateway';
import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  AuthorizationType,
  DomainName,
  EndpointType,
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
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import { Construct } from 'constructs';
import type { Route } from '#functions/routes.ts';
import type { DomainSettings, EnvironmentSettings, Rate } from '#infra/settings.ts';
import { addCallerRole, calledFunction } from './called-functions.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addLogGroup } from './service-function.ts';

export type Endpoint = { readonly route: Route; readonly function: IFunction };

/** Name of an environment's API, in metrics too. */
export function apiName({ name }: Pick<EnvironmentSettings, 'name'>): string {
  return `banking-order-${name}`;
}

type PartnerApiProps = {
  readonly settings: EnvironmentSettings;
  readonly authorizer: IFunction;
  readonly endpoints: readonly Endpoint[];
};

/** The REST API of the partners: one method per endpoint, each with the authorizer. */
export class PartnerApi extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, props: PartnerApiProps) {
    super(scope, id);
    const { settings } = props;
    const { domain, companyThrottling, ownsGatewayLogRole } = settings.api;
    const accessLog = addLogGroup(this, 'AccessLog', settings);
    this.api = new RestApi(this, 'Api', {
      restApiName: apiName(settings),
      description: `Banking order service, ${settings.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: ownsGatewayLogRole,
      disableExecuteApiEndpoint: domain !== undefined,
      ...(companyThrottling !== undefined && { apiKeySourceType: ApiKeySourceType.AUTHORIZER }),
      deployOptions: stageOptions(settings, accessLog),
    });
    // API Gateway would create this group itself, with entries that never expire.
    const errorLog = `API-Gateway-Execution-Logs_${this.api.restApiId}/${settings.name}`;
    this.api.deploymentStage.node.addDependency(addLogGroup(this, 'ErrorLog', settings, errorLog));
    addGatewayResponses(this.api, settings.api);
    // No validation expression: API Gateway would respond to a token that does not match as if there were no token.
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler: props.authorizer,
      resultsCacheTtl: Duration.seconds(60),
    });
    const called = props.endpoints.map(({ route, function: lambda }) => ({ route, arn: lambda.functionArn }));
    const role = addCallerRole(
      this,
      called.map(({ arn }) => arn),
    );
    for (const { route, arn } of called) {
      const { method, path, operationId } = route.contract;
      const integration = calledFunction(this, operationId, { arn, role });
      this.api.root.resourceForPath(path).addMethod(method, integration, {
        authorizer,
        authorizationType: AuthorizationType.CUSTOM,
        // The authorizer names the key: callers never see it.
        apiKeyRequired: companyThrottling !== undefined,
        operationName: operationId,
      });
    }
    if (companyThrottling !== undefined) addCompanyPlan(this.api, companyThrottling);
    addSamplingRule(this, settings);
  }
}

function stageOptions(settings: EnvironmentSettings, accessLog: LogGroup): StageOptions {
  const { throttling } = settings.api;
  return {
    stageName: settings.name,
    throttlingRateLimit: throttling.rate,
    throttlingBurstLimit: throttling.burst,
    tracingEnabled: true,
    // Metrics of methods cost money; the service has its own by operation.
    metricsEnabled: false,
    // Bodies and headers hold documents and tokens: no log may have them.
    dataTraceEnabled: false,
    loggingLevel: MethodLoggingLevel.ERROR,
    accessLogDestination: new LogGroupLogDestination(accessLog),
    accessLogFormat: accessLogFormat(),
  };
}

/** Caller, route and outcome, without path, address, user agent and query. */
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
      refusal: AccessLogField.contextAuthorizer('refusal'),
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

/** Adds the rule that samples requests at API Gateway and in their functions. Lambda's own samples take no rule. */
function addSamplingRule(scope: Construct, { name, api }: EnvironmentSettings): void {
  if (api.traces === undefined) return;
  const { perSecond, share } = api.traces;
  new CfnSamplingRule(scope, 'Sampling', {
    samplingRule: {
      ruleName: apiName({ name }),
      version: 1,
      // Before X-Ray's own rule, which is the last.
      priority: 1000,
      serviceType: 'AWS::ApiGateway::Stage',
      serviceName: `${apiName({ name })}/${name}`,
      reservoirSize: perSecond,
      fixedRate: share,
      host: '*',
      httpMethod: '*',
      urlPath: '*',
      resourceArn: '*',
    },
  });
}

/** Throttles each company by itself: onboarding adds its API key to the plan, and the key's value to its clients. */
function addCompanyPlan(api: RestApi, { rate, burst }: Rate): void {
  const plan = api.addUsagePlan('Companies', {
    description: 'Requests of one company',
    throttle: { rateLimit: rate, burstLimit: burst },
    apiStages: [{ stage: api.deploymentStage }],
  });
  new CfnOutput(Stack.of(api), 'CompanyPlanId', { value: plan.usagePlanId });
}

/** The API at an own host name, optionally with client certificates (mutual TLS). */
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
  if (bucketName === undefined || key === undefined)
    throw new Error(`Invalid S3 address of a file (s3://bucket/key): ${address}`);
  return { bucket: Bucket.fromBucketName(scope, 'Authorities', bucketName), key };
}
