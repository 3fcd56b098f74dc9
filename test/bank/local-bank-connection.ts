import { readFileSync } from 'node:fs';
import type { LocalBank } from '@banking-order/fake-bank';
import type { Connected } from '#shared/bank/connected.ts';
import { connections } from '#shared/bank/connections.ts';
import type { OpenTools } from '#shared/bank/dialects/manifest.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { memoryStore } from '../support/memory-store.ts';
import { accountId, companyId } from './scripted-bank.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

/** The adapter of a company whose first account is that of the bank's first client. @param now Of the pauses. */
export async function connectToLocalBank(
  { client, apiUrl, tokenUrl, caFile }: Pick<LocalBank, 'client' | 'apiUrl' | 'tokenUrl' | 'caFile'>,
  now: () => string,
  report: OpenTools['report'] = () => undefined,
): Promise<Connected> {
  const store = memoryStore();
  const read = (file: string): string => readFileSync(file, 'utf8');
  const secret = JSON.stringify({
    ...{ clientId: client.id, clientSecret: client.secret, authorities: read(caFile) },
    ...{ certificate: read(client.certFile), key: read(client.keyFile) },
  });
  const connection = connectedItems({
    ...{ id: connectionId, clientId: client.id },
    ...{ companyId, dialect: 'EFI', apiUrl, tokenUrl, secret: 'name', createdAt: now() },
    callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
    accounts: { [accountId]: client.accounts[0]! },
  });
  await store.write(connection, 'connect');
  const known = knownConnections(store, false);
  const fetchSecret = () => Promise.resolve(secret);
  const connect = connections({ store, known, now, fetchSecret, allowLocal: true, report });
  const connected = await connect(companyId, connectionId);
  if (connected === undefined) throw new Error('The company is not connected.');
  return connected;
}
