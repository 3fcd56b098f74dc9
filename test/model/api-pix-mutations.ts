import type { BankResponse, Exchange } from '#shared/bank/calls/response.ts';
import type { RequestContext } from '#shared/bank/outcome.ts';
import type { Exchanges } from '#shared/bank/calls/exchange.ts';
import type { BankReader, ReceivedPix } from '#shared/bank/ports/reader.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { parseCallback } from '#shared/bank/dialects/efi/callback.ts';
import { disputeMutations } from './api-pix-dispute-mutations.ts';
import { thingAt } from './api-pix-mixups.ts';
import type { Mutation } from './bank-behind.ts';
import type { Check } from './bank-checks.ts';
import { mutations } from './bank-mutations.ts';

type Call = Parameters<Exchanges>[0];
type Seen = { readonly mutation: Mutation; readonly seenBy: readonly Check[] };

/** The way to the bank of a service that understands its answers otherwise. */
const responses = (change: (response: Exchange) => Exchange): Mutation => ({
  exchange: (exchange) => async (call) => {
    const response = await exchange(call);
    return call.method === 'GET' || call.url.endsWith('/oauth/token') ? response : change(response);
  },
});
const refusal = { status: 400, body: { type: 'OperacaoInvalida', title: 'It was taken for a refusal.', status: 400 } };
const isServerError = ({ status }: Exchange): boolean => typeof status === 'number' && status >= 500;

/** Believes of a payout what a callback said of it. */
function trustsBodies(reader: BankReader, receivedBodies: () => readonly string[]): BankReader {
  return {
    ...reader,
    readPayout: async (idEnvio) => {
      const sent = await reader.readPayout(idEnvio);
      const callbackBody = receivedBodies().find((body) => body.includes('"NAO_REALIZADO"') && isAbout(body, idEnvio));
      if (sent === undefined || callbackBody === undefined) return sent;
      return { ...sent, state: { status: 'ERROR', reason: 'The callback said so.', returns: [] } };
    },
  };
}

const isAbout = (body: string, idEnvio: string): boolean =>
  parseCallback(body)?.some((one) => one.kind === 'PAYOUT' && one.idEnvio === idEnvio) === true;

/** Takes every answer about a payment for one about the payment that it asked about. */
const believesOthers: Mutation = {
  exchange: (exchange) => {
    const ordered = new Map<string, unknown>();
    return async (call) => believed(ordered, call, await exchange(call));
  },
};

/** @param ordered amounts by reference */
function believed(
  ordered: Map<string, unknown>,
  { method, url, body: sent = '{}' }: Call,
  response: Exchange,
): Exchange {
  const resource = thingAt(method, new URL(url).pathname);
  if (resource?.kind !== 'payout') return response;
  const { valor = ordered.get(resource.id) } = JSON.parse(sent) as { valor?: unknown };
  ordered.set(resource.id, valor);
  const body: unknown = 'body' in response ? response.body : undefined;
  if (typeof body !== 'object' || body === null || !('idEnvio' in body) || body.idEnvio === resource.id)
    return response;
  const as = { idEnvio: resource.id, ...(valor !== undefined && { valor }), endToEndId: undefined, e2eId: undefined };
  return { ...(response as BankResponse), body: { ...body, ...as } };
}

/** Asks of a received Pix its key before its charge. */
const asksTheKey: Mutation = {
  reader: (reader) => {
    const isOurs = ({ chave }: ReceivedPix) => chave !== undefined && chave !== 'another-key@company.example';
    return {
      ...reader,
      readReceivedPix: async (endToEndId) => {
        const pix = await reader.readReceivedPix(endToEndId);
        return pix !== undefined && isOurs(pix) ? pix : undefined;
      },
      listReceived: async (from, to, page) => {
        const found = await reader.listReceived(from, to, page);
        return { ...found, items: found.items.filter(isOurs) };
      },
    };
  },
};

/** The connections as a service sees them that knows of no pause. */
const forgetsPauses: Mutation = {
  store: (store) => ({
    ...store,
    read: async (keys) => (await store.read(keys)).map((item) => item && withoutPause(item)),
    query: async (query) => {
      const page = await store.query(query);
      return { ...page, items: page.items.map(withoutPause) };
    },
  }),
};

function withoutPause(item: Item): Item {
  if (item['entity'] !== 'BANK_CONNECTION') return item;
  const { paused: _paused, pausedUntil: _until, ...open } = item;
  return open;
}

/** Routes what was given to a bank by the account that it is of: that may have moved since. */
const asksTheServing: Mutation = {
  bank: (bank) => {
    const { send } = bank.payouts;
    const now = async <C extends RequestContext>(accountId: string, context: C): Promise<C> => ({
      ...context,
      connection: await bank.connectionOf(context.companyId, accountId),
    });
    return {
      ...bank,
      payouts: {
        ...bank.payouts,
        send: {
          submit: async (order, context) => send.submit(order, await now(order.payer.id, context)),
          find: async (order, context) => send.find(order, await now(order.payer.id, context)),
        },
      },
    };
  },
};

/** Of the services that are wrong whatever their bank is, those that a bank of API Pix shows too. */
const shared = [
  ...['does not look up', 'repeats on timeout under another reference', 'takes a timeout for a refusal'],
  ...['expires and cancels unasked', 'overrules PAID', 'credits a Pix twice'],
] as const;

/** Services that are wrong in one way each at a bank of API Pix, and the checks that must see it. */
export const apiPixMutations: Readonly<Record<string, Seen>> = {
  ...Object.fromEntries(shared.map((name) => [name, mutations[name]!])),
  'takes 5xx for a refusal': {
    mutation: responses((response) => (isServerError(response) ? refusal : response)),
    seenBy: ['refused here alone'],
  },
  'takes a lost answer for a refusal': {
    mutation: responses((response) => (response.status === 'NO_ANSWER' ? refusal : response)),
    seenBy: ['refused here alone'],
  },
  'trusts the body of a callback': { mutation: { reader: trustsBodies }, seenBy: ['state'] },
  'believes an answer about another payment': { mutation: believesOthers, seenBy: ['state'] },
  'asks the key before the txid': { mutation: asksTheKey, seenBy: ['money'] },
  'asks the connection that serves the account now': { mutation: asksTheServing, seenBy: ['doubled', 'elsewhere'] },
  'forgets the pause': { mutation: forgetsPauses, seenBy: ['paused'] },
  'drops a payment that no charge expects': {
    mutation: { reader: (reader) => ({ ...reader, listReceived: () => Promise.resolve({ items: [], pages: 1 }) }) },
    seenBy: ['money'],
  },
  ...disputeMutations,
};
