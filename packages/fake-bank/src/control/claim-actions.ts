import * as z from 'zod';
import { amountShape, amountText, cents } from '../amounts.ts';
import { claimView, isUndecided } from '../api/claims.ts';
import { findPix, masked, remainingCents } from '../api/received.ts';
import type { ClaimParty, Infracao, Pix } from '../model.ts';
import { returnByMed } from './payer-actions.ts';
import { conflict } from '../refusal.ts';
import type { Session } from '../session.ts';
import { plusSeconds, readInstant } from '../time.ts';

const amount = z.string().regex(amountShape);
const daySeconds = 86_400;

const ClaimMove = z.strictObject({
  endToEndId: z.string(),
  /** Amount; default: what has not gone back of the payment. */
  valor: amount.exactOptional(),
  natureza: z.enum(['MED_OPERACIONAL', 'MED_FRAUDE']).default('MED_FRAUDE'),
  razao: z.string().default('Solicitacao de devolução'),
  comentario: z.string().exactOptional(),
  tipoSituacao: z
    .enum(['golpe', 'aquisição da conta', 'coerção', 'acesso fraudulento', 'outro', 'desconhecido'])
    .exactOptional(),
  tipoFraude: z.string().exactOptional(),
  /** Days until the time limit of the defence. */
  days: z.number().default(7),
  /** The time limit itself, RFC 3339, instead of `days`. */
  prazoFinalizacao: z.string().exactOptional(),
});

/** Opens a claim about a received Pix, as the payer's bank does. Money moves only when the claim is accepted. */
export function claim(session: Session, body: unknown) {
  const { endToEndId, valor: asked, days, prazoFinalizacao: limit, ...terms } = ClaimMove.parse(body);
  const { now, ids, drawer } = session;
  const pix = findPix(session, endToEndId);
  const claims = drawer.list('infracao');
  if (claims.some((other) => other.endToEndId === endToEndId && isUndecided(other)))
    throw conflict(`The payment ${endToEndId} has an open claim.`);
  const valor = asked ?? amountText(Math.max(0, remainingCents(pix)));
  if (cents(valor) === 0 || cents(valor) > cents(pix.valor))
    throw conflict(`A claim of ${valor} is not possible for a payment of ${pix.valor}.`);
  const prazoFinalizacao = limit === undefined ? plusSeconds(now, days * daySeconds) : readInstant(limit);
  if (prazoFinalizacao === undefined) throw conflict(`${String(limit)} is not a time of RFC 3339.`);
  const number = claims.length + 1;
  const infracao: Infracao = {
    idInfracao: ids.uuid(),
    endToEndId,
    protocolo: String(number),
    dataTransacao: pix.horario,
    valor,
    chave: pix.chave,
    status: 'ABERTA',
    ...terms,
    identificadorTicket: [number],
    dadosAnalise: { abertura: now, prazoFinalizacao },
    origem: payerOf(pix),
    destino: receiverOf(session, pix),
    criadoEm: now,
    atualizadoEm: now,
  };
  drawer.save('infracao', infracao.idInfracao, infracao);
  return claimView(infracao);
}

/** The payer; its bank's ISPB is in the end-to-end id. */
function payerOf({ endToEndId, pagador }: Pix): ClaimParty {
  const { nome = '', cpf, cnpj } = masked(pagador);
  return { nomeParticipante: `BANCO ${endToEndId.slice(1, 9)}`, conta: '12345678', nome, documento: cpf ?? cnpj ?? '' };
}

function receiverOf({ client }: Session, { chave }: Pix): ClaimParty {
  const account = client.accounts.find((candidate) => candidate.chave === chave) ?? client.accounts[0];
  const { nome, cnpj: documento } = client;
  return { nomeParticipante: 'BANCO LOCAL S.A.', conta: account?.conta ?? '', nome, documento };
}

const decision = {
  status: z.enum(['ACEITA', 'REJEITADA', 'CANCELADA_EFI']),
  /** Amount that an accepted claim returns; default: that of the claim. `0.00` returns nothing. */
  valor: amount.exactOptional(),
  justificativaAnalista: z.string().exactOptional(),
};
const Decision = z.union([
  z.strictObject({ idInfracao: z.string(), ...decision }),
  z.strictObject({ endToEndId: z.string(), ...decision }),
]);

/** Ends an open or defended claim. An accepted one also returns money of the payment by the special mechanism. */
export function decideClaim(session: Session, body: unknown) {
  const { status, valor: asked, justificativaAnalista, ...which } = Decision.parse(body);
  const before = findUndecided(session, which);
  if (asked !== undefined && status !== 'ACEITA') throw conflict('Only a claim that is ACEITA returns an amount.');
  const infracao: Infracao = {
    ...before,
    status,
    ...(justificativaAnalista !== undefined && { justificativaAnalista }),
    dadosAnalise: { ...before.dadosAnalise, finalizacao: session.now },
    atualizadoEm: session.now,
  };
  session.drawer.save('infracao', infracao.idInfracao, infracao);
  const { endToEndId, natureza } = infracao;
  const valor = asked ?? infracao.valor;
  if (status !== 'ACEITA' || cents(valor) === 0) return { infracao: claimView(infracao) };
  if (cents(valor) > remainingCents(findPix(session, endToEndId)))
    throw conflict('The returns would exceed the amount of the payment.');
  return { infracao: claimView(infracao), pix: returnByMed(session, { endToEndId, valor, natureza }) };
}

type Which = { readonly idInfracao: string } | { readonly endToEndId: string };

function findUndecided({ drawer }: Session, which: Which): Infracao {
  const found = drawer
    .list('infracao')
    .filter(isUndecided)
    .find((infracao) =>
      'idInfracao' in which ? infracao.idInfracao === which.idInfracao : infracao.endToEndId === which.endToEndId,
    );
  if (found === undefined) throw conflict(`There is no open claim ${Object.values(which).join('')}.`);
  return found;
}
