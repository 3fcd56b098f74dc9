import type { Settings } from '#shared/platform/settings.ts';
import { productionWindow } from '#shared/scheduled-payments/window.ts';
import type { CodeSenders, EnvironmentName, EnvironmentSettings } from './settings.ts';
import { unset } from './unset-values.ts';

/* The company must set each `unset` value before partners use the environment. */

/** GUID of the Microsoft Entra tenant that issues the partners' tokens. */
const entraTenantId = unset('entraTenantId', 'the tenant that issues tokens');

/** Application (client) GUID of the service's app registration: `aud` of version 2 tokens. */
const applicationIds: Readonly<Record<AwsName, string>> = {
  dev: unset('applicationIds.dev', 'the application id, `aud` of tokens'),
  hml: unset('applicationIds.hml', 'the application id, `aud` of tokens'),
  prod: unset('applicationIds.prod', 'the application id, `aud` of tokens'),
};

/** Host of the locations inside QR codes. */
const pixHosts: Readonly<Record<EnvironmentName, string>> = {
  local: 'pix.example.com',
  dev: unset('pixHosts.dev', 'the host of QR code locations'),
  hml: unset('pixHosts.hml', 'the host of QR code locations'),
  prod: unset('pixHosts.prod', 'the host of QR code locations'),
};

/** Senders and recipients of the codes that confirm PIX keys. */
const codeSenders: Readonly<Record<AwsName, CodeSenders>> = {
  dev: unsetSender('codeSenders.dev', []),
  hml: unsetSender('codeSenders.hml', []),
  prod: unsetSender('codeSenders.prod', 'ANYONE'),
};

/** Where partners read docs/errors.md, up to the code at the end of an address. */
const errorPages = unset('errorPages', 'the address of the pages of errors', 'https://errorpages.unset.invalid/');

/** ISPB of the institution. The placeholder is well formed and belongs to no institution. */
const serviceIspb = unset('serviceIspb', 'the ISPB of the institution', '99999999');

const minuteSeconds = 60;
const daySeconds = 86_400;

/** Limits of a circuit, far above the failures of a test with one broken receiver. */
const circuit: Settings['deliveries']['circuit'] = {
  failures: 50,
  deliveries: 25,
  windowSeconds: 10 * minuteSeconds,
  timeouts: 10,
  probeDelaysSeconds: [60, 120, 240, 480, 900],
  disableAfterSeconds: 5 * daySeconds,
};

/** Promised to partners, in every environment on AWS. */
const deliveries: Settings['deliveries'] = {
  retryDelaysSeconds: [60, 300, 900, 1800],
  circuit,
  maxConcurrency: 50,
  // With the 14 calls before a burst shows, and the first 16 of a drain, fewer than 60 to a host that hangs.
  companyShare: 28,
  maxDrains: 100,
  // A fifth and two fifths of the calls that the notifiers can have open: 50 receives of 5 deliveries.
  callsAtOnce: { perEndpoint: 50, perCompany: 100 },
  sweepGraceSeconds: 300,
  allowLocalTargets: false,
};

/** The queue takes callbacks, and the lists recover refused ones. 1 000 a second: docs/scale.md. */
const bankCallbacks: Settings['bankCallbacks'] = {
  throttling: { rate: 200, burst: 400 },
  readers: 10,
  idsAMinute: 10_000,
};

/** Roots of simulated money. */
const rootsOfTests: EnvironmentSettings['data']['rootsKept'] = { from: 'ROLES_WITHOUT_BYPASS', days: 1 };

const statements: Settings['statements'] = { collectSeconds: 20, closesAfterSeconds: 180 };

const localDelaysSeconds = [1, 2, 4, 8] as const;

/** Promised to partners, in every environment on AWS; `keysPerAccount` is the limit of the DICT. */
const keyRules: Settings['keys']['rules'] = {
  codeValidSeconds: 30 * minuteSeconds,
  triesPerCode: 5,
  resendsPerValidation: 3,
  codesPerDay: 10,
  codesPerAddressAndDay: 10,
  phonesAbroad: false,
  keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 },
};

/**
 * Functions whose new versions take over gradually. Each one needs resources of the service stack, which the simulation
 * tools nearly fill in `hml`: there only one function of a queue and one of the API rehearse.
 */
const canaries: Readonly<Record<'hml' | 'prod', NonNullable<EnvironmentSettings['functions']['canary']>>> = {
  hml: { pace: 'CANARY_10PERCENT_5MINUTES', functions: ['deliver-notification', 'createPayout'] },
  prod: {
    pace: 'CANARY_10PERCENT_5MINUTES',
    functions: [
      'deliver-notification',
      'authorizer',
      'submit-payouts',
      'submit-commands',
      'createPayout',
      'refundPayIn',
    ],
  },
};

/**
 * Concurrent executions that AWS gives an account. Workers of the queues use as many as their settings allow, requests
 * use the rest.
 */
const executions = 1_000;

/** Half of the executions of an account. An authorizer takes milliseconds, a payout the time of its bank. */
const reserved: NonNullable<EnvironmentSettings['functions']['reserved']> = {
  authorizer: 100,
  createPayout: 300,
  'deliver-notification': deliveries.maxConcurrency,
  'drain-backlogs': deliveries.maxDrains,
};

export const environments: Readonly<Record<EnvironmentName, EnvironmentSettings>> = {
  local: {
    name: 'local',
    functions: { architecture: 'arm64', executions },
    /** The local environment's own issuer; the context of switches.ts names another one. */
    tokens: {
      issuers: ['http://127.0.0.1:3000'],
      jwksUri: 'http://127.0.0.1:3000/discovery/v2.0/keys',
      audiences: ['api://app-order-hml'],
      scope: 'api://app-order-hml',
    },
    data: { protected: false, recoveryDays: 0, customerManagedKey: false, hotKeys: false, rootsKept: rootsOfTests },
    logs: { retention: 'ONE_WEEK', platform: 'every invocation' },
    // The API reference of the local environment has them, at any port.
    api: { errorPages: '/docs/errors/', throttling: { rate: 10_000, burst: 5_000 }, ownsGatewayLogRole: false },
    deliveries: {
      ...deliveries,
      retryDelaysSeconds: localDelaysSeconds,
      circuit: { ...circuit, probeDelaysSeconds: localDelaysSeconds },
      sweepGraceSeconds: 5,
      allowLocalTargets: true,
    },
    bankCallbacks,
    orders: orders('local'),
    statements: { collectSeconds: 0, closesAfterSeconds: 10 },
    // Tests and tours repeat requests for the same accounts on one day.
    keys: { rules: { ...keyRules, codesPerDay: 1_000, codesPerAddressAndDay: 20 } },
    simulationTools: true,
    alarms: {},
  },
  dev: {
    ...onAws('dev'),
    simulationTools: true,
    data: {
      protected: false,
      recoveryDays: 1,
      customerManagedKey: true,
      hotKeys: true,
      rootsKept: rootsOfTests,
      maxReadUnits: 4_000,
      maxWriteUnits: 4_000,
    },
    logs: { retention: 'ONE_MONTH', platform: 'every invocation' },
    api: {
      errorPages,
      throttling: { rate: 100, burst: 200 },
      companyThrottling: { rate: 25, burst: 50 },
      firewallRate: 10_000,
      ownsGatewayLogRole: true,
    },
  },
  hml: {
    ...onAws('hml'),
    simulationTools: true,
    data: {
      protected: true,
      recoveryDays: 7,
      customerManagedKey: true,
      hotKeys: true,
      rootsKept: rootsOfTests,
      maxReadUnits: 10_000,
      maxWriteUnits: 10_000,
    },
    logs: { retention: 'THREE_MONTHS', platform: 'every invocation' },
    api: {
      errorPages,
      throttling: { rate: 200, burst: 400 },
      companyThrottling: { rate: 50, burst: 100 },
      firewallRate: 20_000,
      traces: { perSecond: 0, share: 0.1 },
      ownsGatewayLogRole: true,
    },
  },
  prod: {
    ...onAws('prod'),
    simulationTools: false,
    data: {
      protected: true,
      recoveryDays: 35,
      customerManagedKey: true,
      hotKeys: true,
      // Ten years: as long as a bank keeps the papers of a payment.
      rootsKept: { from: 'EVERYONE', days: 3_650 },
      maxReadUnits: 40_000,
      maxWriteUnits: 40_000,
    },
    logs: { retention: 'ONE_YEAR', platform: 'failures' },
    api: {
      errorPages,
      throttling: { rate: 1_000, burst: 2_000 },
      companyThrottling: { rate: 100, burst: 200 },
      firewallRate: 60_000,
      traces: { perSecond: 0, share: 0.05 },
      ownsGatewayLogRole: true,
    },
  },
};

type AwsName = Exclude<EnvironmentName, 'local'>;

/** Returns the settings that all environments on AWS share. */
function onAws(name: AwsName): Omit<EnvironmentSettings, 'data' | 'logs' | 'api' | 'simulationTools'> {
  return {
    name,
    target: { region: 'sa-east-1' },
    functions: {
      architecture: 'arm64',
      executions,
      ...(name !== 'dev' && { canary: canaries[name] }),
      // Otherwise a partner's first call waits for the starts of both functions, one after the other.
      ...(name === 'prod' && { provisioned: { authorizer: 1, createPayout: 1 }, reserved }),
    },
    tokens: entraTokens(name),
    deliveries,
    bankCallbacks,
    orders: orders(name),
    statements,
    keys: { rules: keyRules, senders: codeSenders[name] },
    alarms: { monthlyDollars: { account: name === 'prod' ? 1_000 : 200, messages: 1 } },
  };
}

/** Microsoft Entra: sts.windows.net issues version 1 tokens, login.microsoftonline.com version 2. */
function entraTokens(name: AwsName): Settings['tokens'] {
  const scope = `api://app-order-${name}`;
  const login = `https://login.microsoftonline.com/${entraTenantId}`;
  return {
    issuers: [`${login}/v2.0`, `https://sts.windows.net/${entraTenantId}/`],
    jwksUri: `${login}/discovery/v2.0/keys`,
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
    // Elsewhere payments go to the bank immediately and may be due today: partners can try the settlement date's rules.
    schedule: name === 'prod' ? productionWindow : { minDaysAhead: 0 },
  };
}

function unsetSender(setting: string, recipients: CodeSenders['recipients']): CodeSenders {
  const host = unset(setting, 'the sender domain of confirmation codes');
  return { emailFrom: `pix@${host}`, recipients };
}
