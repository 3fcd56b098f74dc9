import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningTemplate } from '@banking-order/cdk-local';
import { LocalStartError } from '@banking-order/cdk-local';
import { connectBank } from '#infra/operator/connecting/connect.ts';
import { localBankSecrets } from '#infra/operator/bank-secrets.ts';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import type { BankDependencies } from '#infra/operator/target.ts';
import { isOnThisMachine, liveConnections, readBanks } from '#shared/bank/connection.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { Store } from '#shared/platform/table/store.ts';

/** What connecting to any fake bank needs of the environment. */
export type Ground = {
  /** Data folder of the environment. */
  readonly folder: string;
  readonly store: Store;
  /** The first company uses the bank's first client; every other company gets its own client. */
  readonly companies: readonly Company[];
  /** The bank's connection details (`connection.json`). */
  readonly bankFile: string;
  readonly invoke: RunningTemplate['invoke'];
};
export type Company = Pick<SandboxCompany, 'companyId' | 'accounts'>;

/** Server that the bank calls, until it is stopped. */
export type Front = { readonly url: string; readonly stop: () => Promise<void> };

/** A company to connect; `file` returns the path of a file of it, and `isFirst`: it has the bank's first client. */
export type Connecting = {
  readonly operator: BankDependencies;
  readonly company: Company;
  readonly isFirst: boolean;
  readonly file: (name: string) => string;
};

/** Connects each company. After an error it stops the server. @throws LocalStartError as `connect` */
export async function connectEach<F extends Front>(
  { folder, store, companies }: Ground,
  front: F,
  connect: (connecting: Connecting) => Promise<void>,
): Promise<F> {
  const operator = { store, ids: randomIds, now: systemClock, bankSecrets: () => localBankSecrets(folder) };
  try {
    for (const [at, company] of companies.entries()) {
      const file = (name: string): string => join(folder, 'bank', at === 0 ? name : `${name}-${company.companyId}`);
      await connect({ operator, company, isFirst: at === 0, file });
    }
    return front;
  } catch (error) {
    await front.stop();
    throw error;
  }
}

/** Returns the answer of the bank's control surface to an action. @throws LocalStartError when it refuses the action */
export async function act(controlUrl: string, name: string, body: object): Promise<string> {
  const response = await fetch(`${controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new LocalStartError(`The fake bank refused ${name}: ${text}.`);
  return text;
}

/**
 * Returns the client of a company at the bank, as its file has it; creates both at the first start. A crash may leave
 * an unused client.
 */
export async function keptClient(file: string, controlUrl: string, request: object): Promise<unknown> {
  if (!existsSync(file)) replaceFile(file, await act(controlUrl, 'clients', request));
  return JSON.parse(readFileSync(file, 'utf8'));
}

type Wanted = Parameters<typeof connectBank>[1];
/** Options of `bank:connect`, without those of the account. */
type Options = Pick<Wanted, 'dialect' | 'apiUrl' | 'clientId'> & Readonly<Record<string, string | undefined>>;

/**
 * Connects the first account of a company, with the code of the operator's command. A connection of an earlier start,
 * whose bank had other ports, is updated.
 *
 * @throws LocalStartError when the company has no account, or is connected to another fake bank
 */
export async function connectFirstAccount(
  { operator, company: { companyId, accounts } }: Pick<Connecting, 'operator' | 'company'>,
  options: Options,
): ReturnType<typeof connectBank> {
  const [account] = accounts;
  if (account === undefined) throw new LocalStartError('Cannot connect the fake bank: the company has no account.');
  const { dialect = 'EFI', clientId } = options;
  const earlier = liveConnections(await readBanks(operator.store, companyId)).filter(({ apiUrl }) =>
    isOnThisMachine(apiUrl),
  );
  if (earlier.some((connection) => connection.dialect !== dialect))
    throw new LocalStartError(
      'The company is connected to another fake bank. Start that one, or delete the local data with npm start -- --fresh.',
    );
  const moved = earlier.find((connection) => connection.clientId === clientId);
  return connectBank(operator, { ...options, companyId, accountId: account.id, environment: 'local' }, moved?.id);
}
