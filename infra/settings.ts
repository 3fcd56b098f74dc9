import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from '#shared/platform/settings.ts';

/** The environments. Their settings are in environments.ts; nothing here is a secret. */
export type EnvironmentName = 'local' | 'dev' | 'hml' | 'prod';

/** Settings of the functions, and of the stacks alone. */
export type EnvironmentSettings = Settings & {
  readonly name: EnvironmentName;
  /** Where the environment may be deployed. Without it the stacks fit any account and region: an emulator. */
  readonly target?: {
    /** AWS account, 12 digits. Given, a deployment with credentials of another account fails. */
    readonly account?: string;
    readonly region: string;
  };
  readonly functions: FunctionSettings;
  readonly data: DataSettings;
  readonly logs: LogSettings;
  readonly api: ApiSettings;
  /** Where banks call back. Absent: no bank can, and the lists alone are read. */
  readonly callbacks?: CallbackSettings;
  /** Routes under /order-tools, which force states and dates. Never in production. */
  readonly simulationTools: boolean;
  readonly alarms: AlarmSettings;
  /** A synthetic caller from outside, every five minutes, as a company of its own. Absent: none. */
  readonly caller?: CallerSettings;
  /** Releases by GitHub Actions, with roles that can do no more than that. Absent: people deploy as administrators. */
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
   * Instances that are started before a partner waits for them, by operation (`createPayout`), and of `authorizer`.
   * Each costs about 5 US dollars a month, used or not. Absent: none.
   */
  readonly provisioned?: Readonly<Record<string, number>>;
  /**
   * New versions of these take over gradually: a tenth of the calls for some minutes, then all. An alarm meanwhile
   * rolls the release back. Absent: immediately, as emulators do.
   */
  readonly canary?: { readonly pace: CanaryPace; readonly functions: readonly Canaried[] };
};

type CanaryPace = 'CANARY_10PERCENT_5MINUTES' | 'CANARY_10PERCENT_10MINUTES' | 'CANARY_10PERCENT_15MINUTES';

/** Functions that notify, authorize and pay: workers by name, endpoints by operation. */
export type Canaried =
  'deliver-notification' | 'authorizer' | 'submit-payouts' | 'submit-commands' | 'createPayout' | 'refundPayIn';

export type DataSettings = {
  /** The table refuses deletion, the stack refuses to be destroyed, and what the stack forgets stays in the account. */
  readonly protected: boolean;
  /** Days that the table can be restored to any second of, 1 to 35; 0 turns point-in-time recovery off. */
  readonly recoveryDays: number;
  /** The table is encrypted with a key of this account, rotated yearly, instead of one owned by DynamoDB. */
  readonly customerManagedKey: boolean;
  /** Keys that were throttled are counted, so that the hot one can be found. */
  readonly hotKeys: boolean;
  /**
   * Largest consumption of the table and of each index, in units a second: a bound on the bill of a runaway. With
   * provisioned capacity also the most that it scales to.
   */
  readonly maxReadUnits?: number;
  readonly maxWriteUnits?: number;
  /** Capacity that is paid for by the hour, used or not. Absent: on demand, paid for by the request. */
  readonly provisioned?: ProvisionedCapacity;
  /** The table that a restore created, and that the service works on from then on. Absent: that of the stack. */
  readonly restored?: RestoredTable;
  /** A daily copy in a locked vault of another account. Absent: none outside the account of the environment. */
  readonly copies?: CopySettings;
  /**
   * Units a second that the table and each index serve immediately, without the minutes that a new table takes to grow.
   * Ordered before a launch; what is once warm stays so. Absent: as AWS gives it.
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
  /** Units a second that the table, and each index, never falls below. */
  readonly minReadUnits: number;
  readonly minWriteUnits: number;
  /** Percent of the capacity that it holds in use, 20 to 90. */
  readonly utilization: number;
};

type LogSettings = {
  /** How long logs of functions, gateway and firewall are kept. A name, so that readers of settings need no CDK. */
  readonly retention: keyof typeof RetentionDays;
  /** Lambda's own log lines: also a start and a report of each invocation, with its memory, or only failures. */
  readonly platform: 'every invocation' | 'failures';
};

type ApiSettings = {
  /** Rate and burst of the requests of all companies together. Above: 429. */
  readonly throttling: Rate;
  /**
   * Rate and burst of the requests of one company, counted by an API key that onboarding creates. Absent: companies
   * share the throttling above, and need no key.
   */
  readonly companyThrottling?: Rate;
  /**
   * Requests of one source address in five minutes before the firewall answers 429, 10 to 2 000 000 000. Absent: no
   * firewall.
   */
  readonly firewallRate?: number;
  /**
   * Whether this environment sets the role by which API Gateway writes logs: one setting for all APIs of an account and
   * region, which outlives its stack. False where something else in the account has set it already: another
   * environment, deployed before. Two that own it in one account and region are refused.
   */
  readonly ownsGatewayLogRole: boolean;
  /**
   * Requests that X-Ray traces: so many of a second, then this share of the others. Absent: X-Ray's own rule, one and
   * 5 %, which traces nearly all below one request a second.
   */
  readonly traces?: { readonly perSecond: number; readonly share: number };
  /** Own host name. Given, the address of API Gateway itself stops answering. */
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
   * `s3://…` of the PEM bundle of authorities whose client certificates are accepted (mutual TLS). Absent: tokens
   * alone.
   */
  readonly clientAuthorities?: string;
};

type CallbackSettings = {
  /** A bucket for the banks' authorities. It is deployed, and filled by `bank:truststore`, before the domain. */
  readonly authorities?: true;
  /** The host that banks call, which asks for a client certificate. */
  readonly domain?: Pick<DomainSettings, 'hostName' | 'certificateArn'> & {
    /** Version of the file of authorities, as `bank:truststore` prints it. Absent: the newest at each domain change. */
    readonly truststoreVersion?: string;
  };
};

export type CodeSenders = NonNullable<Settings['keys']['senders']>;

export type AlarmSettings = {
  /** E-mail address that receives every alarm once its subscription is confirmed. Absent: alarms only change colour. */
  readonly email?: string;
  /** ARN of an existing SNS topic, used instead of one of this stack. */
  readonly topicArn?: string;
  /**
   * ARN of an existing SNS topic for what can wait for a working day. Absent: it goes where everything else goes.
   */
  readonly ticketTopicArn?: string;
  /** US dollars a month that trigger a notification. Absent: the bill is not watched. */
  readonly monthlyDollars?: {
    /** Limit of the account: notified at 80 %, and as soon as the forecast is above it. */
    readonly account: number;
    /** Text messages, as `MonthlySpendLimit` of Amazon SNS: at the limit no more codes go out. */
    readonly messages: number;
  };
};
