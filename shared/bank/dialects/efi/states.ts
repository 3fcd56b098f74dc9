import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseDocument } from '#shared/core/document.ts';
import type { ChargeState, ReceivedPayment } from '#shared/bank/ports/charges.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { OpenedRecurrence, RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import type { ChargeAttempt, RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import type { ReturnedPayment } from '#shared/bank/ports/shapes.ts';
import type { ReceivedPix, SentPix } from '#shared/bank/ports/reader.ts';
import type { CobBody, CobrBody, Devolucao, PixBody, RecBody, SentBody, Tentativa } from './shapes.ts';

/*
 * Translates the bank's states into those of the ports. A status that is in no table throws: the response then counts
 * as not understood.
 */

function known<T>(table: Readonly<Record<string, T>>, status: string): T {
  const state = table[status];
  if (state === undefined) throw new Error('The bank response has an unknown status.');
  return state;
}

const chargeStatuses: Readonly<Record<string, ChargeState['status']>> = {
  ATIVA: 'ACTIVE',
  CONCLUIDA: 'PAID',
  REMOVIDA_PELO_USUARIO_RECEBEDOR: 'REMOVED',
  REMOVIDA_PELO_PSP: 'DROPPED',
};

/** Returns the state of a cob. An expired cob stays `ACTIVE`: the bank has no status for it. */
export function chargeState({ txid, status, location, loc, pixCopiaECola, pix }: CobBody): ChargeState {
  return {
    txid,
    location: bare(loc?.location ?? location ?? ''),
    ...(pixCopiaECola !== undefined && { qrcode: pixCopiaECola }),
    status: known(chargeStatuses, status),
    payments: pix.map(receivedPayment),
  };
}

/** Returns a location without its scheme: some banks send one. */
function bare(location: string): string {
  return location.replace(/^https?:\/\//u, '');
}

function receivedPayment({ endToEndId, valor, horario, devolucoes, gnExtras }: PixBody): ReceivedPayment {
  const { nome: name, cpf, cnpj } = gnExtras?.pagador ?? {};
  // Some banks mask the document: then the payment has no payer.
  const document = parseDocument(cpf ?? cnpj ?? '');
  return {
    endToEndId,
    amount: valor,
    at: horario,
    ...(name !== undefined && name !== '' && document && { payer: { name: name.slice(0, 140), document } }),
    returns: devolucoes.flatMap(returned),
  };
}

/** Returns the money that went back: nothing for a return (devolução) that is not settled. */
function returned({ id, rtrId, valor, status, horario }: Devolucao): readonly ReturnedPayment[] {
  const at = horario?.liquidacao ?? horario?.solicitacao;
  if (status !== 'DEVOLVIDO' || rtrId === undefined || at === undefined) return [];
  return [{ ...(id !== undefined && { id }), returnId: rtrId, amount: valor, at }];
}

export function receivedPix(pix: PixBody): ReceivedPix {
  const { txid, chave, gnExtras } = pix;
  return {
    ...receivedPayment(pix),
    ...(txid !== undefined && { txid }),
    ...(chave !== undefined && { chave }),
    ...(gnExtras?.tarifa !== undefined && { fee: gnExtras.tarifa }),
  };
}

/** Returns the state of a return (devolução). @param now used when the bank gives no settlement time */
export function refundState({ status, rtrId, motivo, horario }: Devolucao, now: Instant): RefundState {
  const returnId = rtrId === undefined ? {} : { returnId: rtrId };
  switch (status) {
    case 'EM_PROCESSAMENTO':
      return { status: 'PENDING', ...returnId };
    case 'DEVOLVIDO':
      if (rtrId === undefined) throw new Error('A settled return (devolução) has no return id.');
      return { status: 'SETTLED', returnId: rtrId, at: horario?.liquidacao ?? now };
    case 'NAO_REALIZADO':
      return { status: 'FAILED', reason: text(motivo, 'The bank did not carry out the devolução.') };
    default:
      throw new Error('The bank response has an unknown status.');
  }
}

const recurrenceStatuses: Readonly<Record<string, RecurrenceState['history'][number]['status']>> = {
  CRIADA: 'CREATED',
  APROVADA: 'APPROVED',
  REJEITADA: 'REJECTED',
  CANCELADA: 'CANCELED',
  EXPIRADA: 'EXPIRED',
};
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
export function recurrenceState(rec: RecBody, now: Instant): OpenedRecurrence {
  const { idRec, loc, dadosQR, pagador, encerramento } = rec;
  const { solicitante, codigo } = encerramento?.cancelamento ?? {};
  const document = parseDocument(pagador?.cpf ?? pagador?.cnpj ?? '');
  const endedBy = solicitante === undefined ? undefined : enders[solicitante];
  const endReason = codigo === undefined ? undefined : endReasons[codigo];
  return {
    recurrenceId: idRec,
    location: bare(loc?.location ?? ''),
    ...(dadosQR?.pixCopiaECola !== undefined && { qrcode: dadosQR.pixCopiaECola }),
    history: historyOf(rec, recurrenceStatuses, now),
    ...(document && { payer: { document, ...(pagador?.nome !== undefined && { name: pagador.nome.slice(0, 140) }) } }),
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
function historyOf<T>({ status, atualizacao }: Passed, table: Readonly<Record<string, T>>, now: Instant) {
  const passed = atualizacao
    .toSorted((a, b) => compare(a.data, b.data))
    .map((entry) => ({ status: known(table, entry.status), at: entry.data }));
  const current = known(table, status);
  return passed.at(-1)?.status === current ? passed : [...passed, { status: current, at: passed.at(-1)?.at ?? now }];
}

const attemptKinds: Readonly<Record<string, ChargeAttempt['kind']>> = {
  AGND: 'FIRST_ATTEMPT',
  NTAG: 'NEW_ATTEMPT_AFTER_DUE_DATE',
  RIFL: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
};
const attemptStatuses: Readonly<Record<string, ChargeAttempt['history'][number]['status']>> = {
  SOLICITADA: 'REQUESTED',
  AGENDADA: 'SCHEDULED',
  PAGA: 'PAID',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
};

/** Returns the state of a cobr with its attempts, except any without an end-to-end id yet. */
export function recurringChargeState(cobr: CobrBody, now: Instant): RecurringChargeState {
  const tentativas = inOrder(cobr.tentativas);
  return {
    attempts: tentativas.flatMap((tentativa, place) => attemptOf(tentativa, tentativas.slice(place + 1), cobr, now)),
  };
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

function attemptOf(
  attempt: Tentativa,
  later: readonly Tentativa[],
  cobr: CobrBody,
  now: Instant,
): readonly ChargeAttempt[] {
  const { tipo, dataLiquidacao: day, endToEndId, rejeicao, encerramento } = attempt;
  if (endToEndId === undefined) return [];
  const history = historyOf(attempt, attemptStatuses, now);
  const last = history.at(-1)?.status;
  const isOpen = last === 'REQUESTED' || last === 'SCHEDULED';
  const isWithdrawn = isOpen && cobr.status === 'CANCELADA';
  const ends = cobr.atualizacao.flatMap(({ status, data }) => (status === 'CANCELADA' ? [data] : []));
  // When the bank resends a cobr it drops the code of the cancellation. It resends only after a settlement error.
  const isResent = later.some((attempt) => attempt.tipo === resend && attempt.dataLiquidacao === day);
  const closing = isResent ? settlementError : (encerramento ?? cobr.encerramento)?.cancelamento?.codigo;
  const code = last === 'REJECTED' ? rejeicao?.codigo : last === 'CANCELED' || isWithdrawn ? closing : undefined;
  return [
    {
      kind: known(attemptKinds, tipo),
      day,
      endToEndId,
      ...(code !== undefined && code !== '' && { code }),
      history: isWithdrawn ? [...history, { status: 'CANCELED', at: ends.toSorted().at(-1) ?? now }] : history,
    },
  ];
}

/**
 * Returns the state of a sent Pix. `EM_PROCESSAMENTO`: the bank has accepted the payment and may still fail to settle
 * it.
 */
export function paymentState(sent: SentBody, now: Instant): PaymentState {
  const { status, horario, motivo, devolucoes, gnExtras } = sent;
  const endToEndId = sent.endToEndId ?? sent.e2eId;
  const common = { ...(endToEndId !== undefined && { endToEndId }), returns: devolucoes.flatMap(returned) };
  switch (status) {
    case 'EM_PROCESSAMENTO':
      return { status: 'ACCEPTED', ...common };
    case 'REALIZADO':
      return { status: 'PAID', at: horario?.liquidacao ?? now, ...common };
    case 'NAO_REALIZADO': {
      const { codigo, motivo: why } = gnExtras?.erro ?? {};
      const reason = text(motivo ?? why, 'The bank did not carry out the payment.');
      return {
        status: 'ERROR',
        ...(codigo !== undefined && codigo !== '' && { code: codigo.slice(0, 35) }),
        reason,
        ...common,
      };
    }
    default:
      throw new Error('The bank response has an unknown status.');
  }
}

export function sentPix(sent: SentBody, now: Instant): SentPix {
  const { idEnvio, valor, gnExtras } = sent;
  const endToEndId = sent.endToEndId ?? sent.e2eId;
  return {
    ...(idEnvio !== undefined && { reference: idEnvio }),
    ...(endToEndId !== undefined && { endToEndId }),
    amount: valor,
    state: paymentState(sent, now),
    ...(gnExtras?.tarifa !== undefined && { fee: gnExtras.tarifa }),
  };
}

function text(given: string | undefined, otherwise: string): string {
  return given === undefined || given.trim() === '' ? otherwise : given.trim().slice(0, 140);
}
