import * as z from 'zod';
import { amountShape, cents } from '../amounts.ts';
import { moveBalance } from '../balance.ts';
import { readCode } from '../codes.ts';
import { endToEndId, returnId } from '../ids.ts';
import type { Client, Cob, Devolucao, Pix } from '../model.ts';
import { pixNotice } from '../api/notices.ts';
import { findPix } from '../api/received.ts';
import { conflict } from '../refusal.ts';
import { bankIspb } from '../session.ts';
import type { Session } from '../session.ts';

const amount = z.string().regex(amountShape);
const person = z.strictObject({
  nome: z.string().default('Maria Souza'),
  cpf: z.string().exactOptional(),
  cnpj: z.string().exactOptional(),
});

const PayRequest = z.strictObject({
  /** Payment target: a charge by its txid or code, or a key with an amount. */
  txid: z.string().exactOptional(),
  pixCopiaECola: z.string().exactOptional(),
  chave: z.string().exactOptional(),
  /** Amount; default: the charge's own. */
  valor: amount.exactOptional(),
  /** Number of payments, all by one payer. */
  times: z.int().min(1).max(100).default(1),
  pagador: person.default({ nome: 'Maria Souza', cpf: '52998224725' }),
  /** The payer's bank. */
  ispb: z
    .string()
    .regex(/^[0-9A-Z]{8}$/u)
    .default('60746948'),
  infoPagador: z.string().max(140).exactOptional(),
  /** Efí's fee, kept from the balance. */
  tarifa: amount.exactOptional(),
  /** Also pays a removed charge, as a payer who read its code before. */
  force: z.boolean().default(false),
  /** Refuses a charge that is already paid. Off by default, because another bank may not check that. */
  once: z.boolean().default(false),
});

/** Pays a charge, or to a key, as a payer. Returns the received Pix. A charge can be paid more than once. */
export function pay(session: Session, body: unknown): readonly Pix[] {
  const request = PayRequest.parse(body);
  const cob = chargeOf(session, request);
  const chave = cob?.chave ?? request.chave ?? session.client.accounts[0]?.chave ?? '';
  const valor = request.valor ?? cob?.valor.original;
  if (valor === undefined) throw conflict('valor is missing: a payment without a charge needs it.');
  if (cob !== undefined && !request.force && cob.status.startsWith('REMOVIDA'))
    throw conflict(`The charge is ${cob.status}: its code can no longer be read (force pays it anyway).`);
  if (cob?.status === 'CONCLUIDA' && request.once) throw conflict('The charge is already paid.');
  const { pagador, ispb, infoPagador, tarifa } = request;
  return Array.from({ length: request.times }, () =>
    receive(session, {
      chave,
      valor,
      pagador,
      ispb,
      ...(cob !== undefined && { txid: cob.txid }),
      ...(infoPagador !== undefined && { infoPagador }),
      ...(tarifa !== undefined && { tarifa }),
    }),
  );
}

function chargeOf({ drawer, common, client }: Session, request: z.output<typeof PayRequest>): Cob | undefined {
  const code = request.pixCopiaECola === undefined ? undefined : readCode(request.pixCopiaECola);
  const url = code?.kind === 'DYNAMIC' ? code.location : undefined;
  const location = url === undefined ? undefined : common.find('location', url.slice(url.lastIndexOf('/') + 1));
  const txid = request.txid ?? (location !== undefined && 'client' in location ? location.txid : undefined);
  const cob = txid === undefined ? undefined : drawer.find('cob', txid);
  if (cob === undefined && (request.txid !== undefined || request.pixCopiaECola !== undefined))
    throw conflict(`The client ${client.id} has no such charge.`);
  return cob;
}

type Incoming = Pick<Pix, 'txid' | 'chave' | 'valor' | 'infoPagador' | 'tarifa' | 'pagador'> & {
  readonly ispb: string;
  readonly endToEndId?: string;
};

/** Books a received Pix, less its fee, in the balance. Only a Pix with a `txid` causes a callback. */
export function receive(session: Session, { ispb, ...incoming }: Incoming): Pix {
  const { now, ids, drawer } = session;
  const pix: Pix = { endToEndId: endToEndId(ispb, now, ids), ...incoming, horario: now, devolucoes: [] };
  drawer.save('pix', pix.endToEndId, pix);
  moveBalance(session, cents(pix.valor) - (pix.tarifa === undefined ? 0 : cents(pix.tarifa)));
  const cob = pix.txid === undefined ? undefined : drawer.find('cob', pix.txid);
  if (cob !== undefined)
    drawer.save('cob', cob.txid, { ...cob, status: 'CONCLUIDA', payments: [...cob.payments, pix.endToEndId] });
  if (pix.txid !== undefined) session.notify(`pix:${pix.chave}`, 'pix', pixNotice(pix));
  return pix;
}

/** Returns the client of this bank that has an account with the key. */
export function clientOfKey(clients: readonly Client[], chave: string): Client | undefined {
  return clients.find(({ accounts }) => accounts.some((account) => account.chave === chave));
}

const RefundMove = z.strictObject({
  endToEndId: z.string(),
  id: z.string(),
  status: z.enum(['DEVOLVIDO', 'NAO_REALIZADO']),
  motivo: z.string().max(140).default('Conta do pagador encerrada.'),
});

/** Finishes a devolução. The amount of a failed devolução returns to the balance. */
export function endRefund(session: Session, body: unknown): Pix {
  const { endToEndId: e2e, id, status, motivo } = RefundMove.parse(body);
  const pix = findPix(session, e2e);
  const before = pix.devolucoes.find((devolucao) => devolucao.id === id);
  if (before?.status !== 'EM_PROCESSAMENTO')
    throw conflict('The Pix has no devolução of this id that is EM_PROCESSAMENTO.');
  const isDone = status === 'DEVOLVIDO';
  const after: Devolucao = {
    ...before,
    status,
    horario: { ...before.horario, ...(isDone && { liquidacao: session.now }) },
    ...(!isDone && { motivo }),
  };
  if (!isDone) moveBalance(session, cents(before.valor));
  return keepRefunds(
    session,
    pix,
    pix.devolucoes.map((devolucao) => (devolucao.id === id ? after : devolucao)),
  );
}

const MedMove = z.strictObject({
  endToEndId: z.string(),
  valor: amount,
  natureza: z.enum(['MED_OPERACIONAL', 'MED_FRAUDE', 'MED_PIX_AUTOMATICO']).default('MED_FRAUDE'),
});

/** Returns a received Pix by the special mechanism (MED): an unsolicited return. */
export function returnByMed(session: Session, body: unknown): Pix {
  const { endToEndId: e2e, valor, natureza } = MedMove.parse(body);
  const pix = findPix(session, e2e);
  const { now, ids } = session;
  const devolucao: Devolucao = {
    id: ids.alphanumeric(32),
    rtrId: returnId(bankIspb, now, ids),
    valor,
    natureza,
    horario: { solicitacao: now, liquidacao: now },
    status: 'DEVOLVIDO',
  };
  moveBalance(session, -cents(valor));
  return keepRefunds(session, pix, [...pix.devolucoes, devolucao]);
}

function keepRefunds(session: Session, pix: Pix, devolucoes: readonly Devolucao[]): Pix {
  const next = { ...pix, devolucoes };
  session.drawer.save('pix', pix.endToEndId, next);
  session.notify(`pix:${pix.chave}`, 'pix', pixNotice(next));
  return next;
}
