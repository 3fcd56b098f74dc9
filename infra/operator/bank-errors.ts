import { isIP } from 'node:net';
import { connect } from 'node:tls';
import * as z from 'zod';
import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { callbackTokenHash, isOnThisMachine } from '#shared/bank/connection.ts';
import { check } from '#shared/bank/dialects/dialects.ts';
import { truststoreWarnings } from './bank-truststore.ts';
import { webhookPaths } from './bank-webhooks.ts';
import type { PlanGateway } from './usage-plan.ts';

/** A check, and the problem that it found; null for none. */
export type Check = { readonly result: '✔' | '✘'; readonly checked: string; readonly error: string | null };
export type CheckError = Check & { readonly error: string };

export function checkError(checked: string, text: string): CheckError {
  return { result: '✘', checked, error: text };
}

/** Returns the errors of a check, or that it found none. */
export function checks(checked: string, errors: readonly Check[]): readonly Check[] {
  return errors.length > 0 ? errors : [{ result: '✔', checked, error: null }];
}

/**
 * Returns the message of an error without its prefix about a pause. The first errors of a check pause the connection:
 * later errors have the same cause.
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^The connection is paused: /u, '') : 'failed';
}

const Webhook = z.object({ webhookUrl: z.string(), chave: z.string().nullish() });

/**
 * Checks the webhook addresses registered at the bank.
 * @returns `names`: of the addresses; `hosts`: origins of those with a current or previous token of this connection
 */
export async function webhookErrors(client: BankClient, connection: BankConnection) {
  const { webhooks } = check[connection.dialect];
  const errors: CheckError[] = [];
  const names: string[] = [];
  const hosts = new Set<string>();
  for (const path of webhookPaths(connection)) {
    const name = webhooks?.nameOf(path) ?? path;
    names.push(name);
    try {
      const body = await client.query({ method: 'GET', path });
      const { data } = Webhook.safeParse(body);
      const { chave } = data ?? {};
      if (chave !== undefined && chave !== null && webhooks?.isOf(path, chave) === false)
        errors.push(checkError(name, 'the bank returns another key'));
      else if (data !== undefined && isFormerAddress(data.webhookUrl, connection)) {
        errors.push(checkError(name, 'the registered address has the previous token'));
        hosts.add(new URL(data.webhookUrl).origin);
      } else if (data !== undefined && isOurs(data.webhookUrl, connection)) hosts.add(new URL(data.webhookUrl).origin);
      else
        errors.push(
          checkError(name, data === undefined ? 'no address is registered' : 'another address is registered'),
        );
    } catch (error) {
      errors.push(checkError(name, messageOf(error)));
    }
  }
  return { errors, names, hosts: [...hosts] };
}

/** Returns whether the path of an address contains the connection's current token. Efí's options may follow it. */
function isOurs(webhookUrl: string, { callback }: BankConnection): boolean {
  return tokensOf(webhookUrl).includes(callback.tokenHash);
}

function isFormerAddress(webhookUrl: string, { callback: { former = [] } }: BankConnection): boolean {
  return tokensOf(webhookUrl).some((token) => former.includes(token));
}

function tokensOf(webhookUrl: string): readonly string[] {
  if (!URL.canParse(webhookUrl)) return [];
  const parts = new URL(webhookUrl).pathname.split('/');
  return parts.filter((part) => part !== '').map(callbackTokenHash);
}

/** Checks whether the PIX keys of a connection are in the format of the DICT. */
export function keyChecks({ accounts }: BankConnection): readonly Check[] {
  const errors = Object.entries(accounts)
    .filter(([, { chave }]) => chave !== undefined && recognisePixKey(chave)?.key !== chave)
    .map(([id]) =>
      checkError('chave', `the key of account ${id} is not in the format of the DICT: connect the account again`),
    );
  return checks('chave', errors);
}

/** Checks whether banks can call these origins. @param gateway API Gateway of the environment, if it is on AWS */
export async function callbackChecks(
  origins: readonly string[],
  gateway: PlanGateway | undefined,
): Promise<readonly Check[]> {
  const found: Check[] = [];
  for (const origin of origins) {
    const code = await connectionError(origin);
    const errors = code === undefined ? [] : [checkError('callbacks', `${origin} does not respond: ${code}`)];
    found.push(...checks(`callbacks to ${origin}`, errors));
    if (gateway === undefined) continue;
    const warnings = await truststoreWarnings(gateway, new URL(origin).hostname).catch((error: unknown) => [
      `unreadable: ${error instanceof Error ? error.name : 'failed'}`,
    ]);
    found.push(
      ...checks(
        'truststore',
        warnings.map((warning) => checkError('truststore', warning)),
      ),
    );
  }
  return found;
}

const answersWithinMs = 5000;

/**
 * Opens a TLS connection without a client certificate. Returns the code of its error, or undefined. The host is
 * expected to request a certificate, but later.
 */
async function connectionError(origin: string): Promise<string | undefined> {
  const { hostname, port } = new URL(origin);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // No public authority signs certificates of this machine.
  const rejectUnauthorized = !isOnThisMachine(origin);
  const name = isIP(hostname) === 0 ? { servername: hostname } : {};
  const socket = connect({ host: hostname, port: Number(port === '' ? 443 : port), ...name, rejectUnauthorized });
  socket.setTimeout(answersWithinMs, () => {
    resolve('TIMEOUT');
  });
  socket.on('secureConnect', () => {
    resolve(undefined);
  });
  socket.on('error', (error: Error) => {
    resolve('code' in error ? String(error.code) : error.name);
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
