import { cancelCharge, isOpen, moveCharge } from './status-changes.ts';
import { endToEndId } from '../ids.ts';
import { listOperation } from './lists.ts';
import type { Attempt, CobR, Rec } from '../model.ts';
import { cobrPix } from './notices.ts';
import { notFound, violate } from '../refusal.ts';
import { CobRRequest, CobRRevision, readBody, txid as txidGrammar } from './requests.ts';
import { bankIspb } from '../session.ts';
import type { Operation, Session } from '../session.ts';
import { brasiliaDay, daysBetween, isDay, nextWeekday, plusMonths } from '../time.ts';
import type { LocalDate } from '../time.ts';

const invalid = 'CobROperacaoInvalida';
/** Limits of `PERMITE_3R_7D`: number of retries, and days for them after the first attempt. */
const retries = { most: 3, days: 7 };

/** Recurring charges and their attempts: `cobr`. */
export const recurringChargeOperations: readonly Operation[] = [
  {
    method: 'PUT',
    path: '/v2/cobr/:txid',
    scope: 'cobr.write',
    run: (session, { params, body }) => {
      const txid = params['txid'] ?? '';
      const request = readBody(CobRRequest, body, invalid, 'cobr');
      const rec = requireSchedulable(session, txid, request);
      const { now, client } = session;
      const { dataDeVencimento } = request.calendario;
      const day = request.ajusteDiaUtil ? nextWeekday(dataDeVencimento) : dataDeVencimento;
      const cobr: CobR = {
        ...request,
        txid,
        status: 'CRIADA',
        calendario: { criacao: brasiliaDay(now), dataDeVencimento },
        politicaRetentativa: rec.politicaRetentativa,
        recebedor: { ...request.recebedor, cnpj: client.cnpj, nome: client.nome },
        atualizacao: [{ status: 'CRIADA', data: now }],
        tentativas: [openAttempt(session, rec, 'AGND', day)],
        criacao: now,
        payments: [],
      };
      session.drawer.save('cobr', txid, cobr);
      return { status: 201, body: cobrView(session, cobr) };
    },
  },
  {
    method: 'GET',
    path: '/v2/cobr/:txid',
    scope: 'cobr.read',
    run: (session, { params }) => ({ status: 200, body: cobrView(session, findCobR(session, params['txid'])) }),
  },
  {
    method: 'PATCH',
    path: '/v2/cobr/:txid',
    scope: 'cobr.write',
    run: (session, { params, body }) => {
      const before = findCobR(session, params['txid']);
      readBody(CobRRevision, body, invalid, 'cobr');
      if (before.status !== 'CRIADA' && before.status !== 'ATIVA')
        throw violate(invalid, 'cobr.status', 'A cobrança já se encontra em um status final.', before.status);
      const [first] = before.tentativas;
      if (first !== undefined && brasiliaDay(session.now) >= first.dataLiquidacao)
        throw violate(
          invalid,
          'cobr.status',
          'Não é possível cancelar uma cobrança em uma data igual ou maior que a data prevista da primeira tentativa de liquidação.',
        );
      const descricao = 'Solicitado pelo usuário recebedor.';
      const cobr = cancelCharge(session, before, { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR', descricao });
      return { status: 200, body: cobrView(session, cobr) };
    },
  },
  {
    method: 'POST',
    path: '/v2/cobr/:txid/retentativa/:data',
    scope: 'cobr.write',
    run: (session, { params }) => {
      const before = findCobR(session, params['txid']);
      const day = params['data'] ?? '';
      requireRetry(before, day, brasiliaDay(session.now));
      const rec = session.drawer.find('rec', before.idRec);
      const tentativas = [...before.tentativas, openAttempt(session, rec, 'NTAG', day)];
      return { status: 201, body: cobrView(session, moveCharge(session, before, 'ATIVA', { tentativas })) };
    },
  },
  listOperation({
    path: '/v2/cobr',
    scope: 'cobr.read',
    code: 'CobRConsultaInvalida',
    member: 'cobsr',
    read: ({ drawer }) => drawer.list('cobr'),
    at: ({ criacao }) => criacao,
    filters: {
      idRec: (cobr, idRec) => cobr.idRec === idRec,
      status: (cobr, status) => cobr.status === status,
    },
    view: cobrView,
  }),
];

/** Returns a new attempt, requested at the payer's bank. Its end-to-end id has the ISPB of that bank, where known. */
export function openAttempt(
  { now, ids }: Session,
  rec: Rec | undefined,
  tipo: Attempt['tipo'],
  day: LocalDate,
): Attempt {
  return {
    tipo,
    status: 'SOLICITADA',
    dataLiquidacao: day,
    endToEndId: endToEndId(rec?.pagador?.ispbParticipante ?? bankIspb, now, ids),
    atualizacao: [{ status: 'SOLICITADA', data: now }],
  };
}

/** Returns the recurrence of a new charge. @throws Refusal for each broken rule of `PUT /cobr` that API Pix names. */
function requireSchedulable(session: Session, txid: string, request: ReturnType<typeof CobRRequest.parse>): Rec {
  const { drawer, client, now } = session;
  const refuse = (member: string, razao: string, valor: string) => violate(invalid, `cobr.${member}`, razao, valor);
  const { dataDeVencimento: due } = request.calendario;
  if (!txidGrammar.safeParse(txid).success) throw refuse('txid', 'O campo cobr.txid não respeita o schema.', txid);
  if (drawer.find('cobr', txid) !== undefined) throw refuse('txid', 'O campo cobr.txid encontra-se em uso.', txid);
  const rec = drawer.find('rec', request.idRec);
  if (rec?.status !== 'APROVADA')
    throw refuse('idRec', 'O campo cobr.idRec não corresponde a uma recorrência APROVADA.', request.idRec);
  if (due < brasiliaDay(now))
    throw refuse(
      'calendario.dataDeVencimento',
      'O campo cobr.calendario.dataDeVencimento é anterior à data de criação da cobrança.',
      due,
    );
  const { conta, agencia, tipoConta } = request.recebedor;
  const isOwn = client.accounts.some(
    (account) =>
      account.conta === conta && account.tipoConta === tipoConta && account.agencia === (agencia ?? account.agencia),
  );
  if (!isOwn)
    throw refuse(
      'recebedor',
      'Os campos cobr.recebedor.conta e cobr.recebedor.agencia correspondem a uma conta que não pertence a este usuário recebedor.',
      conta,
    );
  const isSameCycle = ({ idRec, status, calendario }: CobR): boolean =>
    idRec === rec.idRec &&
    status !== 'REJEITADA' &&
    status !== 'CANCELADA' &&
    cycleOf(rec, calendario.dataDeVencimento) === cycleOf(rec, due);
  if (drawer.list('cobr').some(isSameCycle))
    throw refuse(
      'calendario.dataDeVencimento',
      'Existe uma CobR com status diferente de REJEITADA e CANCELADA referente ao mesmo cobr.idRec com calendario.dataDeVencimento no mesmo ciclo.',
      due,
    );
  return rec;
}

const monthsOf = { MENSAL: 1, TRIMESTRAL: 3, SEMESTRAL: 6, ANUAL: 12 } as const;

/** Returns the number of the cycle of a day; cycle 0 begins at `dataInicial` (BCB, Manual de Padrões, 4.3.1). */
function cycleOf({ calendario: { dataInicial, periodicidade } }: Rec, day: LocalDate): number {
  if (periodicidade === 'SEMANAL') return Math.floor(daysBetween(dataInicial, day) / 7);
  const months = monthsOf[periodicidade];
  // A month has at most 31 days: this first estimate may be too small, but never too large.
  let cycle = Math.floor(daysBetween(dataInicial, day) / (31 * months));
  while (plusMonths(dataInicial, (cycle + 1) * months) <= day) cycle += 1;
  return cycle;
}

/** @throws Refusal for each rule of a new attempt that API Pix names. */
function requireRetry({ tentativas, politicaRetentativa, status }: CobR, day: string, today: LocalDate): void {
  const refuse = (razao: string) => violate(invalid, 'data', razao, day);
  if (!isDay(day)) throw refuse('O parâmetro data não respeita o schema.');
  if (tentativas.some((tentativa) => tentativa.dataLiquidacao === day))
    throw refuse('Existe uma tentativa vigente para a data informada.');
  if (tentativas.some(isOpen)) throw refuse('Existe uma tentativa com status SOLICITADA ou AGENDADA.');
  if (day <= today) throw refuse('O parâmetro data não corresponde a uma data futura.');
  if (politicaRetentativa === 'NAO_PERMITE')
    throw refuse('A política configurada na recorrência não permite retentativa de cobrança.');
  if (status !== 'ATIVA' && status !== 'EXPIRADA') throw refuse('A cobrança já se encontra em um status final.');
  const [first] = tentativas;
  const isTooLate = first !== undefined && daysBetween(first.dataLiquidacao, day) > retries.days;
  if (isTooLate || tentativas.filter(({ tipo }) => tipo === 'NTAG').length >= retries.most)
    throw refuse('A política configurada na recorrência permite 3 retentativas em 7 dias.');
}

function findCobR({ drawer }: Session, txid = ''): CobR {
  const cobr = drawer.find('cobr', txid);
  if (cobr === undefined) throw notFound('CobRNaoEncontrado');
  return cobr;
}

function cobrView(session: Session, cobr: CobR) {
  const { criacao: _created, payments: _payments, ...view } = cobr;
  return { ...view, ...cobrPix(session, cobr) };
}
