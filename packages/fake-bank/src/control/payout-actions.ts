import * as z from 'zod';
import { amountShape, cents } from '../amounts.ts';
import { moveBalance } from '../balance.ts';
import { writeCode } from '../codes.ts';
import { returnId } from '../ids.ts';
import { readKey } from '../keys.ts';
import type { Payout, Pix } from '../model.ts';
import { payoutNotice } from '../api/notices.ts';
import { clientOfKey, endRefund, receive } from './payer-actions.ts';
import { conflict } from '../refusal.ts';
import { bankIspb } from '../session.ts';
import type { Session } from '../session.ts';

const amount = z.string().regex(amountShape);

const Settlement = z.strictObject({
  idEnvio: z.string(),
  status: z.enum(['REALIZADO', 'NAO_REALIZADO']).default('REALIZADO'),
  /** Error code of a failure, from the receiver's bank (BCB, pacs.002). */
  codigo: z.string().max(4).default('AC03'),
  motivo: z.string().default('Conta do recebedor inexistente.'),
});

/** Finishes a payout. The amount of a failed payout returns to the balance. */
export function settlePayout(session: Session, body: unknown): Payout {
  const { idEnvio, status, codigo, motivo } = Settlement.parse(body);
  const before = findPayout(session, idEnvio, 'EM_PROCESSAMENTO');
  const isPaid = status === 'REALIZADO';
  const horario = { ...before.horario, ...(isPaid && { liquidacao: session.now }) };
  const payout = { ...before, status, horario };
  session.drawer.save('payout', idEnvio, payout);
  if (isPaid) arrive(session, payout);
  else moveBalance(session, cents(payout.valor));
  const erro = { codigo, origem: 'SPI', motivo };
  session.notify(`pix:${payout.chave}`, 'pix', payoutNotice(payout, isPaid ? undefined : erro));
  return payout;
}

/** Credits the receiver if a client of this bank has the key. */
function arrive(session: Session, { favorecido, endToEndId, valor, txid }: Payout): void {
  const chave = 'chave' in favorecido ? favorecido.chave : undefined;
  const receiver = chave === undefined ? undefined : clientOfKey(session.common.list('client'), chave);
  const there = receiver && session.peer(receiver.id);
  if (there === undefined || chave === undefined) return;
  const { nome, cnpj } = session.client;
  const pagador = { nome, cnpj };
  receive(there, { endToEndId, valor, chave, ispb: bankIspb, pagador, ...(txid !== undefined && { txid }) });
}

const Return = z.strictObject({ idEnvio: z.string(), valor: amount.exactOptional() });

/** Sends a payout back, wholly or in part, as its receiver does. */
export function returnPayout(session: Session, body: unknown): Payout {
  const { idEnvio, valor: asked } = Return.parse(body);
  const before = findPayout(session, idEnvio, 'REALIZADO');
  return comeBack(session, before, {
    rtrId: returnId(bankIspb, session.now, session.ids),
    valor: asked ?? before.valor,
  });
}

function comeBack(
  session: Session,
  before: Payout,
  back: Pick<Payout['devolucoes'][number], 'rtrId' | 'valor'>,
): Payout {
  const returned = before.devolucoes.reduce((sum, devolucao) => sum + cents(devolucao.valor), cents(back.valor));
  if (returned > cents(before.valor)) throw conflict('The returns would exceed the amount of the payout.');
  const payout = { ...before, devolucoes: [...before.devolucoes, { ...back, horario: session.now }] };
  session.drawer.save('payout', before.idEnvio, payout);
  moveBalance(session, cents(back.valor));
  session.notify(`pix:${payout.chave}`, 'pix', payoutNotice(payout));
  return payout;
}

/** Finishes a devolução. If a client of this bank sent the Pix, that client's payout gets the return. */
export function endRefundHere(session: Session, body: unknown): Pix {
  const pix = endRefund(session, body);
  const { id } = z.looseObject({ id: z.string() }).parse(body);
  const devolucao = pix.devolucoes.find((candidate) => candidate.id === id);
  if (devolucao?.status !== 'DEVOLVIDO') return pix;
  for (const client of session.common.list('client')) {
    const sender = session.peer(client.id);
    const sent = sender?.drawer.list('payout').find(({ endToEndId }) => endToEndId === pix.endToEndId);
    if (sender !== undefined && sent !== undefined)
      comeBack(sender, sent, { rtrId: devolucao.rtrId, valor: devolucao.valor });
  }
  return pix;
}

function findPayout({ drawer }: Session, idEnvio: string, status: Payout['status']): Payout {
  const payout = drawer.find('payout', idEnvio);
  if (payout?.status !== status)
    throw conflict(`The payout ${idEnvio} is ${payout?.status ?? 'unknown'}, not ${status}.`);
  return payout;
}

const KeyMove = z.strictObject({
  chave: z.string(),
  state: z.enum(['FOUND', 'UNKNOWN', 'BLOCKED', 'DENIED']).default('FOUND'),
  nome: z.string().exactOptional(),
  cpf: z.string().exactOptional(),
  cnpj: z.string().exactOptional(),
});

/** Sets the owner of a DICT key, or the refusal of payments to it. Every other valid key is found. */
export function setKey({ common }: Session, body: unknown) {
  const { chave, ...key } = KeyMove.parse(body);
  const known = readKey(chave);
  if (known === undefined) throw conflict(`${chave} is not a PIX key.`);
  common.save('key', known.chave, key);
  return { chave: known.chave, ...key };
}

const ForeignCode = z.strictObject({
  chave: z.string(),
  valor: amount,
  nome: z.string().default('Loja Exemplo'),
  cpf: z.string().exactOptional(),
  cnpj: z.string().exactOptional(),
});

/** Creates a charge at another bank. Returns its code, which a payout can pay. */
export function addForeignCode({ common, ids, now }: Session, body: unknown) {
  const { chave, valor, ...recebedor } = ForeignCode.parse(body);
  const token = ids.uuid().replaceAll('-', '');
  common.save('location', token, { txid: ids.alphanumeric(26), chave, valor, recebedor, criacao: now });
  const location = `pix.outro-banco.com.br/qr/v2/${token}`;
  return { pixCopiaECola: writeCode({ nome: recebedor.nome, cidade: 'RIO DE JANEIRO' }, { location }) };
}
