import type { Archive, Drawer } from './archive.ts';
import { common } from './archive.ts';
import type { Caller, post } from './callbacks/callback-post.ts';
import { probeWith } from './callbacks/callback-post.ts';
import { openCallbacks } from './callbacks/callbacks.ts';
import { openFaults } from './faults.ts';
import { randomIds } from './ids.ts';
import type { Ids } from './ids.ts';
import type { Client } from './model.ts';
import type { Collection, Session } from './session.ts';
import { instantAt } from './time.ts';

export type Bank = ReturnType<typeof openBank>;

/** Seconds of a token, as Efí's. */
const defaultTokenSeconds = 3600;

/** Suffixes added to the address of a webhook, however it ends, as at Efí: `?ignorar=` swallows them. */
const suffixes = { pix: '/pix', recs: '/rec', cobsr: '/cobr' } as const satisfies Record<Collection, string>;

/**
 * The bank over its archive: sessions of its clients, each within a transaction.
 *
 * @param clock Milliseconds of the machine; a client's own clock goes ahead of it.
 * @param ways Source of its ids, and how it calls; default: random ids, HTTP.
 */
export function openBank(
  archive: Archive,
  caller: Caller,
  clock: () => number,
  ways: { readonly ids?: Ids; readonly send?: typeof post } = {},
) {
  const { ids = randomIds, send } = ways;
  const callbacks = openCallbacks(archive, caller, send);
  let tokenSeconds = defaultTokenSeconds;
  const openSession = (client: Client, lagMs: number): Session => {
    const drawer = archive.drawer(client.id, lagMs);
    return {
      client,
      drawer,
      common: archive.drawer(common),
      peer: (id) => {
        const found = archive.drawer(common).find('client', id);
        return found && openSession(found, lagMs);
      },
      now: instantAt(clock() + client.clockAheadMs),
      ids,
      notify: (hook, collection, item) => {
        const address = drawer.find('webhook', hook)?.webhookUrl ?? '';
        if (address !== '') callbacks.add(`${address}${suffixes[collection]}`, collection, item);
      },
      readdress: (from, to) => {
        for (const suffix of Object.values(suffixes)) callbacks.move(`${from}${suffix}`, `${to}${suffix}`);
      },
    };
  };
  return {
    faults: openFaults(),
    callbacks,
    caller,
    clock,
    probe: probeWith(caller),
    tokenSeconds: () => tokenSeconds,
    setTokenSeconds: (value: number): void => {
      tokenSeconds = value;
    },
    /** Runs a transaction on documents that belong to no client. */
    transact: <T>(act: (common: Drawer) => T): T => archive.transaction(() => act(archive.drawer(common))),
    /** Runs a transaction for a client, read anew; its documents are read as of `lagMs` ago. */
    serve: <T>(id: string, lagMs: number, act: (session: Session) => T): T =>
      archive.transaction(() => {
        const client = archive.drawer(common).find('client', id);
        if (client === undefined) throw new Error(`The bank has no client ${id}.`);
        return act(openSession(client, lagMs));
      }),
  };
}
