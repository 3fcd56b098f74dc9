import type { KeyObject } from 'node:crypto';
import type { Archive, Drawer } from '../archive.ts';
import { common } from '../archive.ts';
import { post } from '../callbacks/callback-post.ts';
import { openCallbacks } from '../callbacks/callbacks.ts';
import { openFaults } from '../faults.ts';
import { randomIds } from '../ids.ts';
import type { Ids } from '../ids.ts';
import { instantAt } from '../time.ts';
import type { Client, Kinds } from './model.ts';
import type { Session } from './session.ts';
import { Settings } from './settings.ts';
import { claimsOf, signClaims } from './signatures.ts';

export type QiBank = ReturnType<typeof openQiBank>;

const minute = 60_000;
/** Waits before each repetition of a webhook: the bank shows them for another product, and none for accounts. */
const retryMs = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minute);
/** Time that a receiver has to respond (QI Tech, “Configuração de webhooks”). */
const timeoutMs = 10_000;

type Item = { readonly client: string; readonly data: object };

/**
 * Opens the bank on its archive: sessions of its clients, each within a transaction.
 *
 * @param key The bank's own key, which signs webhooks and responses.
 * @param clock Clock of the machine, epoch milliseconds; a client's own clock may be ahead of it.
 * @param ways Source of ids and sender of webhooks; default: random ids, HTTP.
 */
export function openQiBank(
  archive: Archive<Kinds>,
  key: KeyObject,
  clock: () => number,
  ways: { readonly ids?: Ids; readonly send?: typeof post } = {},
) {
  const { ids = randomIds, send = post } = ways;
  const shared = archive.drawer(common);
  const settings = (): Settings => shared.find('settings', '') ?? Settings.parse({});
  /** Returns the headers of a message to a client: the token, and the client's key. */
  const sign = async (client: string, message: Parameters<typeof claimsOf>[0]) => ({
    AUTHORIZATION: await signClaims(claimsOf(message, clock()), key),
    'API-CLIENT-KEY': client,
  });
  /** Sends a webhook to an address, signed by the bank. @returns The status; undefined without a response. */
  const sendWebhook = async (url: string, type: string, { client, data }: Item): Promise<number | undefined> => {
    const ahead = shared.find('client', client)?.clockAheadMs ?? 0;
    const body = JSON.stringify({ webhook_type: type, webhook_datetime: instantAt(clock() + ahead), data });
    const { pathname, search } = new URL(url);
    const headers = await sign(client, { method: 'POST', uri: `${pathname}${search}`, body });
    return send(url, body, undefined, { headers, timeoutMs });
  };
  const callbacks = openCallbacks(archive, {
    send: (url, type, [item]) => sendWebhook(url, type, item as Item),
    retryMs,
    mostItems: 1,
  });
  const openSession = (client: Client, lagMs: number): Session => ({
    client,
    drawer: archive.drawer(client.api_client_key, lagMs),
    common: shared,
    settings: settings(),
    ownerOf: (pixKey) => {
      const owner = shared.list('client').find(({ api_client_key, account_keys }) => {
        const drawer = archive.drawer(api_client_key);
        return account_keys.some((account) => drawer.find('account', account)?.pix_keys.includes(pixKey));
      });
      return owner && openSession(owner, lagMs);
    },
    now: instantAt(clock() + client.clockAheadMs),
    ids,
    notify: (type, data) => {
      const item: Item = { client: client.api_client_key, data };
      if (client.webhook_url !== '') callbacks.add(client.webhook_url, type, item);
    },
  });
  return {
    faults: openFaults(),
    callbacks,
    clock,
    ids,
    sign,
    sendWebhook,
    settings,
    /** Runs a transaction on documents that belong to no client. */
    transact: <T>(act: (documents: Drawer<Kinds>) => T): T => archive.transaction(() => act(shared)),
    /** Reads a client and runs a transaction for it; its documents are read as they were `lagMs` ago. */
    serve: <T>(id: string, lagMs: number, act: (session: Session) => T): T =>
      archive.transaction(() => {
        const client = shared.find('client', id);
        if (client === undefined) throw new Error(`The bank has no client ${id}.`);
        return act(openSession(client, lagMs));
      }),
  };
}
