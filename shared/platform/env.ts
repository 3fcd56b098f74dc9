/**
 * Every environment variable of the functions, and the only file that reads them. The infrastructure sets them by these
 * names; a variable that is missing or malformed stops the function at its first use, naming the variable.
 */
const text = (value: string): string => value;
const list = (value: string): readonly string[] => value.split(',').map((part) => part.trim());
const flag = (value: string): boolean => value === 'true';
const integer = (value: string): number => {
  if (!/^(0|[1-9]\d{0,14})$/.test(value)) throw new Error('not a whole number');
  return Number(value);
};
const integerOrNone = (value: string): number | undefined => (value === 'none' ? undefined : integer(value));
const textOrNone = (value: string): string | undefined => (value === 'none' ? undefined : value);
const recipients = (value: string): 'ANYONE' | readonly string[] =>
  value === 'anyone' ? 'ANYONE' : value === 'none' ? [] : list(value);
const integers = (value: string): readonly number[] => list(value).map(integer);

const variables = {
  /** The single table. */
  TABLE_NAME: text,
  /** Where the relay sends: the delivery queue. */
  QUEUE_URL: text,
  /** Where messages go that were received five times. */
  DEAD_LETTER_QUEUE_URL: text,
  /** Waits before attempts two to five, whole seconds. */
  RETRY_DELAYS_SECONDS: integers,
  /** How long a delivery must be overdue before the sweep sends it again, seconds. */
  SWEEP_GRACE_SECONDS: integer,
  /** Failed calls in a row that open an endpoint's circuit, */
  CIRCUIT_FAILURES: integer,
  /** if they are of at least so many deliveries */
  CIRCUIT_DELIVERIES: integer,
  /** and within so many seconds. */
  CIRCUIT_WINDOW_SECONDS: integer,
  /** Timeouts in a row, of as many deliveries, that open it as well. */
  CIRCUIT_TIMEOUTS: integer,
  /** How long a circuit is open until its endpoint becomes inactive, seconds. */
  CIRCUIT_GIVE_UP_SECONDS: integer,
  /** Waits before the probes of an open circuit, whole seconds. */
  PROBE_DELAYS_SECONDS: integers,
  /** Plain http and loopback targets are allowed; never in production. */
  ALLOW_LOCAL_TARGETS: flag,
  /** `iss` of accepted tokens. */
  TOKEN_ISSUERS: list,
  /** Where the issuer publishes its keys (JWKS). */
  TOKEN_JWKS_URI: text,
  /** Accepted values of `aud`. */
  TOKEN_AUDIENCES: list,
  /** The scope of this service, as `api://app-order-hml`. */
  TOKEN_SCOPE: text,
  /** ISPB of the institution behind the service: 8 characters, in every end-to-end and recurrence id. */
  SERVICE_ISPB: text,
  /** Host of the locations inside QR codes, without scheme. */
  PIX_HOST: text,
  /** City of the receiver inside QR codes. */
  PIX_CITY: text,
  /** Life of the first charge of journey 3, seconds. */
  FIRST_CHARGE_EXPIRES_SECONDS: integer,
  /** Largest single PIX payout where the account has no limit of its own, centavos; above it a payout is split. */
  PIX_TRANSACTION_LIMIT_CENTAVOS: integer,
  /** Days between today and the settlement date of a first attempt, at least. */
  SCHEDULE_MIN_DAYS_AHEAD: integer,
  /** Days before its settlement date on which a scheduled payment leaves `INITIAL`; `none`: at once. */
  SCHEDULE_RELEASE_DAYS_BEFORE: integerOrNone,
  /** Life of the code that confirms a PIX key, seconds. */
  KEY_CODE_VALID_SECONDS: integer,
  /** Wrong codes after which a validation is blocked. */
  KEY_CODE_TRIES: integer,
  /** How often the code of one validation is sent again. */
  KEY_CODE_RESENDS: integer,
  /** Codes that are sent for an account on one day of Brasilia, … */
  KEY_CODES_PER_DAY: integer,
  /** … and to one address, whoever asks for them. */
  KEY_CODES_PER_ADDRESS_AND_DAY: integer,
  /** Phones of other countries can be keys, too. */
  KEY_PHONES_ABROAD: flag,
  /** Confirmed PIX keys that an account of a person can have, … */
  KEYS_PER_INDIVIDUAL: integer,
  /** … and one of an organization. */
  KEYS_PER_ORGANIZATION: integer,
  /** Address that e-mails with codes come from; `none`: nothing leaves the environment. */
  KEY_CODE_EMAIL_FROM: textOrNone,
  /** Number that messages with codes come from, E.164; `none`: AWS takes one. */
  KEY_CODE_SMS_FROM: textOrNone,
  /** The addresses that codes may leave the environment to: `anyone`, `none`, or a list. */
  KEY_CODE_RECIPIENTS: recipients,
} as const;

export type EnvName = keyof typeof variables;
type EnvValue<N extends EnvName> = ReturnType<(typeof variables)[N]>;

/** The value of one variable, parsed. Throws an error that names the variable, never its value. */
export function env<N extends EnvName>(name: N): EnvValue<N> {
  const raw = process.env[name];
  if (raw === undefined || raw === '') throw new Error(`The environment variable ${name} is not set.`);
  try {
    // The parser that is chosen by the name returns the type of that name.
    return variables[name](raw) as EnvValue<N>;
  } catch (cause) {
    throw new Error(`The environment variable ${name} is malformed.`, { cause });
  }
}
