import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from '#shared/platform/settings.ts';

/** The environments. Their settings are in environments.ts; nothing here is a secret. */
export type EnvironmentName = 'local' | 'dev' | 'hml' | 'prod';

/** Settings of the functions, and settings that only the stacks use. */
export type EnvironmentSettings = Settings & {
  readonly name: EnvironmentName;
  /** Where the environment may be deployed. Absent: any account and region, as in an emulator. */
  readonly target?: {
    /** AWS account, 12 digits. If set, a deployment with credentials of another account fails. */
    readonly account?: string;
    readonly region: string;
  };
  readonly functions: FunctionSettings;
  readonly data: DataSettings;
  readonly logs: LogSettings;
  readonly api: ApiSettings;
  /** Where banks send callbacks. Absent: no bank can send any, and the service only reads the lists. */
  readonly callbacks?: CallbackSettings;
  /** Routes under /order-tools, which force states and dates. Never in production. */
  readonly simulationTools: boolean;
  readonly alarms: AlarmSettings;
  /** A synthetic caller from outside, every five minutes, as a company of its own. Absent: none. */
  readonly caller?: CallerSettings;
  /** Releases by GitHub Actions, with roles that can only release. Absent: people deploy as administrators. */
  readonly pipeline?: PipelineSettings;
};

export type PipelineSettings = {
  /** The GitHub repository, as `owner/name`. */
  readonly repository: string;
};

export type CallerSettings = {
  /** ARN of the secret in AWS Secrets Manager, as docs/deployment.md shows it. */
  readonly secretArn: string;
};

type FunctionSettings = {
  /** `arm64` is cheaper on AWS; an emulator runs what its machine has. */
  readonly architecture: 'arm64' | 'x86_64';
  /**
   * Instances that run before requests arrive (provisioned concurrency), by operation (`createPayout`) or for
   * `authorizer`. Each costs about 5 US dollars a month, used or not. Absent: none.
   */
  readonly provisioned?: Readonly<Record<string, number>>;
  /**
   * Executions that only this function may use, and its maximum (reserved concurrency), by operation or worker. Work
   * that takes all others of the account then neither keeps partners out nor delays notifications. Absent: none.
   */
  readonly reserved?: Readonly<Record<string, number>>;
  /** Quota of the AWS account at Lambda: concurrent executions of all functions, of which 100 cannot be reserved. */
  readonly executions: number;
  /**
   * New versions of these functions get a tenth of the calls for some minutes, then all calls. An alarm in these
   * minutes rolls the release back. Absent: new versions get all calls immediately, as in emulators.
   */
  readonly canary?: { readonly pace: CanaryPace; readonly functions: readonly Canaried[] };
};

/** Concurrency that Lambda lets no account reserve. */
export const neverReserved = 100;
/** Concurrent invocations for callbacks with unknown ids: the minimum of Lambda. */
export const maxUnknownReaders = 2;

/** Returns the executions that queues of notifications and callbacks start at most, by worker. */
export function startedByQueues({
  deliveries,
  bankCallbacks,
}: Pick<Settings, 'deliveries' | 'bankCallbacks'>): Readonly<Record<string, number>> {
  return {
    'deliver-notification': deliveries.maxConcurrency,
    'drain-backlogs': deliveries.maxDrains,
    'apply-callbacks': bankCallbacks.readers + maxUnknownReaders,
  };
}

type CanaryPace = 'CANARY_10PERCENT_5MINUTES' | 'CANARY_10PERCENT_10MINUTES' | 'CANARY_10PERCENT_15MINUTES';

/** Functions that notify, authorize and pay: workers by name, endpoints by operation. */
export type Canaried =
  'deliver-notification' | 'authorizer' | 'submit-payouts' | 'submit-commands' | 'createPayout' | 'refundPayIn';

export type DataSettings = {
  /** The table and the stack cannot be deleted, and resources that leave the stack stay in the account. */
  readonly protected: boolean;
  /** Days of point-in-time recovery, 1 to 35: the table can be restored to any second of them. 0: turned off. */
  readonly recoveryDays: number;
  /** The table is encrypted with a key of this account, rotated yearly, instead of one owned by DynamoDB. */
  readonly customerManagedKey: boolean;
  /** Contributor Insights counts throttled keys, so that hot keys can be found. */
  readonly hotKeys: boolean;
  /**
   * Maximum units a second of the table and of each index. They limit the costs of an error. With provisioned capacity
   * they are also the maximum of its scaling.
   */
  readonly maxReadUnits?: number;
  readonly maxWriteUnits?: number;
  /** Capacity that is paid for by the hour, used or not. Absent: on demand, paid for by the request. */
  readonly provisioned?: ProvisionedCapacity;
  /** A restored table that the service uses instead of the stack's table. Absent: the stack's table. */
  readonly restored?: RestoredTable;
  /**
   * How long the signed roots of statements are kept by Object Lock: `EVERYONE` cannot delete them, the account's root
   * included (COMPLIANCE; the time can be made longer, never shorter), or only roles without the right to bypass the
   * lock cannot (GOVERNANCE).
   */
  readonly rootsKept: { readonly from: 'EVERYONE' | 'ROLES_WITHOUT_BYPASS'; readonly days: number };
  /** A daily copy in a locked vault of another account. Absent: none outside the account of the environment. */
  readonly copies?: CopySettings;
  /**
   * Units a second that the table and each index serve immediately, without the minutes that a new table takes to grow.
   * Set it before a launch. The warm throughput of a table never decreases. Absent: the default of AWS.
   */
  readonly warmThroughput?: { readonly readUnits: number; readonly writeUnits: number };
};

export type CopySettings = {
  /** Another AWS account of the same organization, 12 digits. */
  readonly account: string;
  /** Where the copies are kept. Absent: in the region of the environment, with which they may be lost. */
  readonly region?: string;
  /** Days that no copy can be deleted. From the fourth day of the vault on, this number is final. */
  readonly days: number;
};

/** The restored table, as `restore:switch` prints it. */
export type RestoredTable = {
  readonly tableName: string;
  /** The end of its stream's ARN: the time when the stream was turned on. */
  readonly streamLabel: string;
};

type ProvisionedCapacity = {
  /** Minimum units a second of the table and of each index. */
  readonly minReadUnits: number;
  readonly minWriteUnits: number;
  /** Target utilization of the capacity in percent, 20 to 90. */
  readonly utilization: number;
};

type LogSettings = {
  /**
   * How long logs of functions, gateway and firewall are kept. It is a name, so that code that reads settings does not
   * load the CDK.
   */
  readonly retention: keyof typeof RetentionDays;
  /** Lambda's own log lines: start and report (with memory) of every invocation, or only failures. */
  readonly platform: 'every invocation' | 'failures';
};

type ApiSettings = {
  /** Where docs/errors.md is published, up to the code at the end of an address: `https://…/errors.md#`. */
  readonly errorPages: string;
  /** Rate and burst of the requests of all companies together. Above: 429. */
  readonly throttling: Rate;
  /**
   * Rate and burst of the requests of one company, counted by an API key that onboarding creates. Absent: companies
   * share the throttling above, and need no key.
   */
  readonly companyThrottling?: Rate;
  /**
   * Requests of one source address in five minutes before the firewall responds with 429, 10 to 2 000 000 000. Absent:
   * no firewall.
   */
  readonly firewallRate?: number;
  /**
   * Whether this environment sets the role by which API Gateway writes logs. The role is one setting for all APIs of an
   * account and region, and outlives its stack. False if the account has the role already, for example from another
   * environment. Two environments that own it in one account and region are refused.
   */
  readonly ownsGatewayLogRole: boolean;
  /**
   * Requests that X-Ray traces: `perSecond` requests of each second, and `share` of the others. Absent: X-Ray's
   * default, 1 and 5 %. Below one request a second it traces nearly all requests.
   */
  readonly traces?: { readonly perSecond: number; readonly share: number };
  /** Own host name. If set, the default address of API Gateway is disabled. */
  readonly domain?: DomainSettings;
};

export type Rate = {
  /** Requests a second. */
  readonly rate: number;
  /** Burst of requests. */
  readonly burst: number;
};

export type DomainSettings = {
  /** Host, as `api.example.com`. The owner of the zone creates its DNS record, from the stack's output. */
  readonly hostName: string;
  /** ARN of the host's certificate in AWS Certificate Manager, same region. */
  readonly certificateArn: string;
  /**
   * `s3://…` of the PEM bundle of authorities whose client certificates are accepted (mutual TLS). Absent: clients need
   * only a token.
   */
  readonly clientAuthorities?: string;
};

type CallbackSettings = {
  /** A bucket for the banks' authorities. It is deployed, and filled by `bank:truststore`, before the domain. */
  readonly authorities?: true;
  /** The host that banks call. It requires a client certificate. */
  readonly domain?: Pick<DomainSettings, 'hostName' | 'certificateArn'> & {
    /** Version of the file of authorities, as `bank:truststore` prints it. Absent: the newest at each domain change. */
    readonly truststoreVersion?: string;
  };
};

export type CodeSenders = NonNullable<Settings['keys']['senders']>;

export type AlarmSettings = {
  /** E-mail address that receives every alarm once its subscription is confirmed. Absent: alarms send no e-mail. */
  readonly email?: string;
  /** ARN of an existing SNS topic, used instead of one of this stack. */
  readonly topicArn?: string;
  /**
   * ARN of an existing SNS topic for alarms that can wait for a working day. Absent: the topic of all alarms gets them.
   */
  readonly ticketTopicArn?: string;
  /** US dollars a month that trigger a notification. Absent: the bill is not watched. */
  readonly monthlyDollars?: {
    /** Limit of the account: notified at 80 %, and as soon as the forecast is above it. */
    readonly account: number;
    /** Limit of text messages, equal to `MonthlySpendLimit` of Amazon SNS. At the limit SNS sends no more codes. */
    readonly messages: number;
  };
};
