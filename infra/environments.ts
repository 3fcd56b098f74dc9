import type { Settings } from '#shared/platform/settings.ts';
import type { CodeSenders, EnvironmentName, EnvironmentSettings } from './settings.ts';
import { unset } from './unset-values.ts';

/* What only the company knows is `unset` until somebody sets it: such an environment is not fit for partners. */

/** Directory (tenant) GUID of the Microsoft Entra tenant that issues the partners' tokens. */
const entraTenantId = unset('entraTenantId', 'the tenant that issues tokens');

/** Application (client) GUID of the service's app registration, by environment: `aud` of version 2 tokens. */
const applicationIds: Readonly<Record<Exclude<EnvironmentName, 'local'>, string>> = {
  dev: unset('applicationIds.dev', 'the application id, `aud` of tokens'),
  hml: unset('applicationIds.hml', 'the application id, `aud` of tokens'),
  prod: unset('applicationIds.prod', 'the application id, `aud` of tokens'),
};

/** Host of the locations inside QR codes, by environment. */
const pixHosts: Readonly<Record<EnvironmentName, string>> = {
  local: 'pix.example.com',
  dev: unset('pixHosts.dev', 'the host of QR code locations'),
  hml: unset('pixHosts.hml', 'the host of QR code locations'),
  prod: unset('pixHosts.prod', 'the host of QR code locations'),
};

/** Who sends the codes that confirm PIX keys, and to whom, by environment. */
const codeSenders: Readonly<Record<Exclude<EnvironmentName, 'local'>, CodeSenders>> = {
  dev: unsetSender('codeSenders.dev', []),
  hml: unsetSender('codeSenders.hml', []),
  prod: unsetSender('codeSenders.prod', 'ANYONE'),
};

/** ISPB of the institution behind the service. The placeholder is well formed, and no institution's. */
const serviceIspb = unset('serviceIspb', 'the ISPB of the institution', '99999999');

const minuteSeconds = 60;
const daySeconds = 86_400;

/** Far above what a test with one broken receiver makes; probes after 1, 2, 4, … at most 15 minutes. */
const circuit: Settings['deliveries']['circuit'] = {
  failures: 50,
  deliveries: 25,
  windowSeconds: 10 * minuteSeconds,
  timeouts: 10,
  probeDelaysSeconds: [60, 120, 240, 480, 900],
  disableAfterSeconds: 5 * daySeconds,
};

/** As promised to partners, in every environment that they use. */
const deliveries: Settings['deliveries'] = {
  retryDelaysSeconds: [60, 300, 900, 1800],
  circuit,
  maxConcurrency: 50,
  sweepGraceSeconds: 300,
  allowLocalTargets: false,
};

/** Waits of retries and probes on a developer's machine. */
const localDelaysSeconds = [1, 2, 4, 8] as const;

/** As promised to partners in every environment of theirs; the numbers of keys are those of the DICT. */
const keyRules: Settings['keys']['rules'] = {
  codeValidSeconds: 30 * minuteSeconds,
  triesPerCode: 5,
  resendsPerValidation: 3,
  codesPerDay: 10,
  codesPerAddressAndDay: 10,
  phonesAbroad: false,
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
    // Tests and tours ask again and again, for the same accounts, on one day.
    keys: { rules: { ...keyRules, codesPerDay: 1_000, codesPerAddressAndDay: 20 } },
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
 * Microsoft Entra's addresses: version 1 tokens are issued by sts.windows.net, version 2 by login.microsoftonline.com.
 */
function entraTokens(name: Exclude<EnvironmentName, 'local'>): Settings['tokens'] {
  const scope = `api://app-order-${name}`;
  return {
    issuers: [`https://login.microsoftonline.com/${entraTenantId}/v2.0`, `https://sts.windows.net/${entraTenantId}/`],
    jwksUri: `https://login.microsoftonline.com/${entraTenantId}/discovery/v2.0/keys`,
    audiences: [scope, applicationIds[name]],
    scope,
  };
}

function orders(name: EnvironmentName): Settings['orders'] {
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

function unsetSender(setting: string, recipients: CodeSenders['recipients']): CodeSenders {
  const host = unset(setting, 'who sends confirmation codes');
  return { emailIdentity: host, emailFrom: `pix@${host}`, recipients };
}
