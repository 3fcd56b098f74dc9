import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { connectedCapabilities } from '#shared/bank/api-pix/capabilities.ts';
import type { BankClient } from '#shared/bank/api-pix/client.ts';
import type { BankSecret } from '#shared/bank/api-pix/credentials.ts';
import { parseSecret } from '#shared/bank/api-pix/credentials.ts';
import { certificateEnd, daysToReplace } from '#shared/bank/certificate.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { callbackTokenHash, readConnection } from '#shared/bank/connection.ts';
import { notFound } from '#shared/core/errors.ts';
import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { openBank } from './bank-client.ts';
import { webhookName, webhookPaths } from './bank-webhooks.ts';
import type { OperatorDependencies } from './target.ts';

type Fault = { readonly checked: string; readonly fault: string };

/**
 * What keeps a company's bank from working, one line each: its pause, secret, certificate, token, scopes, a read of
 * each resource, and where its callbacks go. Reads alone; nothing of the secret is told.
 * @throws RequestError 404
 */
export async function checkBank(
  dependencies: OperatorDependencies,
  { companyId }: { readonly companyId: string },
): Promise<readonly Fault[]> {
  const { store, now, bankSecrets } = dependencies;
  const connection = await readConnection(store, companyId);
  if (connection === undefined) throw notFound('Connection');
  const paused = connection.paused;
  const pause = paused === undefined ? [] : [fault('pause', `until ${paused.until}: ${paused.cause}`)];
  const { fetch: fetchSecret } = bankSecrets();
  const secret = await secretOf(connection, fetchSecret);
  if ('fault' in secret) return [...pause, secret];
  const certificate = certificateFaults(secret, now);
  const client = await openBank(dependencies, companyId);
  const scopes = await scopesOf(client);
  // Without a token nothing else can be asked.
  if (typeof scopes !== 'string') return [...pause, ...certificate, scopes];
  const missing = missingScopes(scopes, connection);
  const rest = pause.length > 0 ? [] : await askEach(client, connection, now());
  return [...pause, ...certificate, ...missing, ...rest];
}

function fault(checked: string, text: string): Fault {
  return { checked, fault: text };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}

async function secretOf(
  { secret }: BankConnection,
  fetchSecret: (name: string) => Promise<string | undefined>,
): Promise<BankSecret | Fault> {
  try {
    const text = await fetchSecret(secret);
    return text === undefined ? fault('secret', `there is no secret ${secret}`) : parseSecret(text);
  } catch (error) {
    return fault(
      'secret',
      error instanceof Error && error.name !== 'Error' ? `${error.name}: ${secret}` : 'unreadable',
    );
  }
}

function certificateFaults({ certificate, key }: BankSecret, now: Clock): readonly Fault[] {
  try {
    const read = new X509Certificate(certificate);
    if (!read.checkPrivateKey(createPrivateKey(key))) return [fault('certificate', 'the key is another one’s')];
    const end = certificateEnd(certificate);
    if (end <= now()) return [fault('certificate', `ended on ${end}`)];
    const days = daysToReplace(end, now());
    return days !== undefined ? [fault('certificate', `ends in ${days} days, on ${end}`)] : [];
  } catch {
    return [fault('certificate', 'it is no PEM')];
  }
}

async function scopesOf(client: BankClient): Promise<string | Fault> {
  try {
    return (await client.authorize()).scope;
  } catch (error) {
    return fault('token', messageOf(error));
  }
}

/** What each capability needs, as Efí calls it. */
function neededScopes(connection: BankConnection): readonly string[] {
  const can = connectedCapabilities(connection);
  const { byKey, staticCode, dynamicCode, accountTypes } = can.payouts;
  const pays = byKey || staticCode || dynamicCode || accountTypes.length > 0;
  return [
    ...['webhook.read', 'webhook.write'],
    ...(can.charges ? ['cob.read', 'cob.write', 'pix.read'] : []),
    ...(can.refunds ? ['pix.write'] : []),
    ...(can.recurrences
      ? ['rec.read', 'rec.write', 'cobr.read', 'cobr.write', 'payloadlocationrec.read', 'payloadlocationrec.write']
      : []),
    ...(can.recurrences ? ['webhookrec.read', 'webhookrec.write', 'webhookcobr.read', 'webhookcobr.write'] : []),
    ...(pays ? ['pix.send', 'gn.pix.send.read'] : []),
    ...(staticCode || dynamicCode ? ['gn.qrcodes.pay'] : []),
    ...(dynamicCode ? ['gn.qrcodes.read'] : []),
    ...(can.balance ? ['gn.balance.read'] : []),
  ];
}

function missingScopes(granted: string, connection: BankConnection): readonly Fault[] {
  const known = new Set(granted.split(/\s+/u));
  const missing = [...new Set(neededScopes(connection))].filter((scope) => !known.has(scope));
  return missing.length === 0 ? [] : [fault('scopes', `not granted: ${missing.join(' ')}`)];
}

const Webhook = z.object({ webhookUrl: z.string() });

async function askEach(client: BankClient, connection: BankConnection, at: Instant): Promise<readonly Fault[]> {
  const can = connectedCapabilities(connection);
  const from = `${plusDays(at.slice(0, 10), -1)}T00:00:00.000Z`;
  const window = new URLSearchParams({ inicio: from, fim: plusSeconds(at, 0) }).toString();
  const lists = [
    ...(can.charges ? ['/v2/cob', '/v2/pix'] : []),
    ...(can.recurrences ? ['/v2/rec', '/v2/cobr'] : []),
    ...(can.payouts.byKey ? ['/v2/gn/pix/enviados'] : []),
  ];
  const reads = [
    ...lists.map((path) => [path, `${path}?${window}`] as const),
    ...(can.balance ? [['/v2/gn/saldo', '/v2/gn/saldo'] as const] : []),
  ];
  const faults: Fault[] = [];
  for (const [name, path] of reads) {
    const verdict = await client.question({ method: 'GET', path });
    if (verdict.is === 'REFUSED') faults.push(fault(`GET ${name}`, `refused: ${verdict.code}`));
    else if (verdict.is === 'NOT_NOW') faults.push(fault(`GET ${name}`, verdict.cause));
    else if (verdict.is !== 'OK') faults.push(fault(`GET ${name}`, 'no answer that can be understood'));
  }
  for (const path of webhookPaths(connection)) {
    const verdict = await client.question({ method: 'GET', path });
    const { data } = Webhook.safeParse(verdict.is === 'OK' ? verdict.body : undefined);
    const name = webhookName(path);
    if (data === undefined) faults.push(fault(name, 'none is registered'));
    else if (!isOurs(data.webhookUrl, connection)) faults.push(fault(name, 'another address is registered'));
  }
  return faults;
}

/** Whether an address ends in the token of this connection, whatever Efí's options add. */
function isOurs(webhookUrl: string, { callback }: BankConnection): boolean {
  if (!URL.canParse(webhookUrl)) return false;
  const parts = new URL(webhookUrl).pathname.split('/');
  return parts.some((part) => part !== '' && callbackTokenHash(part) === callback.tokenHash);
}
