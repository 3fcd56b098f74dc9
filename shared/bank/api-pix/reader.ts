import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, parseAmount, subtractCentavos } from '#shared/core/money.ts';
import { BankUnavailable } from '../outcome.ts';
import type { BankClient } from './client.ts';
import { bankId, understood } from './connected.ts';
import type { BankPage, BankReader } from './reading.ts';
import { BalanceBody, CobBody, CobrBody, DevolucaoBody, Page, PixBody, RecBody, SentBody } from './shapes.ts';
import { chargeState, receivedPix, recurrenceState, recurringChargeState, refundState, sentPix } from './states.ts';

const itemsPerPage = 1000;

/** The reader of a connection. */
export function bankReader(client: Pick<BankClient, 'query' | 'certificateEnd'>, now: Clock): BankReader {
  const read = async <Body, State>(
    path: string,
    shape: z.ZodType<Body>,
    stateOf: (body: Body, at: Instant) => State,
  ): Promise<State | undefined> => {
    const body = await client.query({ method: 'GET', path });
    return body === undefined ? undefined : required(understood(body, shape, (data) => stateOf(data, now())));
  };
  const list =
    <Body, State>(path: string, member: string, shape: z.ZodType<Body>, stateOf: (body: Body, at: Instant) => State) =>
    async (from: Instant, to: Instant, page: number): Promise<BankPage<State>> => {
      const window = new URLSearchParams({
        ...{ inicio: from, fim: to },
        'paginacao.paginaAtual': `${page}`,
        'paginacao.itensPorPagina': `${itemsPerPage}`,
      });
      const body = await client.query({ method: 'GET', path: `${path}?${window.toString()}` });
      const { listed, pages } = required(understood(body, AnyPage, (read) => pageOf(read, member)));
      // One that cannot be read costs the others nothing.
      const items = listed.flatMap((one) => understood(one, shape, (data) => [stateOf(data, now())]) ?? []);
      return { items, pages, unreadable: listed.length - items.length };
    };
  const recurrence = (rec: z.output<typeof RecBody>, at: Instant) => ({
    idRec: rec.idRec,
    ...(rec.loc?.id !== undefined && { locationId: rec.loc.id }),
    state: recurrenceState(rec, at),
  });
  const recurringCharge = (cobr: z.output<typeof CobrBody>, at: Instant) => ({
    ...{ txid: cobr.txid, idRec: cobr.idRec, state: recurringChargeState(cobr, at) },
  });
  return {
    readCharge: (txid) => read(`/v2/cob/${bankId(txid)}`, CobBody, chargeState),
    readReceivedPix: (endToEndId) => read(`/v2/pix/${endToEndId}`, PixBody, receivedPix),
    readRecurrence: (idRec) => read(`/v2/rec/${idRec}`, RecBody, recurrenceState),
    readRecurringCharge: (txid) => read(`/v2/cobr/${bankId(txid)}`, CobrBody, recurringCharge),
    readRefund: (endToEndId, id) => read(`/v2/pix/${endToEndId}/devolucao/${bankId(id)}`, DevolucaoBody, refundState),
    readPayout: (idEnvio) => read(`/v2/gn/pix/enviados/id-envio/${bankId(idEnvio)}`, SentBody, sentPix),
    listReceived: list('/v2/pix', 'pix', PixBody, receivedPix),
    listSent: list('/v2/gn/pix/enviados', 'pix', SentBody, sentPix),
    listRecurrences: list('/v2/rec', 'recs', RecBody, recurrence),
    listRecurringCharges: list('/v2/cobr', 'cobsr', CobrBody, recurringCharge),
    certificateEnd: client.certificateEnd,
    balance: async () => required(await read('/v2/gn/saldo', BalanceBody, ({ saldo }) => balanceOf(saldo))),
  };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new BankUnavailable('The bank answered what it must not.');
  return value;
}

/** An account may be empty, and its fees may take it below zero. */
function balanceOf(saldo: string): Centavos | undefined {
  if (/^-?0+(\.0+)?$/u.test(saldo)) return centavos(0);
  const amount = parseAmount(saldo.replace(/^-/u, ''));
  return amount !== undefined && saldo.startsWith('-') ? subtractCentavos(centavos(0), amount) : amount;
}

const AnyPage = z.looseObject(Page.shape);
const Items = z.array(z.unknown()).default([]);

/** A list under the bank's name for its items. @throws for what is no list */
function pageOf({ parametros, ...lists }: z.output<typeof AnyPage>, member: string) {
  return { listed: Items.parse(lists[member]), pages: parametros.paginacao.quantidadeDePaginas };
}
