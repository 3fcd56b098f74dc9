import * as z from 'zod';
import { env } from './env.ts';

/** Whole and not negative. */
const whole = z.int().nonnegative();
/** Waits in whole seconds, the last of which goes on holding. */
const waits = z.array(whole).min(1).readonly();
const texts = z.array(z.string()).readonly();

/** Accepted access tokens: OAuth 2.0 client credentials of one OIDC issuer. */
const Tokens = z.object({
  /** Accepted values of `iss`. Microsoft Entra names itself differently in tokens of version 1 and 2: list both. */
  issuers: texts,
  /** Where the issuer publishes its signing keys (JWKS), absolute URL. */
  jwksUri: z.string(),
  /** Accepted values of `aud`. */
  audiences: texts,
  /** Accepted element of `scope`, `scp` or `roles`, alone or followed by a slash and more. */
  scope: z.string(),
});

/** When the circuit of a failing endpoint opens, so that what comes for it waits in the table. */
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
  probeDelaysSeconds: waits,
  /** Open for so long, the endpoint becomes inactive. */
  disableAfterSeconds: whole,
});

const Deliveries = z.object({
  /** Waits before attempts two to five of a notification. */
  retryDelaysSeconds: waits,
  circuit: Circuit,
  /** Batches of deliveries in work at the same time, 2 to 1000: the notifier's share of the account's concurrency. */
  maxConcurrency: whole,
  /** How long overdue a delivery must be before the sweep sends it again. */
  sweepGraceSeconds: whole,
  /** Notifications may go to plain http and to loopback addresses: only where receivers are on the same machine. */
  allowLocalTargets: z.boolean(),
});

const Orders = z.object({
  /** ISPB of the institution behind the service, 8 characters: part of every end-to-end and recurrence id. */
  ispb: z.string(),
  /** Host of the locations inside QR codes, without scheme. */
  pixHost: z.string(),
  /** City of the receiver inside QR codes, at most 15 characters. */
  pixCity: z.string(),
  /** Life of the first charge of journey 3. */
  firstChargeExpiresSeconds: whole,
  /** Largest single PIX payout of accounts without a limit of their own; above it a payout is split. */
  pixTransactionLimitCentavos: whole,
  /** When scheduled payments may be created, and when they leave `INITIAL`. */
  schedule: z.object({
    /** Days between today and the settlement date of a first attempt, at least. */
    minDaysAhead: whole,
    /** Days before its settlement date on which a payment leaves `INITIAL`. Absent: at once. */
    releaseDaysBefore: whole.exactOptional(),
  }),
});

/** Limits of PIX keys, and of the codes that confirm them. */
const KeyRules = z.object({
  /** Life of a code. */
  codeValidSeconds: whole,
  /** Wrong codes after which a validation is blocked. */
  triesPerCode: whole,
  resendsPerValidation: whole,
  /** Codes that are sent for an account on one day of Brasilia, … */
  codesPerDay: whole,
  /** … and to one address, for any account. */
  codesPerAddressAndDay: whole,
  /** Phones of other countries can be keys, too. */
  phonesAbroad: z.boolean(),
  /** Confirmed keys that an account can have. */
  keysPerAccount: z.object({ INDIVIDUAL: whole, ORGANIZATION: whole }),
});

/** Amazon SES and SNS of the same account and region. */
const CodeSenders = z.object({
  /** Identity that is verified in Amazon SES: a domain, or one address. */
  emailIdentity: z.string(),
  /** Address of that identity that e-mails come from. */
  emailFrom: z.string(),
  /** Number in E.164 that Amazon SNS sends messages from. Absent: one that AWS takes. */
  smsFrom: z.string().exactOptional(),
  /**
   * To whom codes leave the environment: anyone in production, elsewhere only these addresses, spelled as keys. Other
   * codes are kept for the simulation tool.
   */
  recipients: z.union([z.literal('ANYONE'), texts]),
});

/** What functions know of their environment. Nothing here is a secret. Values are in infra/environments.ts. */
const Settings = z.object({
  tokens: Tokens,
  deliveries: Deliveries,
  orders: Orders,
  keys: z.object({
    rules: KeyRules,
    /** Absent: no code leaves the environment. */
    senders: CodeSenders.exactOptional(),
  }),
});
export type Settings = z.infer<typeof Settings>;

let parsed: Settings | undefined;

/** The settings of this environment, parsed once a process. @throws Error naming what is malformed, never its value. */
export function settings(): Settings {
  return (parsed ??= checkSettings(jsonOf(env('SETTINGS'))));
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
