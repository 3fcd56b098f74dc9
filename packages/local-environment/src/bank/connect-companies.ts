import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '#shared/platform/table/store.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { isOnThisMachine, liveConnections, readBanks } from '#shared/bank/connection.ts';
import { connectBank } from '#infra/operator/connecting/connect.ts';
import { localBankSecrets } from '#infra/operator/bank-secrets.ts';
import { registerWebhooks } from '#infra/operator/bank-webhooks.ts';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import { LocalStartError } from '@banking-order/cdk-local';
import { serveCallbacks } from './callback-front.ts';
import { openAuthority } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';

type Where = {
  /** Data folder of the environment. */
  readonly folder: string;
  readonly store: Store;
  /** The first company uses the bank's first client; every other company gets its own client. */
  readonly companies: readonly Company[];
  /** The bank's connection details (`connection.json`). */
  readonly bankFile: string;
  /** Receives the bank's callbacks: the function `receive-callbacks`. */
  readonly receive: Parameters<typeof serveCallbacks>[1];
};
type Company = Pick<SandboxCompany, 'companyId' | 'accounts'>;
type Running = Omit<LocalBank, 'close'>;

/**
 * Connects the first account of each company to the fake bank, with the code of the operator's commands. Every start
 * does so, because its ports are new.
 *
 * @returns The server that receives the bank's callbacks until it is stopped.
 * @throws LocalStartError when an account or token is missing, or the bank refuses a client or the callback address.
 */
export async function connectCompanies({ folder, store, companies, bankFile, receive }: Where) {
  const bank = JSON.parse(readFileSync(bankFile, 'utf8')) as Running;
  const operator = { store, ids: randomIds, now: systemClock, bankSecrets: () => localBankSecrets(folder) };
  const front = await serveCallbacks(openAuthority(join(folder, 'bank', 'certificates')), receive);
  try {
    for (const [at, company] of companies.entries()) {
      const file = (name: string): string => join(folder, 'bank', at === 0 ? name : `${name}-${company.companyId}`);
      const client = at === 0 ? bank.client : await clientOf(bank, company, file('client'));
      await connectCompany(operator, { ...bank, client }, { company, file, url: front.url });
    }
    return front;
  } catch (error) {
    await front.stop();
    throw error;
  }
}

/** Returns the company's client at the bank; creates it at the first start. A crash may leave an unused client. */
async function clientOf({ controlUrl }: Running, { accounts }: Company, kept: string) {
  if (!existsSync(kept)) {
    const [{ fullName: nome, document } = { fullName: '', document: { number: '' } }] = accounts;
    const body = JSON.stringify({ nome, cnpj: document.number });
    const response = await fetch(`${controlUrl}/clients`, { method: 'POST', body });
    if (!response.ok) throw new LocalStartError(`Cannot add a client to the fake bank: ${await response.text()}.`);
    replaceFile(kept, await response.text());
  }
  return JSON.parse(readFileSync(kept, 'utf8')) as LocalBank['client'];
}

type Connecting = {
  readonly company: Company;
  /** Returns the path of a file of this company. */
  readonly file: (name: string) => string;
  readonly url: string;
};

async function connectCompany(
  operator: Parameters<typeof connectBank>[0],
  bank: Running,
  { company: { companyId, accounts }, file, url }: Connecting,
): Promise<void> {
  const { client } = bank;
  const [account] = client.accounts;
  const accountId = accounts[0]?.id;
  if (account === undefined || accountId === undefined)
    throw new LocalStartError('Cannot connect the fake bank: the company or its client at the bank has no account.');
  replaceFile(file('client-secret'), client.secret);
  const moved = liveConnections(await readBanks(operator.store, companyId)).find(
    ({ clientId, apiUrl }) => clientId === client.id && isOnThisMachine(apiUrl),
  );
  const wanted = {
    companyId,
    accountId,
    environment: 'local',
    apiUrl: bank.apiUrl,
    tokenUrl: bank.tokenUrl,
    control: bank.controlUrl,
    authorities: bank.caFile,
    clientId: client.id,
    clientSecret: file('client-secret'),
    certificate: client.certFile,
    key: client.keyFile,
    callbackSubject: bank.callbackSubject,
    ...account,
  };
  const { callbackSecret } = await connectBank(operator, wanted, moved?.id);
  const token = file('callback-token');
  if (typeof callbackSecret === 'string') replaceFile(token, callbackSecret);
  if (!existsSync(token))
    throw new LocalStartError(`${token} is missing. Delete the local data with npm start -- --fresh.`);
  const [error] = await registerWebhooks(operator, { companyId, url, token });
  if (error !== undefined)
    throw new LocalStartError(`Cannot register the webhook ${error.webhook} at the fake bank: ${error.error}.`);
}
