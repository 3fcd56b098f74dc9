import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { companyOne } from '../support/bank-world.ts';
import type { Bank } from '@banking-order/fake-bank';
import { connectBank } from '#infra/operator/connecting/connect.ts';
import { rotateCallbacks } from '#infra/operator/bank-disconnect.ts';
import { readBanks } from '#shared/bank/connection.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { ModelClient } from './api-pix-clients.ts';
import { accountAt, accounts, keyAt, modelClients, openAt } from './api-pix-clients.ts';
import type { Ground } from './bank-behind.ts';

/** A process of the operator's commands: it dies and fails as those of the service do. */
type Process = { readonly store: Store; readonly died: Promise<'DIED'> };

const minute = 60_000;

/**
 * The operator of the company: connects its accounts, both to one client or each to its own, and to another client
 * while money is under way; some of it goes along, as companies transfer it.
 */
export function bankOperator(bank: Bank, { world, time, draws, now, opening, see, track }: Ground) {
  const secrets = new Map<string, string>();
  /** Keys by which a connection knows its accounts: what comes to them has an account. */
  const connected = new Set<string>();
  /** Centavos of each client that no document of it tells of. */
  const brought = new Map<string, number>();
  const served = new Map<string, ModelClient>();
  const bring = (client: string, amount: number): void => {
    brought.set(client, (brought.get(client) ?? 0) + amount);
    bank.serve(client, 0, ({ client: before, common }) => {
      common.save('client', client, { ...before, balance: before.balance + amount });
    });
  };
  const depsOf = ({ store }: Pick<Process, 'store'>) => ({
    ...{ store, ids: world.ids, now },
    bankSecrets: () => ({
      fetch: (name: string) => Promise.resolve(secrets.get(name)),
      write: (name: string, text: string) => Promise.resolve(void secrets.set(name, text)),
      remove: (name: string) => Promise.resolve(void secrets.delete(name)),
      allowLocal: false,
    }),
    resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]),
  });

  /** The command as an operator types it; undefined when its process died. */
  const connect = async (process: Process, accountId: string, client: ModelClient) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-bank-'));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    try {
      const connecting = connectBank(depsOf(process), {
        ...{ companyId: companyOne, accountId, environment: 'local', clientId: client },
        ...{ apiUrl: 'https://bank.example.com', tokenUrl: 'https://bank.example.com/oauth/token' },
        clientSecret: file('secret', 'secret'),
        ...{ certificate: file('certificate', certificate), key: file('key', privateKey) },
        ...{ callbackSubject: subject, ...accountAt(accountId, client) },
      });
      const created = await Promise.race([connecting, process.died]);
      return created === 'DIED' ? undefined : created;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  /** The webhooks of the client lead to its connection. A token that was lost on the way is replaced. */
  const registerWebhooks = async (
    process: Process,
    client: ModelClient,
    connectionId: string,
    token?: string,
  ): Promise<boolean> => {
    const known = bank.serve(client, 0, ({ drawer }) => drawer.find('webhook', 'rec')?.webhookUrl);
    let url = token === undefined ? known : `https://callbacks.example/${token}`;
    if (url === undefined) {
      const rotated = rotateCallbacks(depsOf(process), { companyId: companyOne, connectionId });
      const rotation = await Promise.race([rotated, process.died]);
      if (rotation === 'DIED') return false;
      url = `https://callbacks.example/${rotation['callbackSecret']}`;
    }
    const webhookUrl = url;
    bank.serve(client, 0, ({ drawer, client: { accounts: own }, now: criacao }) => {
      for (const hook of [...own.map(({ chave }) => `pix:${chave}`), 'rec', 'cobr'])
        drawer.save('webhook', hook, { webhookUrl, criacao });
    });
    return true;
  };
  /** Repeats the command until it is done, as an operator does. */
  const connectAccount = async (begin: () => Process, accountId: string, client: ModelClient): Promise<void> => {
    openAt(bank, client, accountId);
    for (;;) {
      const process = begin();
      try {
        const created = await connect(process, accountId, client);
        if (created !== undefined) {
          connected.add(keyAt(accountId, client));
          if (await registerWebhooks(process, client, created.connectionId, created.callbackSecret)) break;
        }
      } catch {
        see('operator repeats');
      }
      await time.sleep(draws.between(1000, minute));
    }
    served.set(accountId, client);
  };
  const move = async (begin: () => Process, accountId: string): Promise<void> => {
    const former = served.get(accountId)!;
    const client = draws.one(modelClients.filter((one) => one !== former));
    see(`account moves ${open(former, accountId) ? 'with payouts open' : ''}`.trim());
    if ([...served].some(([id, at]) => id !== accountId && at === client)) see('account moves to the other');
    if (connected.has(keyAt(accountId, client))) see('account moves back');
    const { balance } = bank.serve(former, 0, (session) => session.client);
    const share = Math.floor(balance / 2);
    bring(former, -share);
    bring(client, share);
    await connectAccount(begin, accountId, client);
  };
  const open = (client: ModelClient, accountId: string): boolean =>
    bank.serve(client, 0, ({ drawer }) =>
      drawer
        .list('payout')
        .some(({ chave, status }) => chave === keyAt(accountId, client) && status === 'EM_PROCESSAMENTO'),
    );

  return {
    connected,
    brought,
    fetchSecret: (name: string) => Promise.resolve(secrets.get(name)),
    connectionOf: async (client: string) =>
      (await readBanks(world.store, companyOne)).connections.find(({ clientId }) => clientId === client),
    /** Before anything else. */
    begin: async (): Promise<void> => {
      const isShared = draws.chance(0.5);
      const calm = { store: world.store, died: new Promise<'DIED'>(() => undefined) };
      for (const [at, accountId] of accounts.entries()) {
        const client = modelClients[isShared ? 0 : at]!;
        await connectAccount(() => calm, accountId, client);
        bring(client, opening);
      }
      see(isShared ? 'accounts at one client' : 'accounts at two clients');
    },
    /** Moves accounts at any moment, also when partners have been quiet for an hour; one command after another. */
    moveAtTimes: (begin: () => Process): void => {
      let last = Promise.resolve();
      for (let moves = draws.one([0, 2, 3, 6]); moves > 0; moves -= 1) {
        const accountId = draws.one(accounts);
        time.at(draws.between(0, 120 * minute), () => {
          const before = last;
          last = track(async () => {
            await before;
            await move(begin, accountId);
          });
        });
      }
    },
  };
}

/** Of the bank's certificate, in its callbacks. */
export const subject = 'CN=bank.example';
