import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { StageOptions } from 'aws-cdk-lib/aws-apigateway';
import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';
import type { EnvironmentSettings, Rate } from '../settings.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { endingLogGroup } from './log-group.ts';

/** One JSON Web Token behind the scheme `Bearer`, in any case (RFC 9110 11.1); the rest is refused before a function runs. */
const BEARER = '^[Bb][Ee][Aa][Rr][Ee][Rr] +[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$';

export type Endpoint = { readonly route: Route; readonly function: IFunction };

export type PartnerApiProps = {
  readonly settings: EnvironmentSettings;
  readonly authorizer: IFunction;
  readonly endpoints: readonly Endpoint[];
};

/** The REST API that partners call: a method an endpoint, each behind the authorizer. */
export class PartnerApi extends Construct {
  readonly api: RestApi;
  /** As the firewall wants it. */
  readonly stageArn: string;

  constructor(scope: Construct, id: string, props: PartnerApiProps) {
    super(scope, id);
    const { settings } = props;
    const { api: own } = settings;
    const accessLog = endingLogGroup(this, 'AccessLog', settings);
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
    // API Gateway would make this group by itself, without an end.
    const errorLog = `API-Gateway-Execution-Logs_${this.api.restApiId}/${settings.name}`;
    this.api.deploymentStage.node.addDependency(endingLogGroup(this, 'ErrorLog', settings, errorLog));
    addGatewayResponses(this.api);
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler: props.authorizer,
      validationRegex: BEARER,
      resultsCacheTtl: Duration.seconds(60),
    });
    for (const endpoint of props.endpoints)
      addMethod(this.api, authorizer, endpoint, own.companyThrottling !== undefined);
    if (own.companyThrottling !== undefined) companyPlan(this.api, own.companyThrottling);
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
    metricsEnabled: true,
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

/** Each company its own bucket of requests. Onboarding adds an API key to the plan, and its value to the company's clients. */
function companyPlan(api: RestApi, { rate, burst }: Rate): void {
  const plan = api.addUsagePlan('Companies', {
    description: 'Requests of one company',
    throttle: { rateLimit: rate, burstLimit: burst },
    apiStages: [{ stage: api.deploymentStage }],
  });
  new CfnOutput(Stack.of(api), 'CompanyPlanId', { value: plan.usagePlanId });
}
