import { firstOf } from '#shared/core/visible.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseDocument } from '#shared/core/document.ts';
import type { ChargeState, ReceivedPayment } from '#shared/bank/ports/charges.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { OpenedRecurrence, RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import type { ChargeAttempt, RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import type { ReturnedPayment } from '#shared/bank/ports/shapes.ts';
import type { ListedClaim, ReceivedPix, SentPix } from '#shared/bank/ports/reader.ts';
import type { CobBody, CobrBody, Devolucao, InfracaoBody, PixBody, RecBody, SentBody, Tentativa } from './shapes.ts';
import type { Enumeration, Teller } from '#shared/bank/calls/enumeration.ts';
import { values } from './values.ts';
import { known, knownOrTold } from '#shared/bank/calls/enumeration.ts';

/*
 * Translates the bank's states into those of the ports. A value that no enumeration has throws if it decides the state
 * (values.ts): then the response counts as not understood. Else it is told, and only what it belongs to is left out: a
 * return (devolução) inside a payment, a past status, another attempt.
 */

/** Returns the state of a cob. An expired cob stays `ACTIVE`: the bank has no status for it. */
export function chargeState({ txid, status, location, loc, pixCopiaECola, pix }: CobBody, teller: Teller): ChargeState {
  return {
    txid,
    location: bare(loc?.location ?? location ?? ''),
    ...(pixCopiaECola !== undefined && { qrcode: pixCopiaECola }),
    status: known(values.cobStatus, status),
    payments: pix.map((payment) => receivedPayment(payment, teller)),
  };
}

/** Returns a location without its scheme: some banks send one. */
function bare(location: string): string {
  return location.replace(/^https?:\/\//u, '');
}

function receivedPayment(
  { endToEndId, valor, horario, devolucoes, gnExtras }: PixBody,
  teller: Teller,
): ReceivedPayment {
  const { nome: name, cpf, cnpj } = gnExtras?.pagador ?? {};
  // Some banks mask the document: then the payment has no payer.
  const document = parseDocument(cpf ?? cnpj ?? '');
  return {
    endToEndId,
    amount: valor,
    at: horario,
    ...(name !== undefined && name !== '' && document && { payer: { name: firstOf(name, 140), document } }),
    returns: devolucoes.flatMap((devolucao) => returned(devolucao, teller)),
  };
}

/** Returns the money that went back: nothing for a return (devolução) that is not settled or not understood. */
function returned(devolucao: Devolucao, teller: Teller): readonly ReturnedPayment[] {
  const { id, rtrId, valor, status, natureza = 'ORIGINAL', horario } = devolucao;
  const nature = knownOrTold(values.devolucaoNatureza, natureza, teller);
  if (nature === undefined || knownOrTold(values.devolucaoStatus, status, teller) !== 'SETTLED') return [];
  const at = horario?.liquidacao ?? horario?.solicitacao;
  if (rtrId === undefined || at === undefined) return [];
  const claim = nature === 'REQUESTED' ? {} : { claim: nature };
  return [{ ...(id !== undefined && { id }), returnId: rtrId, amount: valor, at, ...claim }];
}

/** Returns a claim of the list of infrações, which has those for fraud alone (Efí, MED). */
export function listedClaim(body: InfracaoBody): ListedClaim {
  const { idInfracao, endToEndId, status, valor, razao, tipoSituacao, tipoFraude, comentario, defesa, criadoEm } = body;
  const { prazoFinalizacao, recebimentoDefesa } = body.dadosAnalise;
  const defence = visibleText(defesa);
  const details = [tipoSituacao, tipoFraude, comentario].flatMap((part) => visibleText(part) ?? []).join('. ');
  return {
    claimId: idInfracao,
    endToEndId,
    kind: 'FRAUD',
    status: known(values.infracaoStatus, status),
    amount: valor,
    dueAt: prazoFinalizacao,
    reason: text(visibleText(razao), 'The payer claims the payment back.'),
    ...(details !== '' && { details: firstOf(details, 1000) }),
    ...(defence !== undefined && { defence }),
    isDefended: recebimentoDefesa !== undefined || defence !== undefined || status === 'EM_DEFESA',
    createdAt: criadoEm,
  };
}

export function receivedPix(pix: PixBody, teller: Teller): ReceivedPix {
  const { txid, chave, gnExtras } = pix;
  return {
    ...receivedPayment(pix, teller),
    ...(txid !== undefined && { txid }),
    ...(chave !== undefined && { chave }),
    ...(gnExtras?.tarifa !== undefined && { fee: gnExtras.tarifa }),
  };
}

/**
 * Returns the state of a return (devolução) that the service requested, whatever its nature. @param now used when the
 * bank gives no settlement time
 */
export function refundState(
  { status: value, natureza, ...more }: Devolucao,
  now: Instant,
  teller: Teller,
): RefundState {
  const { rtrId, motivo, horario } = more;
  const returnId = rtrId === undefined ? {} : { returnId: rtrId };
  if (natureza !== undefined) knownOrTold(values.devolucaoNatureza, natureza, teller);
  const status = known(values.devolucaoStatus, value);
  switch (status) {
    case 'PENDING':
      return { status, ...returnId };
    case 'SETTLED':
      if (rtrId === undefined) throw new Error('A settled return (devolução) has no return id.');
      return { status, returnId: rtrId, at: horario?.liquidacao ?? now };
    case 'FAILED':
      return { status, reason: text(motivo, 'The bank did not carry out the devolução.') };
  }
}

const enders: Readonly<Record<string, NonNullable<RecurrenceState['endedBy']>>> = {
  USUARIO_PAGADOR: 'PAYER',
  PSP_PAGADOR: 'BANK',
  USUARIO_RECEBEDOR: 'RECEIVER',
  PSP_RECEBEDOR: 'BANK',
};
/** Codes of the end of a rec (BCB, API Pix, `encerramento.cancelamento.codigo`). */
const endReasons: Readonly<Record<string, NonNullable<RecurrenceState['endReason']>>> = {
  ACCL: 'ACCOUNT_CANCELLATION',
  DCSD: 'PAYER_DECEASED',
  SLDB: 'REQUESTED_BY_PAYER',
  SLCR: 'REQUESTED_BY_RECEIVER',
  FRUD: 'FRAUD_SUSPICION',
};

/** Returns the state of a rec: all its statuses, the current one last. @param now used when the bank gives no time */
export function recurrenceState(rec: RecBody, now: Instant, teller: Teller): OpenedRecurrence {
  const { idRec, loc, dadosQR, pagador, encerramento } = rec;
  const { solicitante, codigo } = encerramento?.cancelamento ?? {};
  const document = parseDocument(pagador?.cpf ?? pagador?.cnpj ?? '');
  const endedBy = solicitante === undefined ? undefined : enders[solicitante];
  const endReason = codigo === undefined ? undefined : endReasons[codigo];
  return {
    recurrenceId: idRec,
    location: bare(loc?.location ?? ''),
    ...(dadosQR?.pixCopiaECola !== undefined && { qrcode: dadosQR.pixCopiaECola }),
    history: historyOf(rec, values.recStatus, now, teller),
    ...(document && { payer: { document, ...(pagador?.nome !== undefined && { name: firstOf(pagador.nome, 140) }) } }),
    ...(endedBy && { endedBy }),
    ...(endReason && { endReason }),
  };
}

type Passed = {
  readonly status: string;
  readonly atualizacao: readonly { readonly status: string; readonly data: Instant }[];
};

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the statuses of a rec or an attempt by time. Several may have passed between two reads. */
function historyOf<T>({ status, atualizacao }: Passed, table: Enumeration<T>, now: Instant, teller: Teller) {
  const current = known(table, status);
  const passed = pastOf(atualizacao, table, teller);
  if (passed.at(-1)?.status === current) return passed;
  const at =
    atualizacao
      .map(({ data }) => data)
      .toSorted()
      .at(-1) ?? now;
  return [...passed, { status: current, at }];
}

/** Returns the known past statuses by time. An unknown one decides nothing beside the current one: it is told. */
function pastOf<T>(atualizacao: Passed['atualizacao'], table: Enumeration<T>, teller: Teller) {
  return atualizacao
    .toSorted((a, b) => compare(a.data, b.data))
    .flatMap(({ status: value, data: at }) => {
      const status = knownOrTold(table, value, teller);
      return status === undefined ? [] : [{ status, at }];
    });
}

/**
 * Returns the state of a cobr with its attempts, except any without an end-to-end id yet and any of an unknown type
 * beside one of a known type. @throws UnknownValue when no attempt has a known type: the asked one is among them
 */
export function recurringChargeState(cobr: CobrBody, now: Instant, teller: Teller): RecurringChargeState {
  const tentativas = inOrder(cobr.tentativas);
  const canceled = cancellationOf(cobr, now, teller);
  const isNoneKnown = !tentativas.some(({ tipo }) => values.attemptTipo.meanings.has(tipo));
  return {
    attempts: tentativas.flatMap((tentativa, place) => {
      const { tipo, endToEndId } = tentativa;
      const kind = isNoneKnown ? known(values.attemptTipo, tipo) : knownOrTold(values.attemptTipo, tipo, teller);
      if (kind === undefined || endToEndId === undefined) return [];
      const later = tentativas.slice(place + 1);
      const end = endOf(tentativa, later, {
        cobr,
        canceled,
        history: historyOf(tentativa, values.attemptStatus, now, teller),
      });
      return [{ kind, day: tentativa.dataLiquidacao, endToEndId, ...end }];
    }),
  };
}

/** Returns the last time at which a canceled cobr was canceled; undefined for another cobr. */
function cancellationOf({ status, atualizacao }: CobrBody, now: Instant, teller: Teller): Instant | undefined {
  if (known(values.cobrStatus, status) !== 'CANCELED') return undefined;
  const ends = pastOf(atualizacao, values.cobrStatus, teller).filter((entry) => entry.status === 'CANCELED');
  return ends.at(-1)?.at ?? now;
}

const resend = 'RIFL';

/** Sorts attempts by creation, whatever the list's order: a resend follows its original, on the same day. */
function inOrder(tentativas: readonly Tentativa[]): readonly Tentativa[] {
  const placeOf = ({ dataLiquidacao, tipo, atualizacao }: Tentativa): string => {
    const times = atualizacao.map(({ data }) => data).toSorted();
    return `${dataLiquidacao} ${tipo === resend ? 'again' : ''} ${times[0] ?? ''}`;
  };
  return tentativas.toSorted((a, b) => compare(placeOf(a), placeOf(b)));
}

/** Code of a cancellation by a settlement error (camt.055). */
const settlementError = 'FAIL';

type History = ChargeAttempt['history'];

/** Returns the statuses of an attempt, with the end of its cobr, and the code of its end. */
function endOf(
  { dataLiquidacao: day, rejeicao, encerramento }: Tentativa,
  later: readonly Tentativa[],
  {
    cobr,
    canceled,
    history,
  }: { readonly cobr: CobrBody; readonly canceled: Instant | undefined; readonly history: History },
): Pick<ChargeAttempt, 'code' | 'history'> {
  const last = history.at(-1)?.status;
  const isOpen = last === 'REQUESTED' || last === 'SCHEDULED';
  const end = isOpen ? canceled : undefined;
  // When the bank resends a cobr it drops the code of the cancellation. It resends only after a settlement error.
  const isResent = later.some((attempt) => attempt.tipo === resend && attempt.dataLiquidacao === day);
  const closing = isResent ? settlementError : (encerramento ?? cobr.encerramento)?.cancelamento?.codigo;
  const code = last === 'REJECTED' ? rejeicao?.codigo : last === 'CANCELED' || end !== undefined ? closing : undefined;
  return {
    ...(code !== undefined && code !== '' && { code }),
    history: end === undefined ? history : [...history, { status: 'CANCELED', at: end }],
  };
}

/**
 * Returns the state of a sent Pix. `EM_PROCESSAMENTO`: the bank has accepted the payment and may still fail to settle
 * it.
 */
export function paymentState(sent: SentBody, now: Instant, teller: Teller): PaymentState {
  const { horario, motivo, devolucoes, gnExtras } = sent;
  const status = known(values.sentStatus, sent.status);
  const endToEndId = sent.endToEndId ?? sent.e2eId;
  // Efí lists only the settled returns of a sent Pix, without a status.
  const returns = devolucoes.flatMap((devolucao) =>
    returned({ ...devolucao, status: devolucao.status ?? 'DEVOLVIDO' }, teller),
  );
  const common = { ...(endToEndId !== undefined && { endToEndId }), returns };
  switch (status) {
    case 'ACCEPTED':
      return { status, ...common };
    case 'PAID':
      return { status, at: horario?.liquidacao ?? now, ...common };
    case 'ERROR': {
      const { codigo, motivo: why } = gnExtras?.erro ?? {};
      const reason = text(motivo ?? why, 'The bank did not carry out the payment.');
      return {
        status,
        ...(codigo !== undefined && codigo !== '' && { code: codigo.slice(0, 35) }),
        reason,
        ...common,
      };
    }
  }
}

export function sentPix(sent: SentBody, now: Instant, teller: Teller): SentPix {
  const { idEnvio, valor, gnExtras } = sent;
  const endToEndId = sent.endToEndId ?? sent.e2eId;
  return {
    ...(idEnvio !== undefined && { reference: idEnvio }),
    ...(endToEndId !== undefined && { endToEndId }),
    amount: valor,
    state: paymentState(sent, now, teller),
    ...(gnExtras?.tarifa !== undefined && { fee: gnExtras.tarifa }),
  };
}

/** Returns a text of a person on one line, without control characters; undefined when nothing is left. */
export function visibleText(given: string | undefined): string | undefined {
  const visible = given
    ?.toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return visible === '' ? undefined : visible;
}

function text(given: string | undefined, otherwise: string): string {
  return given === undefined || given.trim() === '' ? otherwise : firstOf(given.trim(), 140);
}
