import * as z from 'zod';
import { asciiText } from '../core/ascii.ts';
import { env } from './env.ts';
import { maxCountedFailures } from './outbox/delivery.ts';

const whole = z.int().nonnegative();
/** The share of a queue in the account's concurrency, in the range that AWS accepts. */
const concurrency = z.int().min(2).max(1_000);

/**
 * Longest waits in seconds. `retry`: with its jitter of a fifth it stays within the 12 hours for which SQS can hide a
 * message. `probe`: the longest delay of SQS.
 */
export const longestWaits = { retry: 36_000, probe: 900 } as const;

/** Waits in whole seconds; the last one also applies to all further tries. */
const waits = (longest: number) => z.array(whole.max(longest)).min(1);
const strings = z.array(z.string()).readonly();

/** Accepted access tokens: OAuth 2.0 client credentials of one OIDC issuer. */
const Tokens = z.object({
  /** Accepted values of `iss`. Microsoft Entra has one for tokens of version 1 and one for version 2: list both. */
  issuers: strings,
  /** Absolute URL of the issuer's signing keys (JWKS). */
  jwksUri: z.string(),
  /** Accepted values of `aud`. */
  audiences: strings,
  /** Accepted element of `scope`, `scp` or `roles`: exactly this text, or this text with a slash and more behind it. */
  scope: z.string(),
});

/** When the circuit breaker of a failing endpoint opens, so that its deliveries wait in the table. */
const Circuit = z.object({
  /** Failed calls in a row … */
  failures: whole,
  /** … over at least so many deliveries … */
  deliveries: whole,
  /** … within so many seconds. */
  windowSeconds: whole,
  /** Or timeouts in a row, over as many deliveries. */
  timeouts: whole,
  /** Waits before the first, second, … probe. At most 900 each. */
  probeDelaysSeconds: waits(longestWaits.probe).readonly(),
  /** After the circuit has been open for this time, the endpoint becomes inactive. */
  disableAfterSeconds: whole,
});

const DeliverySettings = z.object({
  /** Waits before the retries of a notification. A list that is longer than the number of retries is refused. */
  retryDelaysSeconds: waits(longestWaits.retry)
    .max(maxCountedFailures - 1)
    .readonly(),
  circuit: Circuit,
  /** Concurrent batches of deliveries, 2 to 1000: the notifier's share of the account's concurrency. */
  maxConcurrency: concurrency,
  /** Calls that all notifiers have open in a burst of one company: the others wait. Below `maxConcurrency`. */
  companyShare: whole.min(5),
  /** Companies whose backlogs are drained concurrently, 2 to 1000: the drainer's share of the account's concurrency. */
  maxDrains: concurrency,
  /** Concurrent calls of a drain: to one endpoint, and of one company. */
  callsAtOnce: z.object({ perEndpoint: whole, perCompany: whole }),
  /** Name servers instead of the system's. */
  nameServers: strings.exactOptional(),
  /** A delivery this long overdue is sent again by the sweep. */
  sweepGraceSeconds: whole,
  /** Allows plain http and loopback addresses: only where receivers are on the same machine. */
  allowLocalTargets: z.boolean(),
});

/** If each call of a company's share kept one notifier, some must remain for the others. */
const Deliveries = DeliverySettings.refine(({ companyShare, maxConcurrency }) => companyShare < maxConcurrency, {
  path: ['companyShare'],
});

const BankCallbacks = z.object({
  /** Requests of all banks a second, and their burst: above them 429. At most the quotas of an AWS account. */
  throttling: z.object({ rate: whole.min(1).max(10_000), burst: whole.min(1).max(5_000) }),
  /** Concurrent receives of ten callbacks each: the share of their reader in the account's concurrency. */
  readers: concurrency,
  /** Maximum of ids a minute in the callbacks of one company. */
  idsAMinute: whole.min(1).max(600_000),
});

const Orders = z.object({
  /** ISPB of the institution behind the service: part of every end-to-end id and idRec. */
  ispb: z.string(),
  /** Host of the locations inside QR codes, without scheme. */
  pixHost: z.string(),
  /** City of the receiver inside QR codes, at most 15 characters. */
  pixCity: z
    .string()
    .max(15)
    .refine((city) => asciiText(city) !== '', 'Has no character that a QR code can carry.'),
  /** Life of the first charge of journey 3. */
  firstChargeExpiresSeconds: whole,
  /** Largest single PIX payment of accounts without a limit of their own; a larger payout is split. */
  pixTransactionLimitCentavos: whole,
  schedule: z.object({
    /** Least days between today and the settlement date of a first attempt. */
    minDaysAhead: whole,
    /** Days before its settlement date on which a payment leaves `INITIAL`; absent: immediately. */
    releaseDaysBefore: whole.exactOptional(),
  }),
});

/** Limits of PIX keys and of the codes that confirm them. */
const KeyRules = z.object({
  /** Life of a code. */
  codeValidSeconds: whole,
  /** Wrong codes after which a validation is blocked. */
  triesPerCode: whole,
  resendsPerValidation: whole,
  /** Maximum number of codes for an account on one day of Brasilia. */
  codesPerDay: whole,
  /** Maximum number of codes to one address on such a day, for all accounts. */
  codesPerAddressAndDay: whole,
  /** Phones of other countries can be keys, too. */
  phonesAbroad: z.boolean(),
  /** Confirmed keys that an account can have. */
  keysPerAccount: z.object({ INDIVIDUAL: whole, ORGANIZATION: whole }),
});

/** Amazon SES and SNS of the same account and region. */
const CodeSenders = z.object({
  /** Sender of an identity that is verified in Amazon SES: an address of its domain, or the address itself. */
  emailFrom: z.string(),
  /** Sender in E.164. Absent: Amazon SNS chooses one. */
  smsFrom: z.string().exactOptional(),
  /**
   * Recipients outside: anyone in production, elsewhere only these addresses, spelled as keys. The simulation tool gets
   * all other codes.
   */
  recipients: z.union([z.literal('ANYONE'), strings]),
});

const Statements = z.object({
  /** Seconds for which records of the stream are collected before they are noted: fewer, fuller notes. */
  collectSeconds: whole.max(300),
  /** Seconds after its end at which a minute closes: longer than records are collected and a commit takes. */
  closesAfterSeconds: whole,
});

/** Settings of the functions, without secrets. Values are in infra/environments.ts. */
const Settings = z.object({
  tokens: Tokens,
  deliveries: Deliveries,
  bankCallbacks: BankCallbacks,
  orders: Orders,
  statements: Statements,
  keys: z.object({
    rules: KeyRules,
    /** Absent: no code leaves the environment. */
    senders: CodeSenders.exactOptional(),
  }),
});
export type Settings = z.infer<typeof Settings>;

let parsed: Settings | undefined;

/** Parsed once a process. @throws Error naming what is malformed, never its value. */
export function settings(): Settings {
  return (parsed ??= checkSettings(jsonOf(env('SETTINGS'))));
}

/** Settings of calls to a bank: those of the orders, and whether a bank may be on this machine. */
export type BankSettings = Settings['orders'] & Pick<Settings['deliveries'], 'allowLocalTargets'>;

export function bankSettings(): BankSettings {
  const { orders, deliveries } = settings();
  return { ...orders, allowLocalTargets: deliveries.allowLocalTargets };
}

/** The variable `SETTINGS`. @throws Error naming what is malformed, never its value. */
export function settingsVariable(values: Settings): string {
  return JSON.stringify(checkSettings(values));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkSettings(values: unknown): Settings {
  const { data, error } = Settings.safeParse(values);
  if (error === undefined) return data;
  const names = error.issues.map(({ path }) => ['SETTINGS', ...path].join('.'));
  throw new Error(`Settings are missing or malformed: ${names.join(', ')}.`);
}
