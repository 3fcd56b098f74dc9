import type { CircuitRules } from '#shared/domain/circuit.ts';
import type { KeyRules } from '#shared/domain/key-validation.ts';
import type {
  CodeSenders,
  DeliverySettings,
  EnvironmentName,
  EnvironmentSettings,
  OrderSettings,
  TokenSettings,
} from './settings.ts';

/**
 * The environments. What only the company knows stands here as values of `unknownYet`: they synthesize, let nobody in
 * and lead nowhere. A deployment to AWS warns of those that are left.
 */
const unknownYet = {
  guid: '00000000-0000-0000-0000-000000000000',
  /** `.invalid` never resolves (RFC 2606). */
  host: 'pix.unset.invalid',
  /** Well formed, and no institution's. */
  ispb: '99999999',
} as const;

/** Directory (tenant) GUID of the Microsoft Entra tenant that issues the partners' tokens. */
const entraTenantId = unknownYet.guid;

/** Application (client) GUID of the service's app registration, by environment: `aud` of version 2 tokens. */
const applicationIds: Readonly<Record<Exclude<EnvironmentName, 'local'>, string>> = {
  dev: unknownYet.guid,
  hml: unknownYet.guid,
  prod: unknownYet.guid,
};

/** Host of the locations inside QR codes, by environment. */
const pixHosts: Readonly<Record<EnvironmentName, string>> = {
  local: 'pix.example.com',
  dev: unknownYet.host,
  hml: unknownYet.host,
  prod: unknownYet.host,
};

/** Who sends the codes that confirm PIX keys, by environment. */
const codeSenders: Readonly<Record<Exclude<EnvironmentName, 'local'>, CodeSenders>> = {
  dev: { emailIdentity: unknownYet.host, emailFrom: `pix@${unknownYet.host}` },
  hml: { emailIdentity: unknownYet.host, emailFrom: `pix@${unknownYet.host}` },
  prod: { emailIdentity: unknownYet.host, emailFrom: `pix@${unknownYet.host}` },
};

/** ISPB of the institution behind the service. */
const serviceIspb = unknownYet.ispb;

const minuteSeconds = 60;
const daySeconds = 86_400;

/** Far above what a test with one broken receiver makes; probes after 1, 2, 4, … at most 15 minutes. */
const circuit: CircuitRules = {
  failures: 50,
  deliveries: 25,
  windowSeconds: 10 * minuteSeconds,
  timeouts: 10,
  probeDelaysSeconds: [60, 120, 240, 480, 900],
  giveUpSeconds: 5 * daySeconds,
};

/** As promised to partners, in every environment that they use. */
const deliveries: DeliverySettings = {
  retryDelaysSeconds: [60, 300, 900, 1800],
  circuit,
  maxConcurrency: 50,
  sweepGraceSeconds: 300,
  allowLocalTargets: false,
};

/** Waits of retries and probes on a developer's machine. */
const localDelaysSeconds = [1, 2, 4, 8] as const;

/** As promised to partners in every environment of theirs; the numbers of keys are those of the DICT. */
const keyRules: KeyRules = {
  codeValidSeconds: 30 * minuteSeconds,
  triesPerCode: 5,
  resendsPerValidation: 3,
  codesPerDay: 10,
  keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 },
};

const saoPaulo = 'sa-east-1';

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
    logs: { retention: 'ONE_WEEK', platform: 'every invocation' },
    api: { throttling: { rate: 10_000, burst: 5_000 }, ownsGatewayLogRole: false },
    deliveries: {
      retryDelaysSeconds: localDelaysSeconds,
      circuit: { ...circuit, probeDelaysSeconds: localDelaysSeconds },
      maxConcurrency: 50,
      sweepGraceSeconds: 5,
      allowLocalTargets: true,
    },
    orders: orders('local'),
    keys: { rules: keyRules },
    simulationTools: true,
    alarms: {},
  },
  dev: {
    name: 'dev',
    target: { region: saoPaulo },
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
    logs: { retention: 'ONE_MONTH', platform: 'every invocation' },
    api: {
      throttling: { rate: 100, burst: 200 },
      companyThrottling: { rate: 25, burst: 50 },
      firewallRate: 10_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('dev'),
    keys: { rules: keyRules, senders: codeSenders.dev },
    simulationTools: true,
    alarms: {},
  },
  hml: {
    name: 'hml',
    target: { region: saoPaulo },
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
    logs: { retention: 'THREE_MONTHS', platform: 'every invocation' },
    api: {
      throttling: { rate: 200, burst: 400 },
      companyThrottling: { rate: 50, burst: 100 },
      firewallRate: 20_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('hml'),
    keys: { rules: keyRules, senders: codeSenders.hml },
    simulationTools: true,
    alarms: {},
  },
  prod: {
    name: 'prod',
    target: { region: saoPaulo },
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
    logs: { retention: 'ONE_YEAR', platform: 'failures' },
    api: {
      throttling: { rate: 1_000, burst: 2_000 },
      companyThrottling: { rate: 100, burst: 200 },
      firewallRate: 60_000,
      ownsGatewayLogRole: true,
    },
    deliveries,
    orders: orders('prod'),
    keys: { rules: keyRules, senders: codeSenders.prod },
    simulationTools: false,
    alarms: {},
  },
};

/**
 * What only the company knows and nobody has said yet, in words, each with its setting. The local environment needs
 * nothing, and `dev` neither alarms nor an account or host name of its own.
 */
export function unsetValues({
  name,
  target,
  tokens,
  orders,
  keys,
  alarms,
  api,
}: EnvironmentSettings): readonly string[] {
  if (target === undefined) return [];
  const forPartners = name === 'hml' || name === 'prod';
  const unset = {
    'the tenant that issues tokens (entraTenantId)': tokens.jwksUri.includes(unknownYet.guid),
    'the application id in `aud` (applicationIds)': tokens.audiences.includes(unknownYet.guid),
    'the host of QR code locations (pixHosts)': orders.pixHost === unknownYet.host,
    'the ISPB of the institution (serviceIspb)': orders.ispb === unknownYet.ispb,
    'who sends confirmation codes (codeSenders)': keys.senders?.emailIdentity === unknownYet.host,
    'who is told of alarms (alarms.email or alarms.topicArn)':
      forPartners && alarms.email === undefined && alarms.topicArn === undefined,
    'the AWS account (target.account), so that credentials of another one are refused':
      forPartners && target.account === undefined,
    'a host name of your own (api.domain), which outlives the API that partners call':
      forPartners && api.domain === undefined,
  };
  return Object.entries(unset).flatMap(([what, missing]) => (missing ? [what] : []));
}

/**
 * Microsoft Entra's addresses: version 1 tokens are issued by sts.windows.net, version 2 by login.microsoftonline.com.
 */
function entraTokens(name: Exclude<EnvironmentName, 'local'>): TokenSettings {
  const scope = `api://app-order-${name}`;
  return {
    issuers: [`https://login.microsoftonline.com/${entraTenantId}/v2.0`, `https://sts.windows.net/${entraTenantId}/`],
    jwksUri: `https://login.microsoftonline.com/${entraTenantId}/discovery/v2.0/keys`,
    audiences: [scope, applicationIds[name]],
    scope,
  };
}

function orders(name: EnvironmentName): OrderSettings {
  return {
    ispb: serviceIspb,
    pixHost: pixHosts[name],
    pixCity: 'SAO PAULO',
    firstChargeExpiresSeconds: daySeconds,
    pixTransactionLimitCentavos: 1_500_000,
    // Elsewhere at once and for today too, so that the rules of the settlement date can be tried.
    schedule: name === 'prod' ? { minDaysAhead: 2, releaseDaysBefore: 10 } : { minDaysAhead: 0 },
  };
}
