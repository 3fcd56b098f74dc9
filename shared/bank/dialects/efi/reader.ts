import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { parseSignedAmount } from '#shared/core/money.ts';
import { BankUnavailable, UnknownBankValue } from '#shared/bank/outcome.ts';
import type { Facts } from '#shared/bank/about.ts';
import {
  claimFacts,
  cobFacts,
  cobrFacts,
  devolucaoFacts,
  pixFacts,
  recFacts,
  sentFacts,
} from '#shared/bank/dialects/efi/facts.ts';
import { otherFields, requireAbout } from '#shared/bank/about.ts';
import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import { understood } from '#shared/bank/calls/outcomes.ts';
import { bankId } from './fields.ts';
import type { BankPage, BankReader, RecurrenceFound, RecurringChargeFound } from '#shared/bank/ports/reader.ts';
import {
  BalanceBody,
  CobBody,
  CobrBody,
  DevolucaoBody,
  InfracaoBody,
  Page,
  PixBody,
  RecBody,
  SentBody,
} from './shapes.ts';
import type { Teller } from '#shared/bank/calls/enumeration.ts';
import {
  chargeState,
  listedClaim,
  receivedPix,
  recurrenceState,
  recurringChargeState,
  refundState,
  sentPix,
} from './states.ts';

/** Items of a page: small enough that a slow bank sends it, with long items, within the timeout. */
const itemsPerPage = 100;
/** Milliseconds that a page may take: a worker waits for it, no caller. */
const pageTimeoutMs = 30_000;

/** The list of received payments. */
const pixList = { path: '/v2/pix', member: 'pix', id: 'endToEndId' } as const;

/** The reader of a connection. */
export function bankReader(
  client: Pick<BankClient, 'query' | 'certificateExpiry' | 'misled' | 'notKnown'>,
  now: Clock,
): BankReader {
  const read = async <Body, State>(
    path: string,
    shape: z.ZodType<Body>,
    stateOf: (body: Body, at: Instant) => State,
  ): Promise<State | undefined> => {
    const body = await client.query({ method: 'GET', path });
    return body === undefined ? undefined : stateIn(client, body, shape, (data) => stateOf(data, now()));
  };
  /** Reads one resource. The reply must name the resource of the request. */
  const readOne = <Body, State>(
    path: string,
    shape: z.ZodType<Body>,
    { asked, factsOf }: { readonly asked: Facts; readonly factsOf: (body: Body) => Facts },
    stateOf: (body: Body, at: Instant) => State,
  ): Promise<State | undefined> =>
    read(path, shape, (body, at) => {
      requireAbout(client, asked, factsOf(body));
      return stateOf(body, at);
    });
  const list = lists(client, now);
  const recurrence = (rec: z.output<typeof RecBody>, at: Instant) => recurrenceFound(rec, at, client);
  const recurringCharge = (cobr: z.output<typeof CobrBody>, at: Instant) => recurringChargeFound(cobr, at, client);
  const cob = (body: z.output<typeof CobBody>) => chargeState(body, client);
  const received = (body: z.output<typeof PixBody>) => receivedPix(body, client);
  const payout = (body: z.output<typeof SentBody>, at: Instant) => sentPix(body, at, client);
  return {
    readCharge: (txid) => {
      const about = { asked: { txid: bankId(txid) }, factsOf: cobFacts };
      return readOne(`/v2/cob/${bankId(txid)}`, CobBody, about, cob);
    },
    readReceivedPix: (endToEndId) =>
      readOne(`/v2/pix/${endToEndId}`, PixBody, { asked: { endToEndId }, factsOf: pixFacts }, received),
    readRecurrence: (idRec) =>
      readOne(`/v2/rec/${idRec}`, RecBody, { asked: { idRec }, factsOf: recFacts }, (rec, at) =>
        recurrenceState(rec, at, client),
      ),
    readRecurringCharge: (txid, { idRec, amount: valor } = {}) => {
      const about = { asked: { txid: bankId(txid), idRec, valor }, factsOf: cobrFacts };
      return readOne(`/v2/cobr/${bankId(txid)}`, CobrBody, about, recurringCharge);
    },
    readRefund: (endToEndId, { id, amount: valor }) => {
      const about = { asked: { id: bankId(id), valor }, factsOf: devolucaoFacts };
      return readOne(`/v2/pix/${endToEndId}/devolucao/${bankId(id)}`, DevolucaoBody, about, (body, at) =>
        refundState(body, at, client),
      );
    },
    readPayout: (idEnvio) => {
      const about = { asked: { idEnvio: bankId(idEnvio) }, factsOf: sentFacts };
      return readOne(`/v2/gn/pix/enviados/id-envio/${bankId(idEnvio)}`, SentBody, about, payout);
    },
    listReceived: list(pixList, PixBody, pixFacts, received),
    listReceivedToKeys: list({ ...pixList, query: { txIdPresente: 'false' } }, PixBody, pixFacts, received),
    listSent: list({ path: '/v2/gn/pix/enviados', member: 'pix', id: 'idEnvio' }, SentBody, sentFacts, payout),
    listClaims: list(
      { path: '/v2/gn/infracoes', member: 'infracoes', id: 'idInfracao' },
      InfracaoBody,
      claimFacts,
      listedClaim,
    ),
    listRecurrences: list({ path: '/v2/rec', member: 'recs', id: 'idRec' }, RecBody, recFacts, recurrence),
    listRecurringCharges: list({ path: '/v2/cobr', member: 'cobsr', id: 'txid' }, CobrBody, cobrFacts, recurringCharge),
    certificateExpiry: client.certificateExpiry,
    balance: async () => required(await read('/v2/gn/saldo', BalanceBody, ({ saldo }) => parseSignedAmount(saldo))),
  };
}

function recurrenceFound(rec: z.output<typeof RecBody>, at: Instant, client: Teller): RecurrenceFound {
  const state = recurrenceState(rec, at, client);
  return { idRec: rec.idRec, ...(rec.loc?.id !== undefined && { locationId: rec.loc.id }), state };
}

function recurringChargeFound(cobr: z.output<typeof CobrBody>, at: Instant, client: Teller): RecurringChargeFound {
  const { txid, idRec, valor } = cobr;
  const state = recurringChargeState(cobr, at, client);
  return { txid, idRec, state, ...(valor?.original !== undefined && { amount: valor.original }) };
}

/** Returns the state in the body of one resource. @throws UnknownBankValue; BankUnavailable for another shape */
function stateIn<Body, State>(
  client: Teller,
  body: unknown,
  shape: z.ZodType<Body>,
  stateOf: (body: Body) => State,
): State {
  let unknown: string | undefined;
  const notKnown: Teller['notKnown'] = (field, value) => {
    unknown = field;
    client.notKnown(field, value);
  };
  const state = understood({ notKnown }, body, shape, stateOf);
  if (unknown !== undefined) throw new UnknownBankValue(`The bank response has an unknown ${unknown}.`);
  return required(state);
}

/** Ids of API Pix are letters and digits, those of claims are UUIDs. Other values may be personal. */
const Id = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,40}$/u)
  .optional()
  .catch(undefined);
const Ids = z.object({ endToEndId: Id, idEnvio: Id, txid: Id, idRec: Id, idInfracao: Id }).partial();

/** Returns the id of an unreadable item, if the id itself is readable. */
function idOf(item: unknown): readonly string[] {
  const { idEnvio, idInfracao, endToEndId, txid, idRec } = Ids.safeParse(item).data ?? {};
  const id = idEnvio ?? idInfracao ?? endToEndId ?? txid ?? idRec;
  return id === undefined ? [] : [id];
}

/** Returns the lists of a connection. Each has a path, the name of its items in the body, and the name of their id. */
function lists(client: Pick<BankClient, 'query' | 'misled' | 'notKnown'>, now: Clock) {
  /** Whether another item of the page has the same id but other facts. Then neither is trusted. */
  const isTwofold = (facts: Facts, id: string, all: readonly Facts[]): boolean => {
    const { [id]: own } = facts;
    const fields = all
      .filter((other) => own !== undefined && other[id] === own)
      .flatMap((other) => otherFields(facts, other));
    if (fields.length > 0) client.misled([...new Set(fields)].join(', '));
    return fields.length > 0;
  };
  return <Body, State>(
      {
        path,
        member,
        id,
        query = {},
      }: {
        readonly path: string;
        readonly member: string;
        readonly id: string;
        readonly query?: Readonly<Record<string, string>>;
      },
      shape: z.ZodType<Body>,
      factsOf: (body: Body) => Facts,
      stateOf: (body: Body, at: Instant) => State,
    ) =>
    async (from: Instant, to: Instant, page: number, withinMs = pageTimeoutMs): Promise<BankPage<State>> => {
      const window = new URLSearchParams({
        ...query,
        inicio: from,
        fim: to,
        'paginacao.paginaAtual': `${page}`,
        'paginacao.itensPorPagina': `${itemsPerPage}`,
      });
      const signal = AbortSignal.timeout(Math.max(0, Math.min(withinMs, pageTimeoutMs)));
      const body = await client.query({ method: 'GET', path: `${path}?${window.toString()}`, signal });
      const { listed, pages } = required(understood(client, body, AnyPage, (read) => pageOf(read, member)));
      // An unreadable item does not affect the other items.
      const read = listed.map((entry) => ({
        entry,
        found: understood(client, entry, shape, (data) => ({ facts: factsOf(data), state: stateOf(data, now()) })),
      }));
      const readable = read.flatMap(({ found }) => found ?? []);
      const all = readable.map(({ facts }) => facts);
      const items = readable.filter(({ facts }) => !isTwofold(facts, id, all)).map(({ state }) => state);
      const unreadableIds = read.filter(({ found }) => found === undefined).flatMap(({ entry }) => idOf(entry));
      return { items, pages, unreadable: listed.length - items.length, unreadableIds };
    };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new BankUnavailable('The bank response is invalid.');
  return value;
}

const AnyPage = z.looseObject(Page.shape);
const Items = z.array(z.unknown()).default([]);

/** Returns the items of a page and the number of pages. @throws Error when the member is no list */
function pageOf({ parametros, ...lists }: z.output<typeof AnyPage>, member: string) {
  return { listed: Items.parse(lists[member]), pages: parametros.paginacao.quantidadeDePaginas };
}
