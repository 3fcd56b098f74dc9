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
  /** How long overdue a delivery must be before the sweep sends it anew, seconds. */
  SWEEP_GRACE_SECONDS: integer,
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
} as const;

export type EnvName = keyof typeof variables;
type EnvValue<N extends EnvName> = ReturnType<(typeof variables)[N]>;

/** The value of one variable, parsed. Throws an error that names the variable, never its value. */
export function env<N extends EnvName>(name: N): EnvValue<N> {
  const raw = process.env[name];
  if (raw === undefined || raw === '') throw new Error(`The environment variable ${name} is not set.`);
  try {
    return variables[name](raw) as EnvValue<N>;
  } catch (cause) {
    throw new Error(`The environment variable ${name} is malformed.`, { cause });
  }
}
