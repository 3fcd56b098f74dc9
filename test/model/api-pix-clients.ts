import { account, holder } from '../support/bank-world.ts';
import type { Drawer, Cob, Bank, Session } from '@banking-order/fake-bank';
import { operations } from '@banking-order/fake-bank';
import { otherAccount } from './bank-partner.ts';

// The clients that the company has at its bank, and its accounts there: a key of its own at each.

export const accounts = [account, otherAccount] as const;

export const modelClients = ['Client_Id_model', 'Client_Id_second', 'Client_Id_third'] as const;
export type ModelClient = (typeof modelClients)[number];

/** The key of an account at a client; its id at the first. */
export function keyAt(accountId: string, client: ModelClient): string {
  const at = modelClients.indexOf(client);
  return at === 0 ? accountId : `${accountId.slice(0, -1)}${at}`;
}

/** The account of a key, at whatever client. @throws Error for a key of no account */
export function accountOfKey(chave: string): string {
  const found = accounts.find((id) => id.slice(0, -1) === chave.slice(0, -1));
  if (found === undefined) throw new Error(`The key ${chave} is of no account.`);
  return found;
}

/** An account as its client has it: each has a number of its own. */
export function accountAt(accountId: string, client: ModelClient) {
  const [at, number] = [modelClients.indexOf(client), accounts.findIndex((id) => id === accountId)];
  const chave = keyAt(accountId, client);
  return { chave, agencia: '0001', conta: `1234${at}${number}`, tipoConta: 'PAGAMENTO' } as const;
}

/** The clients without accounts and money. */
export function openClients(bank: Bank): void {
  bank.transact((common) => {
    for (const id of modelClients)
      common.save('client', id, {
        ...{ id, secret: 'secret', nome: holder.name, cnpj: holder.document.number, accounts: [] },
        ...{ fingerprints: ['model'], scopes: operations.map(({ scope }) => scope) },
        ...{ balance: 0, clockAheadMs: 0, webhookRequired: false },
      });
  });
}

/** An account is opened at a client, once. */
export function openAt(bank: Bank, client: ModelClient, accountId: string): void {
  const opened = accountAt(accountId, client);
  bank.serve(client, 0, ({ client: before, common }) => {
    if (before.accounts.some(({ chave }) => chave === opened.chave)) return;
    common.save('client', client, { ...before, accounts: [...before.accounts, opened] });
  });
}

/** Work over all clients, in one transaction. */
export function everywhere<T>(bank: Bank, act: (sessions: readonly Session[]) => T): T {
  return bank.serve(modelClients[0], 0, ({ peer }) => act(modelClients.map((id) => peer(id)!)));
}

/** The documents of all clients together, but for charges that were never shown. */
export function together(
  sessions: readonly Session[],
  hidden: ReadonlySet<Cob> = new Set(),
): Pick<Drawer, 'find' | 'list'> {
  const locations = new Set([...hidden].map(({ loc }) => loc.location));
  const isShown = (one: unknown): boolean => !locations.has((one as Cob).loc.location);
  return {
    find: (kind, id) => {
      const found = sessions.flatMap(({ drawer }) => drawer.find(kind, id) ?? []);
      return found.find((one) => kind !== 'cob' || isShown(one));
    },
    list: (kind) => sessions.flatMap(({ drawer }) => drawer.list(kind)).filter((one) => kind !== 'cob' || isShown(one)),
  };
}

/** The client that calls, by its token or, where it asks for one, by its name. */
export function clientOfCall(bank: Bank, { authorization = '' }: Readonly<Record<string, string>>): string | undefined {
  const [kind, text = ''] = authorization.split(' ');
  if (kind === 'Basic') return Buffer.from(text, 'base64').toString().split(':')[0];
  return bank.transact((common) => common.find('token', text)?.client);
}
