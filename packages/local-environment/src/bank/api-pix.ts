import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalStartError } from '@banking-order/cdk-local';
import type { LocalBank } from '@banking-order/fake-bank';
import { openAuthority } from '@banking-order/fake-bank';
import { registerWebhooks } from '#infra/operator/bank-webhooks.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import { serveCallbacks } from './callback-front.ts';
import type { Company, Connecting, Front, Ground } from './connecting.ts';
import { connectEach, connectFirstAccount, keptClient } from './connecting.ts';

type Running = Omit<LocalBank, 'close'>;

/**
 * Connects the first account of each company to the fake bank with API Pix. Every start does so, because its ports are
 * new.
 *
 * @returns The server that receives the bank's callbacks.
 * @throws LocalStartError when an account or token is missing, or the bank refuses a client or the callback address.
 */
export async function connectToApiPix(ground: Ground): Promise<Front> {
  const { folder, bankFile, invoke } = ground;
  const bank = JSON.parse(readFileSync(bankFile, 'utf8')) as Running;
  const authority = openAuthority(join(folder, 'bank', 'certificates'));
  const front = await serveCallbacks(authority, (event) => invoke('ReceiveCallbacksFunction', event));
  return connectEach(ground, front, (connecting) => connectCompany(bank, front.url, connecting));
}

async function connectCompany(bank: Running, url: string, connecting: Connecting): Promise<void> {
  const { operator, company, file } = connecting;
  const client = await clientOf(bank, connecting);
  const [account] = client.accounts;
  if (account === undefined) throw new LocalStartError('Cannot connect the fake bank: its client has no account.');
  replaceFile(file('client-secret'), client.secret);
  const { callbackSecret } = await connectFirstAccount(connecting, {
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
  });
  const token = file('callback-token');
  if (typeof callbackSecret === 'string') replaceFile(token, callbackSecret);
  if (!existsSync(token))
    throw new LocalStartError(`${token} is missing. Delete the local data with npm start -- --fresh.`);
  const [error] = await registerWebhooks(operator, { companyId: company.companyId, url, token });
  if (error !== undefined)
    throw new LocalStartError(`Cannot register the webhook ${error.webhook} at the fake bank: ${error.error}.`);
}

async function clientOf({ client, controlUrl }: Running, { company, isFirst, file }: Connecting) {
  if (isFirst) return client;
  return (await keptClient(file('client'), controlUrl, requestOf(company))) as LocalBank['client'];
}

function requestOf({ accounts: [account] }: Company): object {
  return { nome: account?.fullName, cnpj: account?.document.number };
}
