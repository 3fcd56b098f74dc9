import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalStartError } from '@banking-order/cdk-local';
import type { QiTech } from '@banking-order/fake-bank';
import { keepSigningKey } from '@banking-order/fake-bank';
import type { Connecting, Front, Ground } from './connecting.ts';
import { act, connectEach, connectFirstAccount, keptClient } from './connecting.ts';
import { serveWebhooks } from './webhook-front.ts';

type Running = Omit<QiTech, 'close'>;
type Client = Omit<QiTech['client'], 'privateKeyFile'>;

/**
 * Connects the first account of each company to the fake bank QI Tech. Every start does so, because its ports are new.
 *
 * @returns The server that receives the bank's webhooks.
 * @throws LocalStartError when an account is missing, or the bank refuses a client or the address of its webhooks.
 */
export async function connectToQiTech(ground: Ground): Promise<Front> {
  const bank = JSON.parse(readFileSync(ground.bankFile, 'utf8')) as Running;
  const front = await serveWebhooks((event) => ground.invoke('ApplyCallbacksFunction', event));
  const keys = join(ground.folder, 'bank', 'keys');
  return connectEach(ground, front, async (connecting) => {
    const { client, key } = await clientOf(bank, keys, connecting);
    const [account] = client.accounts;
    if (account === undefined) throw new LocalStartError('Cannot connect the fake bank: its client has no account.');
    const { companyId, connectionId } = await connectFirstAccount(connecting, {
      dialect: 'QITECH',
      apiUrl: bank.apiUrl,
      control: bank.controlUrl,
      authorities: bank.caFile,
      clientId: client.apiClientKey,
      key,
      accountKey: account.account_key,
    });
    const url = `${front.url}/${companyId}/${connectionId}`;
    await act(bank.controlUrl, 'webhook', { client: client.apiClientKey, url });
  });
}

/** Returns the company's client at the bank, and the file of its private key. */
async function clientOf(
  { client, controlUrl }: Running,
  keys: string,
  { company: { companyId, accounts }, isFirst, file }: Connecting,
): Promise<{ readonly client: Client; readonly key: string }> {
  if (isFirst) return { client, key: client.privateKeyFile };
  const { publicKey, privateKeyFile: key } = keepSigningKey(keys, `client-${companyId}`);
  const [account] = accounts;
  const owner = { owner_name: account?.fullName, owner_document_number: account?.document.number };
  const kept = await keptClient(file('client'), controlUrl, { public_key: publicKey, ...owner });
  return { client: kept as Client, key };
}
