import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connectedCapabilities } from '#shared/bank/connected-capabilities.ts';
import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import { check, parseSecret, reader } from '#shared/bank/dialects/dialects.ts';
import type { Identified } from '#shared/bank/dialects/manifest.ts';
import { readBankCalls, refusalText } from '#shared/bank/calls/bank-calls.ts';
import { certificateExpiry, daysToReplace } from '#shared/bank/certificate.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { openBank } from './bank-client.ts';
import type { Check, CheckError } from './bank-errors.ts';
import { callbackChecks, checkError, checks, keyChecks, messageOf, webhookErrors } from './bank-errors.ts';
import { webhookPaths } from './bank-webhooks.ts';
import type { Which } from './bank-client.ts';
import { namedConnections } from './bank-client.ts';
import type { OperatorDependencies } from './target.ts';

type Checked = { readonly companyId: string; readonly problems: number; readonly checks: readonly Check[] };

/**
 * Checks a company's banks, one connection or all: pauses, keys, secret, certificate, token, scopes, a read of each
 * resource, webhook addresses, and operations refused to the service. Checks that a problem prevents are left out. Only
 * reads; shows nothing of the secret.
 * @throws RequestError 404
 */
export async function checkBank(dependencies: OperatorDependencies, which: Which): Promise<Checked> {
  const connections = await namedConnections(dependencies, which);
  const found: Check[] = [];
  for (const connection of connections) {
    const ofOne = await checkConnection(dependencies, connection);
    // With several connections each line names its own.
    const isOne = connections.length === 1;
    found.push(...(isOne ? ofOne : ofOne.map((one) => ({ ...one, checked: `${connection.id} ${one.checked}` }))));
  }
  const problems = found.filter(({ error }) => error !== null).length;
  return { companyId: which.companyId, problems, checks: found };
}

async function checkConnection(
  dependencies: OperatorDependencies,
  connection: BankConnection,
): Promise<readonly Check[]> {
  const asked = new Set<string>();
  const found = await checksOf(dependencies, connection, asked);
  return [...found, ...(await keptChecks(dependencies, connection, asked))];
}

/** Checks recorded pauses and refusals of the service's calls. Refusals of `asked` are left out: just checked. */
async function keptChecks(
  { store, now }: OperatorDependencies,
  connection: BankConnection,
  asked: ReadonlySet<string>,
): Promise<readonly Check[]> {
  const { refusals = {}, pauses = {} } = (await readBankCalls(store, connection)) ?? {};
  const paused = Object.entries(pauses).filter(([, { until }]) => until > now());
  const refused = Object.entries(refusals).filter(([operation]) => !asked.has(operation));
  return [
    ...checks(
      'pauses of lists and look-ups',
      paused.map(([kind, { until, cause }]) => checkError(`pause of ${kind}`, `until ${until}: ${cause}`)),
    ),
    ...checks(
      'sends and other calls of the service: none refused',
      refused.map(([operation, refusal]) => checkError(operation, refusalText(refusal))),
    ),
  ];
}

/** Checks one connection. @param asked receives the operations that the check called at the bank */
async function checksOf(
  dependencies: OperatorDependencies,
  connection: BankConnection,
  asked: Set<string>,
): Promise<readonly Check[]> {
  const { now, bankSecrets } = dependencies;
  const { paused } = connection;
  const pause = paused === undefined ? [] : [checkError('pause', `until ${paused.until}: ${paused.cause}`)];
  const known = [...checks('pause', pause), ...keyChecks(connection)];
  const { fetch: fetchSecret } = bankSecrets();
  const secret = await secretOf(connection, fetchSecret);
  if ('error' in secret) return [...known, secret];
  const certificate = certificateError(secret, now);
  const certified = checks('certificate', certificate === undefined ? [] : [certificate.line]);
  const own = [...known, ...checks('secret', []), ...certified];
  if (certificate?.isFatal === true) return own;
  const client = await openBank(dependencies, connection);
  const scopes = await scopesOf(client);
  // Without a token nothing else can be asked.
  if (typeof scopes !== 'string') return [...own, scopes];
  const granted = checks('scopes', missingScopes(scopes, connection));
  const rest = paused !== undefined ? [] : await readEachResource(client, connection, dependencies, asked);
  return [...own, ...checks('token', []), ...granted, ...rest];
}

async function secretOf(
  { dialect, secret }: BankConnection,
  fetchSecret: (name: string) => Promise<string | undefined>,
): Promise<Identified | CheckError> {
  try {
    const text = await fetchSecret(secret);
    return text === undefined
      ? checkError('secret', `the secret ${secret} does not exist`)
      : parseSecret[dialect](text);
  } catch (error) {
    return checkError(
      'secret',
      error instanceof Error && error.name !== 'Error' ? `${error.name}: ${secret}` : 'unreadable',
    );
  }
}

/** Checks the certificate. Fatal: the bank refuses every connection with it. */
function certificateError(
  { certificate, key }: Identified,
  now: Clock,
): { readonly isFatal: boolean; readonly line: CheckError } | undefined {
  const found = (isFatal: boolean, text: string) => ({ isFatal, line: checkError('certificate', text) });
  if (certificate === undefined) return undefined;
  try {
    const read = new X509Certificate(certificate);
    if (!read.checkPrivateKey(createPrivateKey(key))) return found(true, 'the key does not belong to the certificate');
    const end = certificateExpiry(certificate);
    if (end <= now()) return found(true, `expired on ${end}`);
    const days = daysToReplace(end, now());
    return days === undefined ? undefined : found(false, `expires in ${days} days, on ${end}`);
  } catch {
    return found(true, 'the certificate or its key is not PEM');
  }
}

async function scopesOf(client: BankClient): Promise<string | CheckError> {
  try {
    return (await client.authorize()).scope;
  } catch (error) {
    return checkError('token', messageOf(error));
  }
}

function missingScopes(granted: string, connection: BankConnection): readonly CheckError[] {
  const known = new Set(granted.split(/\s+/u));
  const missing = [...new Set(check[connection.dialect].scopes(connectedCapabilities(connection)))].filter(
    (scope) => !known.has(scope),
  );
  return missing.length === 0 ? [] : [checkError('scopes', `not granted: ${missing.join(' ')}`)];
}

/** Reads once each resource that the bank's contract has, and each webhook address at the bank. */
async function readEachResource(
  client: BankClient,
  connection: BankConnection,
  { now, plans, bankSecrets }: Pick<OperatorDependencies, 'now' | 'plans' | 'bankSecrets'>,
  operations: Set<string>,
): Promise<readonly Check[]> {
  const can = connectedCapabilities(connection);
  const at = now();
  const from = `${plusDays(at.slice(0, 10), -1)}T00:00:00.000Z`;
  const asks = check[connection.dialect];
  const window = asks.window(from, plusSeconds(at, 0));
  const lists = asks.lists(can, connection);
  const errors: CheckError[] = [];
  for (const path of [...lists, ...(can.balance ? [asks.balance] : []), ...webhookPaths(connection)])
    operations.add(asks.operation({ method: 'GET', path }));
  for (const path of lists) {
    await client
      .query({ method: 'GET', path: `${path}?${window}` })
      .catch((error: unknown) => errors.push(checkError(`GET ${path}`, messageOf(error))));
  }
  if (can.balance)
    await reader[connection.dialect]({ client, connection }, now)
      .balance()
      .catch((error: unknown) => errors.push(checkError(`GET ${asks.balance}`, messageOf(error))));
  const webhooks = await webhookErrors(client, connection);
  const failed = [...errors, ...webhooks.errors];
  const names = [...lists, ...(can.balance ? [asks.balance] : [])].map((path) => `GET ${path}`);
  const all = [...names, ...webhooks.names];
  const passed = all.filter((name) => !failed.some(({ checked }) => checked === name));
  const rest = await callbackChecks(webhooks.hosts, bankSecrets().allowLocal ? undefined : plans());
  return [...passed.flatMap((name) => checks(name, [])), ...together(failed, all.length), ...rest];
}

/** Merges an equal problem of several checks into one line, named `API` if all `asked` checks have the problem. */
function together(errors: readonly CheckError[], asked: number): readonly CheckError[] {
  const groups = Map.groupBy(errors, (error) => error.error);
  return [...groups].map(([text, same]) =>
    checkError(same.length === asked ? 'API' : same.map(({ checked }) => checked).join(', '), text),
  );
}
