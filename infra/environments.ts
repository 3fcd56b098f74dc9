import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type {
  DeliverySettings,
  EnvironmentName,
  EnvironmentSettings,
  OrderSettings,
  TokenSettings,
} from './settings.ts';

/**
 * The environments. What only the company knows stands here as values of `UNSET`: they synthesize, let nobody in and lead
 * nowhere. A deployment to AWS warns of those that are left.
 */
const UNSET = {
  guid: '00000000-0000-0000-0000-000000000000',
  /** `.invalid` never resolves (RFC 2606). */
  host: 'pix.unset.invalid',
  /** Well formed, and no institution's. */
  ispb: '99999999',
} as const;

/** Directory (tenant) GUID of the Microsoft Entra tenant that issues the partners' tokens. */
const ENTRA_TENANT_ID = UNSET.guid;

/** Application (client) GUID of the service's app registration, by environment: `aud` of version 2 tokens. */
const APPLICATION_IDS: Readonly<Record<Exclude<EnvironmentName, 'local'>, string>> = {
  dev: UNSET.guid,
  hml: UNSET.guid,
  prod: UNSET.guid,
};

/** Host of the locations inside QR codes, by environment. */
const PIX_HOSTS: Readonly<Record<EnvironmentName, string>> = {
  local: 'pix.example.com',
  dev: UNSET.host,
  hml: UNSET.host,
  prod: UNSET.host,
};

/** ISPB of the institution behind the service. */
const SERVICE_ISPB = UNSET.ispb;

/** As promised to partners in every environment of theirs. */
const deliveries: DeliverySettings = {
  retryDelaysSeconds: [60, 300, 900, 1800],
  maxConcurrency: 50,
  sweepGraceSeconds: 300,
  allowLocalTargets: false,
};

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
    data: { protected: false, recoveryDays: 0, customerManagedKey: false, hotKeys: false },
    logs: { retention: RetentionDays.ONE_WEEK },
    api: { throttling: { rate: 10_000, burst: 5_000 }, ownsGatewayLogRole: false },
    deliveries: { retryDelaysSeconds: [1, 2, 4, 8], maxConcurrency: 50, sweepGraceSeconds: 5, allowLocalTargets: true },
    orders: orders('local'),
    simulationTools: true,
    alarms: {},
  },
  dev: {
    name: 'dev',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('dev'),
    data: {
      protected: false,
      recoveryDays: 1,
      customerManagedKey: false,
      hotKeys: true,
      maxReadUnits: 4_000,
      maxWriteUnits: 4_000,
    },
    logs: { retention: RetentionDays.ONE_MONTH },
    api: {
      throttling: { rate: 100, burst: 200 },
      companyThrottling: { rate: 25, burst: 50 },
      firewallRate: 10_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('dev'),
    simulationTools: true,
    alarms: {},
  },
  hml: {
    name: 'hml',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('hml'),
    data: {
      protected: true,
      recoveryDays: 7,
      customerManagedKey: true,
      hotKeys: true,
      maxReadUnits: 10_000,
      maxWriteUnits: 10_000,
    },
    logs: { retention: RetentionDays.THREE_MONTHS },
    api: {
      throttling: { rate: 200, burst: 400 },
      companyThrottling: { rate: 50, burst: 100 },
      firewallRate: 20_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('hml'),
    simulationTools: true,
    alarms: {},
  },
  prod: {
    name: 'prod',
    target: { region: SAO_PAULO },
    functions: { architecture: 'arm64' },
    tokens: entraTokens('prod'),
    data: {
      protected: true,
      recoveryDays: 35,
      customerManagedKey: true,
      hotKeys: true,
      maxReadUnits: 40_000,
      maxWriteUnits: 40_000,
    },
    logs: { retention: RetentionDays.ONE_YEAR },
    api: {
      throttling: { rate: 1_000, burst: 2_000 },
      companyThrottling: { rate: 100, burst: 200 },
      firewallRate: 60_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('prod'),
    simulationTools: false,
    alarms: {},
  },
};

/** Which values only the company knows are still unset, in words. The local environment needs none. */
export function unsetValues({ target, tokens, orders }: EnvironmentSettings): readonly string[] {
  if (target === undefined) return [];
  const unset = {
    'the tenant that issues tokens': tokens.jwksUri.includes(UNSET.guid),
    'the application id in `aud`': tokens.audiences.includes(UNSET.guid),
    'the host of QR code locations': orders.pixHost === UNSET.host,
    'the ISPB of the institution': orders.ispb === UNSET.ispb,
  };
  return Object.entries(unset).flatMap(([name, missing]) => (missing ? [name] : []));
}

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
