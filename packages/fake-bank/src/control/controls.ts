import * as z from 'zod';
import type { Bank } from '../bank.ts';
import { post } from '../callbacks/callback-post.ts';
import type { Authority } from '../certificates.ts';
import { addCertificate, addClient, clientAccess, ClientRequest } from '../clients.ts';
import { claim, decideClaim } from './claim-actions.ts';
import type { Controls } from './control-server.ts';
import { movedClock, ownControls } from './own-controls.ts';
import { pay, returnByMed } from './payer-actions.ts';
import { addForeignCode, endRefundHere, returnPayout, setKey, settlePayout } from './payout-actions.ts';
import { authorize, end, refuse, resend, settleAttempt } from './recurrence-actions.ts';
import { conflict } from '../refusal.ts';
import type { Session } from '../session.ts';
import { instantAt } from '../time.ts';

type Panel = { readonly bank: Bank; readonly authority: Authority };
type Control = (panel: Panel, body: unknown) => unknown;

/** Returns a control that acts on the client `client` of its body, by default the bank's first client. */
function moving(move: (session: Session, body: unknown) => unknown): Control {
  return ({ bank }, body) => {
    const { client, rest } = readClient(bank, body);
    return bank.serve(client, 0, (session) => move(session, rest));
  };
}

function readClient(bank: Bank, body: unknown): { client: string; rest: object } {
  const { client, ...rest } = z.looseObject({ client: z.string().exactOptional() }).parse(body);
  const id = client ?? bank.transact((common) => common.list('client')[0]?.id);
  if (id === undefined || bank.transact((common) => common.find('client', id)) === undefined)
    throw conflict(`The bank has no client ${String(id)}.`);
  return { client: id, rest };
}

const BalanceMove = z.strictObject({ centavos: z.int() });
const Forgery = z.strictObject({ url: z.url(), body: z.unknown(), certificate: z.boolean().default(true) });

/** Controls of a bank of API Pix by path. */
const controls = {
  pay: moving(pay),
  'end-refund': moving(endRefundHere),
  'return-by-med': moving(returnByMed),
  claim: moving(claim),
  'decide-claim': moving(decideClaim),
  authorize: moving(authorize),
  refuse: moving(refuse),
  end: moving(end),
  attempt: moving(settleAttempt),
  resend: moving(resend),
  'settle-payout': moving(settlePayout),
  'return-payout': moving(returnPayout),
  key: moving(setKey),
  'foreign-code': moving(addForeignCode),
  balance: moving(({ client, common }, body) => {
    const next = { ...client, balance: BalanceMove.parse(body).centavos };
    common.save('client', client.id, next);
    return { centavos: next.balance };
  }),
  clock: ({ bank }, body) => {
    const { client: id, rest } = readClient(bank, body);
    return bank.serve(id, 0, ({ client, common }) => {
      const clockAheadMs = movedClock(rest, client.clockAheadMs, bank.clock());
      common.save('client', id, { ...client, clockAheadMs });
      return { now: instantAt(bank.clock() + clockAheadMs) };
    });
  },
  /** Returns everything that a client has at the bank, for comparisons. */
  state: moving(({ client, drawer }) => ({
    balance: client.balance,
    cobs: drawer.list('cob'),
    pix: drawer.list('pix'),
    infracoes: drawer.list('infracao'),
    recs: drawer.list('rec'),
    cobsr: drawer.list('cobr'),
    payouts: drawer.list('payout'),
    webhooks: drawer.list('webhook'),
  })),
  /** Adds a client to the bank; returns its connection details. */
  clients: ({ bank, authority }, body) => {
    const request = ClientRequest.parse(body);
    return bank.transact((common) => clientAccess(authority, addClient(common, authority, request)));
  },
  /** Issues a further certificate to a client; the older ones stay valid. */
  certificate: ({ bank, authority }, body) => {
    const { client: id } = readClient(bank, body);
    return bank.serve(id, 0, ({ client, common }) =>
      clientAccess(authority, addCertificate(common, authority, client)),
    );
  },
  /** Sets the seconds that a new token is valid. */
  tokens: ({ bank }, body) => {
    const { seconds } = z.strictObject({ seconds: z.int().positive() }).parse(body);
    bank.setTokenSeconds(seconds);
    return { seconds };
  },
  /** Calls an address with any body, as a forged, replayed or unsolicited callback. */
  forge: async ({ bank }, body) => {
    const { url, body: forged, certificate } = Forgery.parse(body);
    return { status: await post(url, JSON.stringify(forged), certificate ? bank.caller : undefined) };
  },
} satisfies Record<string, Control>;

/** Returns the control surface of a bank of API Pix: operations by path, each of which takes a JSON object. */
export function controlsOf(panel: Panel): Controls {
  const bound = Object.entries<Control>(controls).map(([name, control]) => [
    name,
    (body: unknown) => control(panel, body),
  ]);
  return { ...ownControls(panel.bank), ...(Object.fromEntries(bound) as Controls) };
}
