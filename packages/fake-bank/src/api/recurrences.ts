import { writeCode } from '../codes.ts';
import { endRecurrence } from './status-changes.ts';
import { recurrenceId } from '../ids.ts';
import { listOperation } from './lists.ts';
import type { Rec, RecLocation } from '../model.ts';
import { notFound, violate } from '../refusal.ts';
import { readBody, RecRequest, RecRevision } from './requests.ts';
import { bankIspb, locationHost } from '../session.ts';
import type { Operation, Session } from '../session.ts';
import { brasiliaDay } from '../time.ts';

const invalid = 'RecOperacaoInvalida';

/** Locations of recurrences: `locrec`. A repeated `POST` creates another location. */
export const locationOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v2/locrec',
    scope: 'payloadlocationrec.write',
    run: ({ drawer, ids, now }) => {
      const id = Number(ids.digits(9));
      const location = `${locationHost}/qr/v2/rec/${ids.uuid().replaceAll('-', '')}`;
      const created: RecLocation = { id, location, criacao: now };
      drawer.save('locrec', String(id), created);
      return { status: 201, body: created };
    },
  },
  {
    method: 'GET',
    path: '/v2/locrec/:id',
    scope: 'payloadlocationrec.read',
    run: ({ drawer }, { params }) => {
      const found = drawer.find('locrec', params['id'] ?? '');
      if (found === undefined) throw notFound('PayloadLocationRecNaoEncontrado');
      return { status: 200, body: found };
    },
  },
];

/** Recurrences of PIX Automático: `rec`. A repeated `POST` creates another recurrence. */
export const recurrenceOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v2/rec',
    scope: 'rec.write',
    run: (session, { body }) => {
      const request = readBody(RecRequest, body, invalid, 'rec');
      const today = brasiliaDay(session.now);
      const { dataInicial, dataFinal } = request.calendario;
      requireNotBefore('rec.calendario.dataInicial', dataInicial, today, 'à data de criação da recorrência');
      if (dataFinal !== undefined)
        requireNotBefore('rec.calendario.dataFinal', dataFinal, dataInicial, 'ao campo rec.calendario.dataInicial');
      if (request.valor?.valorRec !== undefined && request.valor.valorMinimoRecebedor !== undefined)
        throw violate(
          invalid,
          'rec.valor',
          'Ambos os campos rec.valor.valorRec e rec.valor.valorMinimoRecebedor estão preenchidos.',
        );
      const rec = openRec(session, request);
      session.drawer.save('rec', rec.idRec, rec);
      if (rec.loc !== undefined) session.drawer.save('locrec', String(rec.loc.id), rec.loc);
      return { status: 201, body: recView(rec) };
    },
  },
  {
    method: 'GET',
    path: '/v2/rec/:idRec',
    scope: 'rec.read',
    run: (session, { params, query }) => {
      const rec = findRec(session, params['idRec']);
      return { status: 200, body: { ...recView(rec), ...codeOf(session, rec, query.get('txid') ?? undefined) } };
    },
  },
  {
    method: 'PATCH',
    path: '/v2/rec/:idRec',
    scope: 'rec.write',
    run: (session, { params, body }) => {
      const before = findRec(session, params['idRec']);
      const { status, ...changes } = readBody(RecRevision, body, invalid, 'rec');
      if (before.status !== 'CRIADA' && before.status !== 'APROVADA')
        throw violate(
          invalid,
          'rec.status',
          'A recorrência encontra-se expirada, cancelada ou rejeitada.',
          before.status,
        );
      const rec = status === undefined ? revise(session, before, changes) : cancelByReceiver(session, before);
      return { status: 200, body: recView(rec) };
    },
  },
  listOperation({
    path: '/v2/rec',
    scope: 'rec.read',
    code: 'RecConsultaInvalida',
    member: 'recs',
    read: ({ drawer }) => drawer.list('rec'),
    at: ({ criacao }) => criacao,
    filters: {
      cpf: ({ vinculo }, cpf) => vinculo.devedor.cpf === cpf,
      cnpj: ({ vinculo }, cnpj) => vinculo.devedor.cnpj === cnpj,
      status: (rec, status) => rec.status === status,
      locationPresente: ({ loc }, wanted) => String(loc !== undefined) === wanted,
      convenio: ({ recebedor }, convenio) => recebedor.convenio === convenio,
    },
    view: (session, rec) => ({ ...recView(rec), ...codeOf(session, rec, undefined) }),
  }),
];

function cancelByReceiver(session: Session, rec: Rec): Rec {
  const cancelamento = {
    solicitante: 'USUARIO_RECEBEDOR',
    codigo: 'SLCR',
    descricao: 'Solicitado pelo usuário recebedor.',
  } as const;
  return endRecurrence(session, rec, 'CANCELADA', { cancelamento });
}

type Changes = Omit<ReturnType<typeof RecRevision.parse>, 'status'>;

/** Changes a recurrence. Its location and `dataInicial` can change only while its status is `CRIADA`. */
function revise(session: Session, before: Rec, { vinculo, loc, calendario, ativacao }: Changes): Rec {
  const onlyCreated = loc !== undefined ? 'loc' : calendario !== undefined ? 'calendario.dataInicial' : undefined;
  if (onlyCreated !== undefined && before.status !== 'CRIADA')
    throw violate(
      invalid,
      `rec.${onlyCreated}`,
      `O campo rec.${onlyCreated} somente pode ser alterado quando a recorrência apresentar-se com o status CRIADA.`,
    );
  if (calendario !== undefined)
    requireNotBefore(
      'rec.calendario.dataInicial',
      calendario.dataInicial,
      brasiliaDay(before.criacao),
      'à data de criação da recorrência',
    );
  const devedor = { ...before.vinculo.devedor, ...vinculo?.devedor };
  const rec: Rec = {
    ...before,
    vinculo: { ...before.vinculo, devedor },
    calendario: { ...before.calendario, ...calendario },
    ...(loc !== undefined && { loc: takeLocation(session, loc, before.idRec) }),
    ...(ativacao !== undefined && { ativacao: { ...before.ativacao, ...ativacao } }),
  };
  session.drawer.save('rec', rec.idRec, rec);
  if (rec.loc !== undefined) session.drawer.save('locrec', String(rec.loc.id), rec.loc);
  return rec;
}

function openRec(session: Session, request: ReturnType<typeof RecRequest.parse>): Rec {
  const { client, now, ids } = session;
  const { recebedor, loc, ativacao, ...rest } = request;
  const retries = request.politicaRetentativa === 'PERMITE_3R_7D';
  const idRec = recurrenceId({ retries, ispb: bankIspb, now, ids });
  return {
    idRec,
    ...rest,
    status: 'CRIADA',
    recebedor: { cnpj: client.cnpj, nome: client.nome, ...recebedor },
    ...(loc !== undefined && { loc: takeLocation(session, loc, idRec) }),
    ativacao: { tipoJornada: 'AGUARDANDO_DEFINICAO', ...ativacao },
    atualizacao: [{ status: 'CRIADA', data: now }],
    criacao: now,
  };
}

/** Assigns a location to a recurrence. @throws Refusal for an unknown location, or one of another recurrence. */
function takeLocation({ drawer }: Session, id: number, idRec: string): RecLocation {
  const found = drawer.find('locrec', String(id));
  if (found === undefined)
    throw violate(invalid, 'rec.loc', 'O location referenciado por rec.loc inexiste.', String(id));
  if (found.idRec !== undefined && found.idRec !== idRec)
    throw violate(
      invalid,
      'rec.loc',
      'O location referenciado por rec.loc já está sendo utilizado por outra recorrência.',
      String(id),
    );
  return { ...found, idRec };
}

function requireNotBefore(member: string, day: string, earliest: string, reference: string): void {
  if (day < earliest) throw violate(invalid, member, `O campo ${member} é anterior ${reference}.`, day);
}

function findRec({ drawer }: Session, idRec = ''): Rec {
  const rec = drawer.find('rec', idRec);
  if (rec === undefined) throw notFound('RecNaoEncontrada');
  return rec;
}

/** Returns `dadosQR`: of journey 2, or of journey 3 if the request names the `txid` of a cob. */
function codeOf({ client, drawer }: Session, { loc, ativacao }: Rec, txid: string | undefined) {
  if (loc === undefined) return {};
  const receiver = { nome: client.nome, cidade: 'SAO PAULO' };
  if (txid === undefined) {
    const pixCopiaECola = writeCode(receiver, { recLocation: loc.location });
    return { dadosQR: { jornada: 'JORNADA_2', pixCopiaECola } };
  }
  const cob = drawer.find('cob', txid);
  if (cob === undefined || (ativacao.dadosJornada?.txid ?? txid) !== txid)
    throw violate(
      'RecConsultaInvalida',
      'txid',
      'O parâmetro txid não corresponde à cobrança imediata de ativacao.dadosJornada.txid.',
      txid,
    );
  const pixCopiaECola = writeCode(receiver, { location: cob.loc.location, recLocation: loc.location });
  return { dadosQR: { jornada: 'JORNADA_3', pixCopiaECola } };
}

function recView({ criacao: _, ...rec }: Rec) {
  return rec;
}
