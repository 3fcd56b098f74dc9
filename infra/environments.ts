import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { EnvironmentName, EnvironmentSettings, OrderSettings, TokenSettings } from './settings.ts';

/**
 * The environments. What only the company knows (tenant, application, ISPB, hosts) stands here as `UNSET` values that
 * synthesize and let nobody in; `unsetValues` names those that are left, and a deployment warns of them.
 */

/** Directory (tenant) GUID of the Microsoft Entra tenant that issues the partners' tokens. */
const ENTRA_TENANT_ID = '00000000-0000-0000-0000-000000000000';

/** Application (client) GUID of the service's app registration, by environment: `aud` of version 2 tokens. */
const APPLICATION_IDS: Readonly<Record<Exclude<EnvironmentName, 'local'>, string>> = {
  dev: '00000000-0000-0000-0000-000000000000',
  hml: '00000000-0000-0000-0000-000000000000',
  prod: '00000000-0000-0000-0000-000000000000',
};

/** Host of the QR code locations, by environment. `.invalid` never resolves (RFC 2606). */
const PIX_HOSTS: Readonly<Record<EnvironmentName, string>> = {
  local: 'pix.example.com',
  dev: 'pix.dev.invalid',
  hml: 'pix.hml.invalid',
  prod: 'pix.invalid',
};

/** ISPB of the institution behind the service. */
const SERVICE_ISPB = '00000000';

const SAO_PAULO = 'sa-east-1';
const DAY_SECONDS = 86_400;

export const environments: Readonly<Record<EnvironmentName, EnvironmentSettings>> = {
  local: {
    name: 'local',
    functions: { architecture: 'arm64' },
    /** The issuer that the local environment brings itself; another one by the context of switches.ts. */
    tokens: {
      issuers: ['http://127.0.0.1:3000'],
      jwksUri: 'http://127.0.0.1:3000/discovery/v2.0/keys',
      audiences: ['api://app-order-hml'],
      scope: 'api://app-order-hml',
    },
    data: { protected: false, recoveryDays: 0, customerManagedKey: false },
    logs: { retention: RetentionDays.ONE_WEEK },
    api: { throttling: { rate: 10_000, burst: 5_000 }, ownsGatewayLogRole: false },
    deliveries: { retryDelaysSeconds: [1, 2, 4, 8], sweepGraceSeconds: 5, allowLocalTargets: true },
    orders: orders('local'),
    simulationTools: true,
    alarms: {},
  },
  dev: {
    name: 'dev',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('dev'),
    data: { protected: false, recoveryDays: 1, customerManagedKey: false, maxReadUnits: 4_000, maxWriteUnits: 4_000 },
    logs: { retention: RetentionDays.ONE_MONTH },
    api: {
      throttling: { rate: 100, burst: 200 },
      companyThrottling: { rate: 25, burst: 50 },
      firewallRate: 10_000,
      ownsGatewayLogRole: true,
    },
    deliveries: { retryDelaysSeconds: [60, 300, 900, 1800], sweepGraceSeconds: 300, allowLocalTargets: false },
    orders: orders('dev'),
    simulationTools: true,
    alarms: {},
  },
  hml: {
    name: 'hml',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('hml'),
    data: { protected: true, recoveryDays: 7, customerManagedKey: true, maxReadUnits: 10_000, maxWriteUnits: 10_000 },
    logs: { retention: RetentionDays.THREE_MONTHS },
    api: {
      throttling: { rate: 200, burst: 400 },
      companyThrottling: { rate: 50, burst: 100 },
      firewallRate: 20_000,
      ownsGatewayLogRole: true,
    },
    deliveries: { retryDelaysSeconds: [60, 300, 900, 1800], sweepGraceSeconds: 300, allowLocalTargets: false },
    orders: orders('hml'),
    simulationTools: true,
    alarms: {},
  },
  prod: {
    name: 'prod',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('prod'),
    data: { protected: true, recoveryDays: 35, customerManagedKey: true, maxReadUnits: 40_000, maxWriteUnits: 40_000 },
    logs: { retention: RetentionDays.ONE_YEAR },
    api: {
      throttling: { rate: 1_000, burst: 2_000 },
      companyThrottling: { rate: 100, burst: 200 },
      firewallRate: 60_000,
      ownsGatewayLogRole: true,
    },
    deliveries: { retryDelaysSeconds: [60, 300, 900, 1800], sweepGraceSeconds: 300, allowLocalTargets: false },
    orders: orders('prod'),
    simulationTools: false,
    alarms: {},
  },
};

/** Microsoft Entra's addresses: version 1 tokens are issued by sts.windows.net, version 2 by login.microsoftonline.com. */
function entraTokens(name: Exclude<EnvironmentName, 'local'>): TokenSettings {
  const scope = `api://app-order-${name}`;
  return {
    issuers: [
      `https://login.microsoftonline.com/${ENTRA_TENANT_ID}/v2.0`,
      `https://sts.windows.net/${ENTRA_TENANT_ID}/`,
    ],
    jwksUri: `https://login.microsoftonline.com/${ENTRA_TENANT_ID}/discovery/v2.0/keys`,
    audiences: [scope, APPLICATION_IDS[name]],
    scope,
  };
}

function orders(name: EnvironmentName): OrderSettings {
  return {
    ispb: SERVICE_ISPB,
    pixHost: PIX_HOSTS[name],
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: DAY_SECONDS,
    pixTransactionLimitCentavos: 1_500_000,
  };
}
