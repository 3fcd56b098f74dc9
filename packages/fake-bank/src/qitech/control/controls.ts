import { generateKeyPairSync } from 'node:crypto';
import * as z from 'zod';
import type { Archive } from '#fake-bank/archive.ts';
import { post } from '#fake-bank/callbacks/callback-post.ts';
import type { Controls } from '#fake-bank/control/control-server.ts';
import { movedClock, ownControls } from '#fake-bank/control/own-controls.ts';
import { conflict } from '#fake-bank/refusal.ts';
import { instantAt } from '#fake-bank/time.ts';
import { pay, returnPix, setBalance, setKey, settlePix, settleReversal, settleTed, stateOf } from './actions.ts';
import type { QiBank } from '../bank.ts';
import { addClient, clientAccess, ClientRequest, isPublicKey } from '../clients.ts';
import type { Client, Kinds } from '../model.ts';
import type { Session } from '../session.ts';
import { Settings } from '../settings.ts';
import { claimsOf, signClaims } from '../signatures.ts';

type Panel = { readonly bank: QiBank; readonly archive: Pick<Archive<Kinds>, 'drawer'> };

const Webhook = z.strictObject({ url: z.union([z.literal(''), z.url({ protocol: /^https?$/u })]) });
const PublicKey = z.strictObject({ public_key: z.string().refine(isPublicKey) });
const Forgery = z.strictObject({
  url: z.url(),
  body: z.unknown(),
  /** Key that signs: the bank's, another one, or none. */
  signer: z.enum(['BANK', 'OTHER', 'NONE']).default('BANK'),
});

/** Returns the control surface of the bank: operations by path, each of which takes a JSON object. */
export function controlsOf({ bank, archive }: Panel): Controls {
  /** Returns a control that acts on the client `client` of its body, by default the bank's first client. */
  const moving =
    (move: (session: Session, body: unknown) => unknown) =>
    (body: unknown): unknown => {
      const { client: asked, ...rest } = z.looseObject({ client: z.string().exactOptional() }).parse(body);
      const id = asked ?? bank.transact((common) => common.list('client')[0]?.api_client_key);
      if (id === undefined || bank.transact((common) => common.find('client', id)) === undefined)
        throw conflict(`The bank has no client ${String(id)}.`);
      return bank.serve(id, 0, (session) => move(session, rest));
    };
  const change = ({ client, common }: Session, more: Partial<Client>): void => {
    common.save('client', client.api_client_key, { ...client, ...more });
  };
  return {
    ...ownControls(bank),
    pay: moving(pay),
    'settle-pix': moving(settlePix),
    'return-pix': moving(returnPix),
    'settle-reversal': moving(settleReversal),
    'settle-ted': moving(settleTed),
    key: moving(setKey),
    balance: moving(setBalance),
    state: moving(stateOf),
    clock: moving((session, body) => {
      const clockAheadMs = movedClock(body, session.client.clockAheadMs, bank.clock());
      change(session, { clockAheadMs });
      return { now: instantAt(bank.clock() + clockAheadMs) };
    }),
    /** Sets the address of a client's webhooks; empty: none. Waiting ones go to the new address. */
    webhook: moving((session, body) => {
      const { url } = Webhook.parse(body);
      const { webhook_url: before } = session.client;
      change(session, { webhook_url: url });
      if (before !== '' && url !== '') bank.callbacks.move(before, url);
      return { url };
    }),
    /** Replaces the public key of a client. */
    'public-key': moving((session, body) => {
      change(session, PublicKey.parse(body));
      return {};
    }),
    /** Adds a client to the bank; returns its connection details. */
    clients: (body) => {
      const request = ClientRequest.parse(body);
      const ground = { archive, ids: bank.ids, nowMs: bank.clock() };
      return bank.transact(() => clientAccess(ground, addClient(ground, request)));
    },
    /** Sets what the bank's pages leave open, from now on; members that are absent have their defaults. */
    settings: (body) => {
      const settings = Settings.parse(body);
      bank.transact((common) => {
        common.save('settings', '', settings);
      });
      return settings;
    },
    /** Calls an address with any body, as a forged, replayed or unsolicited webhook. */
    forge: moving((session, body) => forge(bank, session.client, body)),
  };
}

async function forge(bank: QiBank, { api_client_key: client }: Client, body: unknown) {
  const { url, body: forged, signer } = Forgery.parse(body);
  const text = JSON.stringify(forged);
  const { pathname, search } = new URL(url);
  const message = { method: 'POST', uri: `${pathname}${search}`, body: text };
  const other = async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
    const token = await signClaims(claimsOf(message, bank.clock()), privateKey);
    return { AUTHORIZATION: token, 'API-CLIENT-KEY': client };
  };
  const headers = signer === 'BANK' ? await bank.sign(client, message) : signer === 'OTHER' ? await other() : {};
  return { status: await post(url, text, undefined, { headers }) };
}
