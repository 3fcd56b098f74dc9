import type { Exchange } from '#shared/bank/api-pix/answer.ts';
import type { BankReader } from '#shared/bank/api-pix/reading.ts';
import { newsOf } from '#shared/news/callback-body.ts';
import type { Mutation } from './bank-behind.ts';
import type { Check } from './bank-checks.ts';
import { mutations } from './bank-mutations.ts';

type Seen = { readonly mutation: Mutation; readonly seenBy: readonly Check[] };

/** The way to the bank of a service that understands its answers otherwise. */
const answers = (change: (answer: Exchange) => Exchange): Mutation => ({
  exchange: (exchange) => async (call) => {
    const answer = await exchange(call);
    return call.method === 'GET' || call.url.endsWith('/oauth/token') ? answer : change(answer);
  },
});
const refusal = { status: 400, body: { type: 'OperacaoInvalida', title: 'It was taken for a refusal.', status: 400 } };
const isServerError = ({ status }: Exchange): boolean => typeof status === 'number' && status >= 500;

/** Believes of a payout what a callback said of it. */
function trustsBodies(reader: BankReader, told: () => readonly string[]): BankReader {
  return {
    ...reader,
    readPayout: async (idEnvio) => {
      const sent = await reader.readPayout(idEnvio);
      const says = told().find((body) => body.includes('"NAO_REALIZADO"') && isAbout(body, idEnvio));
      if (sent === undefined || says === undefined) return sent;
      return { ...sent, state: { status: 'ERROR', reason: 'The callback said so.', returns: [] } };
    },
  };
}

const isAbout = (body: string, idEnvio: string): boolean =>
  newsOf(body)?.some((one) => one.kind === 'PAYOUT' && one.idEnvio === idEnvio) === true;

/** The connection as a service sees it that knows of no pause. */
const forgetsPauses: Mutation = {
  store: (store) => ({
    ...store,
    read: async (keys) =>
      (await store.read(keys)).map((item) => {
        if (item?.['entity'] !== 'BANK_CONNECTION') return item;
        const { paused: _paused, pausedUntil: _until, ...open } = item;
        return open;
      }),
  }),
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
    mutation: answers((answer) => (isServerError(answer) ? refusal : answer)),
    seenBy: ['refused here alone'],
  },
  'takes a lost answer for a refusal': {
    mutation: answers((answer) => (answer.status === 'NO_ANSWER' ? refusal : answer)),
    seenBy: ['refused here alone'],
  },
  'trusts the body of a callback': { mutation: { reader: trustsBodies }, seenBy: ['state'] },
  'forgets the pause': { mutation: forgetsPauses, seenBy: ['paused'] },
  'drops a payment that no charge expects': {
    mutation: { reader: (reader) => ({ ...reader, listReceived: () => Promise.resolve({ items: [], pages: 1 }) }) },
    seenBy: ['money'],
  },
};
