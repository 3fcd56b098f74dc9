import type { Archive, Drawer } from './archive.ts';
import { common } from './archive.ts';
import type { Caller } from './callbacks/callback-post.ts';
import { post, probeWith } from './callbacks/callback-post.ts';
import { openCallbacks } from './callbacks/callbacks.ts';
import { openFaults } from './faults.ts';
import { randomIds } from './ids.ts';
import type { Ids } from './ids.ts';
import type { Client } from './model.ts';
import type { Collection, Session } from './session.ts';
import { instantAt } from './time.ts';

export type Bank = ReturnType<typeof openBank>;

/** Seconds until a token expires, as at Efí. */
const defaultTokenSeconds = 3600;

/** Waits before each repetition of a callback, as at Efí. */
const retryMs = [5, 10, 20, 40, 80, 160, 320, 640, 1280].map((minutes) => minutes * 60_000);

/** Suffixes that are appended to any webhook address, as at Efí. A final `?ignorar=` makes them a query parameter. */
const suffixes = { pix: '/pix', recs: '/rec', cobsr: '/cobr' } as const satisfies Record<Collection, string>;

/**
 * Opens the bank on its archive: sessions of its clients, each within a transaction.
 *
 * @param clock Clock of the machine, epoch milliseconds; a client's own clock may be ahead of it.
 * @param ways Source of ids and sender of callbacks; default: random ids, HTTP.
 */
export function openBank(
  archive: Archive,
  caller: Caller,
  clock: () => number,
  ways: { readonly ids?: Ids; readonly send?: typeof post } = {},
) {
  const { ids = randomIds, send = post } = ways;
  const callbacks = openCallbacks(archive, {
    send: (url, collection, items) => send(url, JSON.stringify({ [collection]: items }), caller),
    retryMs,
  });
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
    /** Reads a client and runs a transaction for it; its documents are read as they were `lagMs` ago. */
    serve: <T>(id: string, lagMs: number, act: (session: Session) => T): T =>
      archive.transaction(() => {
        const client = archive.drawer(common).find('client', id);
        if (client === undefined) throw new Error(`The bank has no client ${id}.`);
        return act(openSession(client, lagMs));
      }),
  };
}
