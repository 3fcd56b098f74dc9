import { readFileSync } from 'node:fs';
import { connectedCapabilities } from '#shared/bank/connected-capabilities.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { callbackTokenHash } from '#shared/bank/connection.ts';
import { check } from '#shared/bank/dialects/dialects.ts';
import { openBank } from './bank-client.ts';
import type { Which } from './bank-client.ts';
import { oneConnection } from './bank-client.ts';
import type { BankDependencies } from './target.ts';
import { UsageError } from './values.ts';

type Wanted = Which & {
  /** Host that banks call: `https://callbacks.example.com.br`. */
  readonly url: string;
  /** File with the token that `bank:connect` showed. */
  readonly token: string;
};

/** Efí calls the address before it responds. */
const answersWithinMs = 60_000;

/** Returns the paths of the bank's API at which the callback address is registered. */
export function webhookPaths(connection: BankConnection): readonly string[] {
  return check[connection.dialect].webhooks?.paths(connection, connectedCapabilities(connection)) ?? [];
}

/**
 * Registers the callback address at the bank of a connection. A repetition changes nothing.
 * @returns an error for each address that the bank refused or did not confirm
 * @throws RequestError 404; UsageError if the file does not have the connection's current token
 */
export async function registerWebhooks(
  dependencies: BankDependencies,
  { url, token: file, ...which }: Wanted,
): Promise<readonly { readonly webhook: string; readonly error: string }[]> {
  const connection = await oneConnection(dependencies, which);
  const token = readFileSync(file, 'utf8').trim();
  if (callbackTokenHash(token) !== connection.callback.tokenHash)
    throw new UsageError('--token is not the current callback token of this connection.');
  const client = await openBank(dependencies, connection);
  const webhookUrl = `${url.replace(/\/+$/u, '')}/${token}`;
  const errors: { webhook: string; error: string }[] = [];
  for (const path of webhookPaths(connection)) {
    const signal = AbortSignal.timeout(answersWithinMs);
    const callOutcome = await client.command({ method: 'PUT', path, body: { webhookUrl }, signal });
    const webhook = check[connection.dialect].webhooks?.nameOf(path) ?? path;
    if (callOutcome.is === 'REFUSED')
      errors.push({ webhook, error: `refused: ${callOutcome.code}. ${callOutcome.reason.replaceAll(token, '…')}` });
    else if (callOutcome.is === 'NOT_NOW') errors.push({ webhook, error: callOutcome.cause });
    else if (callOutcome.is === 'UNKNOWN') errors.push({ webhook, error: 'no readable response' });
  }
  return errors;
}
