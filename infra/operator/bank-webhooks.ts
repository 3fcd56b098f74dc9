import { readFileSync } from 'node:fs';
import { connectedCapabilities } from '#shared/bank/api-pix/capabilities.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { callbackTokenHash } from '#shared/bank/connection.ts';
import { samePixKey } from '#shared/core/pix-key.ts';
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

/** Efí examines the address before it answers. */
const answersWithinMs = 60_000;

/** Where a bank is told an address: one for each key, one for all recs, one for all cobrs. */
export function webhookPaths(connection: BankConnection): readonly string[] {
  const chaves = new Set(Object.values(connection.accounts).map(({ chave }) => chave));
  return [
    ...[...chaves].map((chave) => `/v2/webhook/${encodeURIComponent(chave)}`),
    ...(connectedCapabilities(connection).recurrences ? ['/v2/webhookrec', '/v2/webhookcobr'] : []),
  ];
}

/** Whether an address told for a key is that of this one. */
export function isWebhookOf(path: string, chave: string): boolean {
  const of = path.startsWith('/v2/webhook/') ? decodeURIComponent(path.slice('/v2/webhook/'.length)) : undefined;
  return of === undefined || samePixKey(of, chave);
}

/** As an operator reads it: without the key, which may be a person's. */
export function webhookName(path: string): string {
  return path.startsWith('/v2/webhook/') ? 'webhook of a chave' : path.slice('/v2/'.length);
}

/**
 * Tells the bank behind a connection where to call back. A repetition changes nothing.
 * @returns what the bank did not take, one line each
 * @throws RequestError 404; UsageError for another token than that of the connection
 */
export async function registerWebhooks(
  dependencies: BankDependencies,
  { url, token: file, ...which }: Wanted,
): Promise<readonly { readonly webhook: string; readonly fault: string }[]> {
  const connection = await oneConnection(dependencies, which);
  const token = readFileSync(file, 'utf8').trim();
  if (callbackTokenHash(token) !== connection.callback.tokenHash)
    throw new UsageError('--token is not the token of this connection.');
  const client = await openBank(dependencies, connection);
  const webhookUrl = `${url.replace(/\/+$/u, '')}/${token}`;
  const faults: { webhook: string; fault: string }[] = [];
  for (const path of webhookPaths(connection)) {
    const signal = AbortSignal.timeout(answersWithinMs);
    const verdict = await client.command({ method: 'PUT', path, body: { webhookUrl }, signal });
    const webhook = webhookName(path);
    if (verdict.is === 'REFUSED')
      faults.push({ webhook, fault: `refused: ${verdict.code}. ${verdict.reason.replaceAll(token, '…')}` });
    else if (verdict.is === 'NOT_NOW') faults.push({ webhook, fault: verdict.cause });
    else if (verdict.is === 'UNKNOWN') faults.push({ webhook, fault: 'no answer that can be understood' });
  }
  return faults;
}
