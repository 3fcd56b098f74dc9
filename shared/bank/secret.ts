import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { BankSecret } from './api-pix/credentials.ts';
import { parseSecret, SecretUnavailable } from './api-pix/credentials.ts';
import { nowMs } from '#shared/platform/clock.ts';

/** How a secret is read: one call of Secrets Manager. */
export type FetchSecret = (name: string) => Promise<string | undefined>;

/** By the SDK's own settings: region, credentials, `AWS_ENDPOINT_URL_SECRETS_MANAGER`. */
export function secretsManager(): FetchSecret {
  let client: SecretsManagerClient | undefined;
  return async (SecretId) => {
    client ??= new SecretsManagerClient({
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
    });
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  };
}

const keptMs = 600_000;
/** A secret that the bank refuses is read again, but not by every call. */
const staleMs = 10_000;

/**
 * Reads a secret at most every ten minutes, and sooner once the bank refused what was known: an operator may have
 * rotated it.
 */
export function keptSecret(name: string, fetchSecret: FetchSecret): (isStale: boolean) => Promise<BankSecret> {
  let kept: { readonly at: number; readonly secret: Promise<BankSecret> } | undefined;
  return (isStale) => {
    const ageMs = kept === undefined ? Infinity : nowMs() - kept.at;
    if (kept !== undefined && ageMs < (isStale ? staleMs : keptMs)) return kept.secret;
    const secret = readSecret(name, fetchSecret);
    const next = { at: nowMs(), secret };
    kept = next;
    secret.catch(() => void (kept = kept === next ? undefined : kept));
    return secret;
  };
}

async function readSecret(name: string, fetchSecret: FetchSecret): Promise<BankSecret> {
  let text: string | undefined;
  try {
    text = await fetchSecret(name);
  } catch (error) {
    // Messages of the SDK may hold names of roles.
    throw new SecretUnavailable(
      `The secret of the bank cannot be read: ${error instanceof Error ? error.name : 'Error'}.`,
    );
  }
  if (text === undefined) throw new SecretUnavailable(`There is no secret ${name}.`);
  return parseSecret(text);
}
