import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import type { BankConnection, ConnectedAccount } from '#shared/bank/connection.ts';
import type { Dialect } from '#shared/bank/dialects/dialect.ts';
import { connecting, parseSecret } from '#shared/bank/dialects/dialects.ts';
import type { Connecting } from '#shared/bank/dialects/manifest.ts';
import { SecretUnavailable } from '#shared/bank/secret.ts';
import { flagOf } from '../command.ts';
import { UsageError } from '../values.ts';

/** Options of `bank:connect` by their names. Which of them a connection needs, its dialect says. */
type Given = Readonly<Record<string, string | undefined>>;

/** What a dialect makes of the options: facts of the connection and of its account, and the text of the secret. */
type Settings = Pick<BankConnection, 'tokenUrl'> & {
  readonly callbackSubject?: string;
  readonly account: ConnectedAccount;
  readonly secret: string;
};

const parts = ['connection', 'account', 'files'] as const satisfies readonly (keyof Connecting)[];

/**
 * Reads the options of a dialect.
 * @throws UsageError for an option that is missing, invalid or another dialect's, and for files that are no secret
 */
export function settingsOf(dialect: Dialect, clientId: string, given: Given): Settings {
  const own = namesOf(connecting[dialect]);
  const foreign = Object.values(connecting)
    .flatMap(namesOf)
    .find((name) => given[name] !== undefined && !own.includes(name));
  if (foreign !== undefined) throw new UsageError(`--${flagOf(foreign, {})} is no option of ${dialect}.`);
  const { connection, account, files } = connecting[dialect];
  return {
    ...parsed(connection, given, dialect),
    account: parsed(account, given, dialect),
    secret: secretOf(dialect, clientId, parsed(files, given, dialect)),
  };
}

function namesOf(dialect: Connecting): readonly string[] {
  return parts.flatMap((part) => Object.keys(dialect[part].shape));
}

function parsed<Output>(shape: z.ZodType<Output>, given: Given, dialect: Dialect): Output {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { data, error } = shape.safeParse(known);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const option = issue?.path.join('.') ?? '';
  const demand = known[option] === undefined ? `is required for ${dialect}` : (issue?.message ?? 'is invalid');
  throw new UsageError(`--${flagOf(option, {})} ${demand}.`);
}

/**
 * Returns the secret in the format that the functions read. @throws UsageError that names the invalid option or member,
 * never a value
 */
function secretOf(dialect: Dialect, clientId: string, files: Given): string {
  const read = (option: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      throw new UsageError(`--${option} must be a readable file.`);
    }
  };
  const members = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, read(flagOf(name, {}), path)] as const],
  );
  const text = JSON.stringify({ clientId, ...Object.fromEntries(members) });
  try {
    const { certificate, key } = parseSecret[dialect](text);
    if (certificate !== undefined && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new UsageError('--key does not belong to --certificate.');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof SecretUnavailable ? error.message : '--certificate and --key must be PEM.');
  }
  return text;
}
