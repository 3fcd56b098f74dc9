import * as z from 'zod';
import type { Bank } from '../bank.ts';
import { post } from '../callbacks/callback-post.ts';
import { CallbackPolicy } from '../callbacks/callbacks.ts';
import type { Authority } from '../certificates.ts';
import { addCertificate, addClient, clientAccess, ClientRequest } from '../clients.ts';
import { FaultRequest } from '../faults.ts';
import { claim, decideClaim } from './claim-actions.ts';
import { conflict, pay, returnByMed } from './payer-actions.ts';
import { addForeignCode, endRefundHere, returnPayout, setKey, settlePayout } from './payout-actions.ts';
import { authorize, end, refuse, resend, settleAttempt } from './recurrence-actions.ts';
import type { Session } from '../session.ts';
import { instantAt, millisecondsOf, readInstant } from '../time.ts';

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
const ClockMove = z.union([
  z.strictObject({ now: z.string() }),
  z.strictObject({ advanceSeconds: z.number() }),
  z.strictObject({}),
]);
const Forgery = z.strictObject({ url: z.url(), body: z.unknown(), certificate: z.boolean().default(true) });

/** Operations of the control surface by path. Each takes a JSON object. */
export const controls = {
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
      const asked = ClockMove.parse(rest);
      const at = 'now' in asked ? readInstant(asked.now) : undefined;
      if ('now' in asked && at === undefined) throw conflict(`${asked.now} is not a time of RFC 3339.`);
      const ahead = 'advanceSeconds' in asked ? asked.advanceSeconds * 1000 : 0;
      const clockAheadMs = at === undefined ? client.clockAheadMs + ahead : millisecondsOf(at) - bank.clock();
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
  /** Injects a fault. */
  fault: ({ bank }, body) => {
    bank.faults.add(FaultRequest.parse(body));
    return bank.faults.list();
  },
  'clear-faults': ({ bank }) => {
    bank.faults.clear();
    return bank.faults.list();
  },
  /** Sets the policy of callbacks from now on; an empty object sets Efí's. */
  callbacks: ({ bank }, body) => {
    const policy = CallbackPolicy.parse(body);
    bank.callbacks.setPolicy(policy);
    return { ...policy, waiting: bank.callbacks.waiting() };
  },
  /** Sends all waiting callbacks immediately. */
  hurry: ({ bank }) => {
    bank.callbacks.hurry();
    return { waiting: bank.callbacks.waiting() };
  },
  /** Calls an address with any body, as a forged, replayed or unsolicited callback. */
  forge: async ({ bank }, body) => {
    const { url, body: forged, certificate } = Forgery.parse(body);
    return { status: await post(url, JSON.stringify(forged), certificate ? bank.caller : undefined) };
  },
} satisfies Record<string, Control>;
