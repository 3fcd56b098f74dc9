import * as z from 'zod';
import { cents } from '../amounts.ts';
import { moveBalance } from '../balance.ts';
import { cancelCharge, endRecurrence, isOpen, moveAttempt, moveCharge, moveRecurrence } from '../api/status-changes.ts';
import type { Attempt, CobR, CobRStatus, Pix, Rec } from '../model.ts';
import { conflict } from '../refusal.ts';
import { openAttempt } from '../api/recurring-charges.ts';
import type { Session } from '../session.ts';
import { brasiliaDay, brasiliaMinute } from '../time.ts';

const requesters = ['PSP_PAGADOR', 'USUARIO_PAGADOR', 'PSP_RECEBEDOR', 'USUARIO_RECEBEDOR'] as const;

const Authorization = z.strictObject({
  idRec: z.string(),
  /** Journey; default: 3 for a recurrence with a first charge, else 2. */
  jornada: z.enum(['JORNADA_1', 'JORNADA_2', 'JORNADA_3', 'JORNADA_4']).exactOptional(),
  /** The payer; default: the debtor. */
  pagador: z.strictObject({ cpf: z.string().exactOptional(), cnpj: z.string().exactOptional() }).exactOptional(),
  ispb: z.string().default('60746948'),
  codMun: z.string().default('3550308'),
});

/** Authorizes a recurrence as its payer. */
export function authorize(session: Session, body: unknown): Rec {
  const { idRec, jornada, pagador, ispb, codMun } = Authorization.parse(body);
  const rec = findRec(session, idRec, ['CRIADA']);
  const { nome: _, ...debtor } = rec.vinculo.devedor;
  const { dadosJornada } = rec.ativacao;
  const tipoJornada = jornada ?? (dadosJornada === undefined ? 'JORNADA_2' : 'JORNADA_3');
  // Only journey 3 has a `txid` (API Pix, RecAtivacao).
  const ativacao = { tipoJornada, ...(tipoJornada === 'JORNADA_3' && dadosJornada && { dadosJornada }) };
  const payer = { ...(pagador ?? debtor), ispbParticipante: ispb, codMun };
  return moveRecurrence(session, rec, 'APROVADA', { ativacao, pagador: payer });
}

const Refusal = z.strictObject({ idRec: z.string(), codigo: z.enum(['AP13', 'AP14']).default('AP13') });

/** Refuses a recurrence as its payer. */
export function refuse(session: Session, body: unknown): Rec {
  const { idRec, codigo } = Refusal.parse(body);
  const rejeicao = { codigo, descricao: 'Rejeitada pelo usuário pagador.' };
  return endRecurrence(session, findRec(session, idRec, ['CRIADA']), 'REJEITADA', { rejeicao });
}

const Ending = z.strictObject({
  idRec: z.string(),
  status: z.enum(['CANCELADA', 'EXPIRADA']).default('CANCELADA'),
  solicitante: z.enum(requesters).default('USUARIO_PAGADOR'),
  codigo: z.enum(['ACCL', 'CPCL', 'DCSD', 'ERSL', 'FRUD', 'PCFD', 'SLCR', 'SLDB']).default('SLDB'),
});

/** Ends a recurrence: a person or bank cancels it, or it expires. */
export function end(session: Session, body: unknown): Rec {
  const { idRec, status, solicitante, codigo } = Ending.parse(body);
  const rec = findRec(session, idRec, ['CRIADA', 'APROVADA']);
  if (status === 'EXPIRADA') return endRecurrence(session, rec, status);
  const cancelamento = { solicitante, codigo, descricao: `Cancelamento ${codigo}.` };
  return endRecurrence(session, rec, status, { cancelamento });
}

function findRec({ drawer }: Session, idRec: string, from: readonly Rec['status'][]): Rec {
  const rec = drawer.find('rec', idRec);
  if (rec === undefined || !from.includes(rec.status))
    throw conflict(`There is no recurrence ${idRec} that is ${from.join(' or ')}.`);
  return rec;
}

const AttemptMove = z.strictObject({
  txid: z.string(),
  status: z.enum(['AGENDADA', 'PAGA', 'REJEITADA', 'EXPIRADA', 'CANCELADA']),
  /** Attempt; default: the newest. */
  endToEndId: z.string().exactOptional(),
  /** Code of a rejection or cancellation. */
  codigo: z
    .string()
    .regex(/^[A-Z0-9]{4}$/u)
    .exactOptional(),
  solicitante: z.enum(requesters).default('PSP_PAGADOR'),
  /** The bank sends the charge again itself after a settlement error (`FAIL`), within the limits of resends. */
  resend: z.boolean().default(false),
});

/** Rejection codes of an attempt that also reject its charge (API Pix, CobRTentativas). */
const rejectsCharge = new Set(['AC05', 'AM09', 'DENC', 'DS27', 'DTED', 'MIDI', 'MSUC', 'NITX', 'RC09']);

/** Schedules, pays, rejects, cancels or expires (insufficient balance) an attempt, as the payer's bank does. */
export function settleAttempt(session: Session, body: unknown): CobR {
  const { txid, status, codigo, endToEndId, solicitante, resend: isResent } = AttemptMove.parse(body);
  const cobr = findCobR(session, txid);
  const attempt = cobr.tentativas.findLast(
    (tentativa) => endToEndId === undefined || tentativa.endToEndId === endToEndId,
  );
  if (attempt === undefined || !isOpen(attempt)) throw conflict(`The attempt is ${attempt?.status ?? 'unknown'}.`);
  if (status === 'CANCELADA') {
    const reason = codigo ?? 'FAIL';
    const descricao = `Cancelamento ${reason}.`;
    const canceled = cancelCharge(session, cobr, { solicitante, codigo: reason, descricao });
    return isResent && mayResend(session, canceled) ? resend(session, { txid }) : canceled;
  }
  const rejeicao = { codigo: codigo ?? 'AB10', descricao: `Rejeição ${codigo ?? 'AB10'}.` };
  const moved = moveAttempt(attempt, status, session.now, status === 'REJEITADA' ? { rejeicao } : {});
  const tentativas = cobr.tentativas.map((tentativa) => (tentativa === attempt ? moved : tentativa));
  const after = chargeAfter(cobr, status, rejeicao.codigo);
  const encerramento = after === 'REJEITADA' ? { encerramento: { rejeicao } } : {};
  const payments = status === 'PAGA' ? [...cobr.payments, receiveAutomatic(session, cobr, attempt)] : cobr.payments;
  return moveCharge(session, cobr, after, { tentativas, payments, ...encerramento });
}

function chargeAfter(
  { politicaRetentativa }: CobR,
  status: Exclude<Attempt['status'], 'SOLICITADA' | 'CANCELADA'>,
  code: string,
): CobRStatus {
  switch (status) {
    case 'AGENDADA':
      return 'ATIVA';
    case 'PAGA':
      return 'CONCLUIDA';
    case 'REJEITADA':
      return rejectsCharge.has(code) || politicaRetentativa === 'NAO_PERMITE' ? 'REJEITADA' : 'ATIVA';
    case 'EXPIRADA':
      return politicaRetentativa === 'NAO_PERMITE' ? 'EXPIRADA' : 'ATIVA';
  }
}

/** Books the Pix of a paid attempt by the charge's account: PIX Automático uses no key. @returns Its end-to-end id. */
function receiveAutomatic(session: Session, { txid, valor, idRec, recebedor }: CobR, { endToEndId }: Attempt): string {
  const pagador = session.drawer.find('rec', idRec)?.vinculo.devedor ?? {};
  const { accounts } = session.client;
  const chave = (accounts.find(({ conta }) => conta === recebedor.conta) ?? accounts[0])?.chave ?? '';
  const pix: Pix = {
    endToEndId,
    txid,
    valor: valor.original,
    chave,
    pagador,
    horario: session.now,
    devolucoes: [],
  };
  session.drawer.save('pix', endToEndId, pix);
  moveBalance(session, cents(pix.valor));
  return endToEndId;
}

/** Limits of resends on the day of an attempt: minute of the day at which they end, and their number. */
const resends = { untilMinute: 21 * 60, most: 3 };

function mayResend({ now }: Session, { tentativas }: CobR): boolean {
  const isItsDay = tentativas.at(-1)?.dataLiquidacao === brasiliaDay(now);
  const isInTime = isItsDay && brasiliaMinute(now) < resends.untilMinute;
  return isInTime && tentativas.filter(({ tipo }) => tipo === 'RIFL').length < resends.most;
}

const Resend = z.strictObject({ txid: z.string() });

/** Sends a charge again today, after a settlement error (`FAIL`), as an attempt `RIFL`. Does not check the limits. */
export function resend(session: Session, body: unknown): CobR {
  const cobr = findCobR(session, Resend.parse(body).txid);
  if (cobr.encerramento?.cancelamento?.codigo !== 'FAIL')
    throw conflict('Only a charge canceled by FAIL can be sent again.');
  const rec = session.drawer.find('rec', cobr.idRec);
  const attempt = openAttempt(session, rec, 'RIFL', brasiliaDay(session.now));
  const { encerramento: _, ...rest } = cobr;
  return moveCharge(session, { ...rest }, 'ATIVA', { tentativas: [...cobr.tentativas, attempt] });
}

function findCobR({ drawer }: Session, txid: string): CobR {
  const cobr = drawer.find('cobr', txid);
  if (cobr === undefined) throw conflict(`There is no recurring charge ${txid}.`);
  return cobr;
}
