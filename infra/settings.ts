import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from '#shared/platform/settings.ts';

/** What differs between environments. Values are in environments.ts; nothing here is a secret. */
export type EnvironmentName = 'local' | 'dev' | 'hml' | 'prod';

/** What functions read, and what the stacks alone do. */
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
  /** Calls the service from outside every five minutes, as a company of its own. Absent: nobody does. */
  readonly caller?: CallerSettings;
  /** Releases by GitHub Actions, with roles that can do no more than that. Absent: people deploy as administrators. */
  readonly pipeline?: PipelineSettings;
};

export type PipelineSettings = {
  /** On GitHub, as `owner/name`. */
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
   * New versions of these take over by and by: a tenth of the calls for some minutes, then all. An alarm meanwhile
   * takes the release back. Absent: at once, as emulators do.
   */
  readonly canary?: { readonly pace: CanaryPace; readonly functions: readonly Canaried[] };
};

type CanaryPace = 'CANARY_10PERCENT_5MINUTES' | 'CANARY_10PERCENT_10MINUTES' | 'CANARY_10PERCENT_15MINUTES';

/** What notifies, lets in and pays: workers by name, endpoints by operation. */
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
  /** The table that a restore made, and that the service works on from then on. Absent: that of the stack. */
  readonly restored?: RestoredTable;
  /** A daily copy in a locked vault of another account. Absent: none outside the account of the environment. */
  readonly copies?: CopySettings;
  /**
   * Units a second that the table and each index serve at once, without the minutes that a new table takes to grow.
   * Ordered before a launch; what is once warm stays so. Absent: as AWS gives it.
   */
  readonly warmThroughput?: { readonly readUnits: number; readonly writeUnits: number };
};

export type CopySettings = {
  /** Another AWS account of the same organization, 12 digits. */
  readonly account: string;
  /** Where the copies are kept. Absent: in the region of the environment, with which they may be lost. */
  readonly region?: string;
  /** Days that nobody can delete a copy. From the fourth day of the vault on nobody can change them. */
  readonly days: number;
};

/** As `restore:switch` prints it. */
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
  /**
   * What Lambda itself writes: a start and a report of each invocation too, with its memory, or only what went wrong.
   */
  readonly platform: 'every invocation' | 'failures';
};

type ApiSettings = {
  /** Requests a second, and at once, of all companies together. Above: 429. */
  readonly throttling: Rate;
  /**
   * Requests a second, and at once, of one company, counted by an API key that onboarding makes. Absent: companies
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
  /** Requests at once. */
  readonly burst: number;
};

export type DomainSettings = {
  /** Host, as `api.example.com`. Its DNS record is made by the owner of the zone, from the stack's output. */
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
    /** Of the file of authorities, as `bank:truststore` prints it. Absent: the newest at each change of the domain. */
    readonly truststoreVersion?: string;
  };
};

export type CodeSenders = NonNullable<Settings['keys']['senders']>;

export type AlarmSettings = {
  /**
   * E-mail address that is told of every alarm once it has confirmed its subscription. Absent: alarms only change
   * colour.
   */
  readonly email?: string;
  /** ARN of an existing SNS topic, used instead of one of this stack. */
  readonly topicArn?: string;
  /**
   * ARN of an existing SNS topic for what can wait for a working day. Absent: it goes where everything else goes.
   */
  readonly ticketTopicArn?: string;
  /** US dollars a month that somebody is told of. Absent: nobody watches the bill. */
  readonly monthlyDollars?: {
    /** Of the whole account: told of at 80 %, and as soon as the forecast is above it. */
    readonly account: number;
    /** Text messages, as `MonthlySpendLimit` of Amazon SNS: at the limit no more codes go out. */
    readonly messages: number;
  };
};
