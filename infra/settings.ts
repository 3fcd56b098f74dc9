import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ScheduleWindow } from '#shared/scheduled-payments/window.ts';
import type { KeyRules } from '#shared/pix-keys/model.ts';
import type { CircuitRules } from '#shared/webhooks/endpoint-health.ts';

/** What differs between environments. Values are in environments.ts; nothing here is a secret. */
export type EnvironmentName = 'local' | 'dev' | 'hml' | 'prod';

export type EnvironmentSettings = {
  readonly name: EnvironmentName;
  /** Where the environment may be deployed. Without it the stacks fit any account and region: an emulator. */
  readonly target?: {
    /** AWS account, 12 digits. Given, a deployment with credentials of another account fails. */
    readonly account?: string;
    readonly region: string;
  };
  readonly functions: FunctionSettings;
  readonly tokens: TokenSettings;
  readonly data: DataSettings;
  readonly logs: LogSettings;
  readonly api: ApiSettings;
  readonly deliveries: DeliverySettings;
  readonly orders: OrderSettings;
  readonly keys: KeySettings;
  /** Routes under /order-tools, which force states and dates. Never in production. */
  readonly simulationTools: boolean;
  readonly alarms: AlarmSettings;
};

type FunctionSettings = {
  /** `arm64` is cheaper on AWS; an emulator runs what its machine has. */
  readonly architecture: 'arm64' | 'x86_64';
};

/** Accepted access tokens: OAuth 2.0 client credentials of one OIDC issuer. */
export type TokenSettings = {
  /** Accepted values of `iss`. Microsoft Entra names itself differently in tokens of version 1 and 2: list both. */
  readonly issuers: readonly string[];
  /** Where the issuer publishes its signing keys (JWKS), absolute URL. */
  readonly jwksUri: string;
  /** Accepted values of `aud`. */
  readonly audiences: readonly string[];
  /** Accepted element of `scope`, `scp` or `roles`, alone or followed by a slash and more. */
  readonly scope: string;
};

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
   * Largest consumption of the on-demand table and of each index, in request units a second: a bound on the bill of a
   * runaway.
   */
  readonly maxReadUnits?: number;
  readonly maxWriteUnits?: number;
};

type LogSettings = {
  /** How long logs of functions, gateway and firewall are kept. A name: whoever reads settings need not load CDK. */
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
   * region. False where something else in the account has set it already.
   */
  readonly ownsGatewayLogRole: boolean;
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

export type DeliverySettings = {
  /** Waits before attempts two to five of a notification, whole seconds. */
  readonly retryDelaysSeconds: readonly [number, number, number, number];
  /** When an endpoint counts as failing, so that what comes for it waits in the table. */
  readonly circuit: CircuitRules;
  /** Batches of deliveries in work at the same time, 2 to 1000: the notifier's share of the account's concurrency. */
  readonly maxConcurrency: number;
  /** How long overdue a delivery must be before the sweep sends it again, seconds. */
  readonly sweepGraceSeconds: number;
  /**
   * Notifications may go to plain http and to loopback addresses. Only where the receivers are on the developer's
   * machine.
   */
  readonly allowLocalTargets: boolean;
};

export type OrderSettings = {
  /** ISPB of the institution behind the service, 8 characters: part of every end-to-end and recurrence id. */
  readonly ispb: string;
  /** Host of the locations inside QR codes, without scheme. */
  readonly pixHost: string;
  /** City of the receiver inside QR codes, at most 15 characters. */
  readonly pixCity: string;
  /** Life of the first charge of journey 3, seconds. */
  readonly firstChargeExpiresSeconds: number;
  /** Largest single PIX payout of accounts without a limit of their own, centavos; above it a payout is split. */
  readonly pixTransactionLimitCentavos: number;
  /** When scheduled payments may be created, and when they leave `INITIAL`. */
  readonly schedule: ScheduleWindow;
};

type KeySettings = {
  /** Limits of the codes that confirm PIX keys, and of keys. */
  readonly rules: KeyRules;
  /** Who sends the codes: Amazon SES and SNS of the same account and region. Absent: nothing leaves the environment. */
  readonly senders?: CodeSenders;
};

export type CodeSenders = {
  /** Identity that is verified in Amazon SES: a domain, or one address. */
  readonly emailIdentity: string;
  /** Address of that identity that e-mails come from. */
  readonly emailFrom: string;
  /** Number in E.164 that Amazon SNS sends messages from. Absent: one that AWS takes. */
  readonly smsFrom?: string;
  /**
   * To whom codes leave the environment: anyone in production, elsewhere only these addresses, spelled as keys. What
   * goes to others is kept for the simulation tool and handed to nobody.
   */
  readonly recipients: 'ANYONE' | readonly string[];
};

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
};
