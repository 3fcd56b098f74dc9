import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod';
import { endAfterMs } from '#shared/platform/call-limit.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { log } from '#shared/platform/log.ts';

/** The secret of a connection cannot be used: nothing was sent to the bank. The message names no value. */
export class SecretUnavailable extends Error {
  override readonly name = 'SecretUnavailable';
}

/**
 * Returns the parser of a dialect's secrets, which are JSON.
 * @throws SecretUnavailable with the names of the malformed fields, never their values
 */
export function secretParser<Secret>(shape: z.ZodType<Secret>): (text: string) => Secret {
  return (text) => {
    const { data, error } = shape.safeParse(jsonOf(text));
    if (error === undefined) return data;
    const names = [...new Set(error.issues.map(({ path }) => path.join('.') || '(JSON)'))];
    throw new SecretUnavailable(`The secret of the bank is malformed: ${names.join(', ')}.`);
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a secret by its name in one call of Secrets Manager; undefined without a text. */
export type FetchSecret = (name: string) => Promise<string | undefined>;

/** Reads secrets with the SDK's own settings: region, credentials, `AWS_ENDPOINT_URL_SECRETS_MANAGER`. */
export function secretsManager(): FetchSecret {
  let client: SecretsManagerClient | undefined;
  return async (SecretId) => {
    client ??= new SecretsManagerClient({
      maxAttempts: 2,
      requestHandler: endAfterMs(2000),
    });
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  };
}

const keptMs = 600_000;
/** Milliseconds before a secret that the bank refuses is read again, so that not every call reads it. */
const staleMs = 10_000;
/** Milliseconds before the next read after Secrets Manager failed, while the known secret works. */
const againMs = 60_000;

/**
 * Reads a secret at most every ten minutes, and sooner after the bank refused the known secret: an operator may have
 * rotated it. While Secrets Manager fails, a known secret that the bank accepts stays in use.
 *
 * @param parse of the dialect. @throws SecretUnavailable
 */
export function keptSecret<Secret>(
  name: string,
  fetchSecret: FetchSecret,
  parse: (text: string) => Secret,
): (isStale: boolean) => Promise<Secret> {
  let kept: { at: number; readonly secret: Promise<Secret> } | undefined;
  let known: Secret | undefined;
  return (isStale) => {
    const ageMs = kept === undefined ? Infinity : nowMs() - kept.at;
    if (kept !== undefined && ageMs < (isStale ? staleMs : keptMs)) return kept.secret;
    if (isStale) known = undefined;
    const secret = readSecret(name, fetchSecret)
      .then(parse)
      .catch((error: unknown) => {
        if (!(error instanceof StoreFailed) || known === undefined) throw error;
        log('warn', 'Cannot read the secret of a bank again: the cached one stays in use', { cause: error.message });
        next.at = nowMs() - keptMs + againMs;
        return known;
      });
    const next = { at: nowMs(), secret };
    kept = next;
    secret.then(
      (read) => void (known = read),
      () => void (kept = kept === next ? undefined : kept),
    );
    return secret;
  };
}

/** Secrets Manager failed: whether the secret exists is not known. */
class StoreFailed extends SecretUnavailable {}

async function readSecret(name: string, fetchSecret: FetchSecret): Promise<string> {
  let text: string | undefined;
  try {
    text = await fetchSecret(name);
  } catch (error) {
    const errorName = error instanceof Error ? error.name : 'Error';
    if (errorName === 'ResourceNotFoundException') throw new SecretUnavailable(`The secret ${name} does not exist.`);
    // Messages of the SDK may hold names of roles.
    throw new StoreFailed(`Cannot read the secret of the bank: ${errorName}.`);
  }
  if (text === undefined) throw new SecretUnavailable(`The secret ${name} does not exist.`);
  return text;
}
