import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '#shared/platform/table/store.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { connectBank } from '#infra/operator/bank-connection.ts';
import { localBankSecrets } from '#infra/operator/bank-secrets.ts';
import { registerWebhooks } from '#infra/operator/bank-webhooks.ts';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import { LocalStartError } from '../template/local-template.ts';
import { serveCallbacks } from './callback-front.ts';
import { openAuthority } from './certificates.ts';
import type { LocalBank } from './start.ts';

type Where = {
  /** Data folder of the environment. */
  readonly folder: string;
  readonly store: Store;
  readonly company: Pick<SandboxCompany, 'companyId' | 'accounts'>;
  /** What the bank says of itself (`connection.json`). */
  readonly bankFile: string;
  /** Takes what the bank calls about: the function `receive-callbacks`. */
  readonly hear: Parameters<typeof serveCallbacks>[1];
};

/**
 * Connects the first account of a company to the bank of this machine, by the operator's own commands. Ports are new at
 * every start, so each start does it.
 *
 * @returns what hears its callbacks until it is stopped
 * @throws LocalStartError when the bank does not take the address of its callbacks.
 */
export async function connectCompany({ folder, store, company, bankFile, hear }: Where) {
  const bank = JSON.parse(readFileSync(bankFile, 'utf8')) as Omit<LocalBank, 'close'>;
  const [account] = bank.client.accounts;
  const accountId = company.accounts[0]?.id;
  if (account === undefined || accountId === undefined) throw new LocalStartError('There is no account to connect.');
  const { companyId } = company;
  const file = (name: string): string => join(folder, 'bank', name);
  replaceFile(file('client-secret'), bank.client.secret);
  const operator = { store, ids: randomIds, now: systemClock, bankSecrets: () => localBankSecrets(folder) };
  const { callbackSecret } = await connectBank(operator, {
    ...{ companyId, accountId, environment: 'local' },
    ...{ apiUrl: bank.apiUrl, tokenUrl: bank.tokenUrl, control: bank.controlUrl, authorities: bank.caFile },
    ...{ clientId: bank.client.id, clientSecret: file('client-secret') },
    ...{ certificate: bank.client.certFile, key: bank.client.keyFile, callbackSubject: bank.callbackSubject },
    ...account,
  });
  const token = file('callback-token');
  if (typeof callbackSecret === 'string') replaceFile(token, callbackSecret);
  if (!existsSync(token)) throw new LocalStartError(`${token} is gone: begin anew with --fresh.`);
  const front = await serveCallbacks(openAuthority(join(folder, 'bank', 'certificates')), hear);
  const [fault] = await registerWebhooks(operator, { companyId, url: front.url, token });
  if (fault === undefined) return front;
  await front.stop();
  throw new LocalStartError(`The bank of this machine: ${fault.webhook}: ${fault.fault}.`);
}
