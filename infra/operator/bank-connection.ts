import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readAccount } from '#shared/accounts/store.ts';
import { parseSecret, SecretUnavailable } from '#shared/bank/api-pix/credentials.ts';
import { readBankCalls, refusalText } from '#shared/bank/bank-calls.ts';
import type { BankConnection, ConnectedAccount } from '#shared/bank/connection.ts';
import {
  bankSecretName,
  callbackTokenHash,
  connectionPut,
  isAllowedAddress,
  isOnThisMachine,
  readConnection,
  writePause,
} from '#shared/bank/connection.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { companyIds } from '#shared/platform/company.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Resolve } from '#shared/platform/target-guard.ts';
import { checkTarget } from '#shared/platform/target-guard.ts';
import type { BankDependencies, OnboardingDependencies } from './target.ts';
import { UsageError } from './values.ts';

type Wanted = Omit<ConnectedAccount, 'convenio'> & {
  readonly companyId: string;
  readonly accountId: string;
  readonly environment: string;
  readonly apiUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Files: what they hold is in no command line. */
  readonly clientSecret: string;
  readonly certificate: string;
  readonly key: string;
  readonly authorities?: string | undefined;
  readonly callbackSubject: string;
  readonly convenio?: string | undefined;
  readonly control?: string | undefined;
};
type Facts = Readonly<Record<string, string | null>>;

/**
 * Connects an account of a company to its bank; of several accounts each by a command of its own, by one certificate.
 * The token of the bank's callbacks is made once.
 * @throws RequestError 404; UsageError for what cannot be used: nothing was written then
 */
export async function connectBank(
  { store, ids, now, bankSecrets, resolve }: BankDependencies & { readonly resolve?: Resolve },
  wanted: Wanted,
): Promise<Facts> {
  const { companyId, accountId, environment, apiUrl, tokenUrl } = wanted;
  const secrets = bankSecrets();
  await requireAddresses({ 'api-url': apiUrl, 'token-url': tokenUrl }, secrets.allowLocal, resolve);
  const { control } = wanted;
  if (control !== undefined && !(secrets.allowLocal && isOnThisMachine(control)))
    throw new UsageError('--control is of a bank on this machine.');
  if ((await readAccount(store, companyId, accountId)) === undefined) throw notFound('Account');
  const [clock] = await store.read([keys.companyClock(companyId)]);
  // A bank has the time of the world, and what is due by another clock would not be done.
  if (clock !== undefined && !secrets.allowLocal)
    throw forbiddenByState('company', 'INVALID_VALUE', 'The clock of the company is simulated: reset it first.');
  const secret = bankSecretName(environment, companyId);
  const text = secretOf(wanted);
  const known = await readConnection(store, companyId);
  const token = randomBytes(16).toString('hex');
  const { chave, agencia, conta, tipoConta, convenio } = wanted;
  const account = { chave, agencia, conta, tipoConta, ...(convenio !== undefined && { convenio }) };
  const connection: BankConnection = {
    ...known,
    ...{ companyId, dialect: 'EFI', apiUrl: apiUrl.replace(/\/+$/u, ''), tokenUrl, secret },
    callback: { tokenHash: known?.callback.tokenHash ?? callbackTokenHash(token), subject: wanted.callbackSubject },
    accounts: { ...known?.accounts, [accountId]: account },
    ...(control !== undefined && { control: { url: control.replace(/\/+$/u, ''), client: wanted.clientId } }),
    createdAt: known?.createdAt ?? now(),
  };
  await secrets.write(secret, text);
  const { ok } = await store.write(connectionPut(connection), ids.uuid());
  if (!ok) throw forbiddenByState('company', 'ALREADY_EXISTS', 'The connection changed meanwhile: repeat the command.');
  const connected = { companyId, accountId, apiUrl: connection.apiUrl, secretName: secret };
  return known === undefined ? { ...connected, callbackSecret: token } : connected;
}

/** The dialect knows its paths: the API has none, the token's address has its own. @throws UsageError */
async function requireAddresses(
  urls: Readonly<Record<'api-url' | 'token-url', string>>,
  allowLocal: boolean,
  resolve?: Resolve,
): Promise<void> {
  for (const [option, url] of Object.entries(urls)) {
    const isPublic = allowLocal || (await checkTarget(url, { allowLocal }, resolve)) === undefined;
    if (!isAllowedAddress(url, allowLocal) || !isPublic)
      throw new UsageError(`--${option} must be https at a public name${allowLocal ? ' or on this machine' : ''}.`);
  }
  if (new URL(urls['api-url']).pathname !== '/') throw new UsageError('--api-url must have no path.');
}

/** The secret as the functions read it. @throws UsageError naming what is wrong, never a value */
function secretOf({ clientId, clientSecret, certificate, key, authorities }: Wanted): string {
  const read = (option: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      throw new UsageError(`--${option} must be a file that can be read.`);
    }
  };
  const text = JSON.stringify({
    clientId,
    clientSecret: read('client-secret', clientSecret),
    certificate: read('certificate', certificate),
    key: read('key', key),
    ...(authorities !== undefined && { authorities: read('authorities', authorities) }),
  });
  try {
    const secret = parseSecret(text);
    if (!new X509Certificate(secret.certificate).checkPrivateKey(createPrivateKey(secret.key)))
      throw new UsageError('--key is not the key of --certificate.');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof SecretUnavailable ? error.message : '--certificate and --key must be PEM.');
  }
  return text;
}

/** Every company with a bank of its own. */
export async function listBanks({ store }: Pick<OnboardingDependencies, 'store'>): Promise<readonly Facts[]> {
  const found: Facts[] = [];
  for await (const companyId of companyIds(store)) {
    const connection = await readConnection(store, companyId);
    if (connection === undefined) continue;
    const { dialect, apiUrl, accounts, paused, createdAt } = connection;
    found.push({
      ...{ companyId, dialect, apiUrl, accounts: Object.keys(accounts).join(' '), connectedAt: createdAt },
      ...{ pausedUntil: paused?.until ?? null, pausedBecause: paused?.cause ?? null },
      refused: await refusedAt(store, companyId),
    });
  }
  return found;
}

/** The operations that the bank refuses, with the status of each; null for none. */
async function refusedAt(store: OnboardingDependencies['store'], companyId: string): Promise<string | null> {
  const { refusals = {} } = (await readBankCalls(store, companyId)) ?? {};
  const texts = Object.entries(refusals).map(([operation, refusal]) => `${operation} ${refusalText(refusal)}`);
  return texts.length === 0 ? null : texts.join('; ');
}

/** Until an operator ends it. */
const forever = '9999-12-31T23:59:59.999Z';

/** Stops every call to a company's bank: commands wait, questions are 503. @throws RequestError 404, 409 */
export function pauseBank(dependencies: Pick<OnboardingDependencies, 'store'>, of: { readonly companyId: string }) {
  return replacePause(dependencies, of, { until: forever, cause: 'an operator paused it', failures: 0 });
}

/** Ends a pause, an operator's or the service's own. @throws RequestError 404, 409 */
export function resumeBank(dependencies: Pick<OnboardingDependencies, 'store'>, of: { readonly companyId: string }) {
  return replacePause(dependencies, of, undefined);
}

async function replacePause(
  { store }: Pick<OnboardingDependencies, 'store'>,
  { companyId }: { readonly companyId: string },
  next: BankConnection['paused'],
): Promise<Facts> {
  const connection = await readConnection(store, companyId);
  if (connection === undefined) throw notFound('Connection');
  if (!(await writePause(store, companyId, next, connection.paused)))
    throw forbiddenByState('company', 'INVALID_VALUE', 'The connection changed meanwhile: repeat the command.');
  return { companyId, pausedUntil: next?.until ?? null };
}
