import type { CobR, Payout, Pix, Rec } from '../model.ts';
import { pixView, refundView } from './received.ts';
import type { Session } from '../session.ts';

// Items of callbacks: {pix:[…]}, {recs:[…]} and {cobsr:[…]}.

/** RecNotification of API Pix. */
export function recNotice({ idRec, status, atualizacao, encerramento, ativacao }: Rec) {
  return { idRec, status, atualizacao, ...(encerramento && { encerramento }), ativacao };
}

/** CobRNotification of API Pix. */
export function cobrNotice(session: Pick<Session, 'drawer'>, cobr: CobR) {
  const { idRec, txid, status, atualizacao, encerramento, tentativas } = cobr;
  const pix = cobrPix(session, cobr);
  return { idRec, txid, status, atualizacao, ...(encerramento && { encerramento }), tentativas, ...pix };
}

/** The payments of a recurring charge, if it has one. */
export function cobrPix({ drawer }: Pick<Session, 'drawer'>, { payments }: CobR) {
  const pix = payments.map((id) => drawer.find('pix', id)).filter((payment): payment is Pix => payment !== undefined);
  return pix.length === 0 ? {} : { pix: pix.map(automaticPix) };
}

/** PixAutomatico: without the key, which PIX Automático does not use. */
function automaticPix({ endToEndId, txid, valor, horario, devolucoes }: Pix) {
  return { endToEndId, txid, valor, horario, ...(devolucoes.length > 0 && { devolucoes: devolucoes.map(refundView) }) };
}

/** A received Pix, as its `GET` shows it. */
export const pixNotice = pixView;

/** A finished payout, in Efí's form. Only the callback has the error code of a failed payout; the `GET` has none. */
export function payoutNotice(payout: Payout, erro?: { codigo: string; origem: string; motivo: string }) {
  const { endToEndId, chave, status, valor, horario, idEnvio, devolucoes } = payout;
  return {
    endToEndId,
    chave,
    tipo: 'SOLICITACAO',
    status,
    valor,
    horario,
    ...(devolucoes.length > 0 && { devolucoes }),
    gnExtras: { idEnvio, ...(erro !== undefined && { erro }) },
  };
}
