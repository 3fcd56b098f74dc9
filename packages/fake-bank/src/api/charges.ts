import { writeCode } from '../codes.ts';
import type { Cob, Pix } from '../model.ts';
import { pixView } from './received.ts';
import { notFound, violate } from '../refusal.ts';
import { CobRequest, CobRevision, readBody, txid as txidGrammar } from './requests.ts';
import { locationHost } from '../session.ts';
import type { Operation, Session } from '../session.ts';
import { listOperation } from './lists.ts';

/** Seconds until a charge expires when the request names none (API Pix, CobExpiracao). */
const defaultExpiry = 86_400;

/** The charges for immediate payment: `cob`. */
export const chargeOperations: readonly Operation[] = [
  {
    method: 'PUT',
    path: '/v2/cob/:txid',
    scope: 'cob.write',
    run: (session, { params, body }) => {
      const txid = params['txid'] ?? '';
      const request = readBody(CobRequest, body, 'CobOperacaoInvalida', 'cob');
      if (!txidGrammar.safeParse(txid).success)
        throw violate('CobOperacaoInvalida', 'cob.txid', 'O campo cob.txid não respeita o schema.', txid);
      requireOwnKey(session, request.chave);
      const before = session.drawer.find('cob', txid);
      if (before !== undefined && before.status !== 'ATIVA')
        throw violate(
          'CobOperacaoInvalida',
          'cob.status',
          'A cobrança já existe, não está no status ATIVA, e a presente requisição busca alterá-la.',
          before.status,
        );
      const { calendario, ...rest } = request;
      const cob: Cob = {
        ...(before ?? openCob(session, txid)),
        ...rest,
        revisao: before === undefined ? 0 : before.revisao + 1,
        calendario: {
          criacao: before?.calendario.criacao ?? session.now,
          expiracao: calendario.expiracao ?? defaultExpiry,
        },
      };
      session.drawer.save('cob', txid, cob);
      return { status: 201, body: cobView(cob) };
    },
  },
  {
    method: 'PATCH',
    path: '/v2/cob/:txid',
    scope: 'cob.write',
    run: (session, { params, body }) => {
      const before = findCob(session, params['txid']);
      const { status, calendario, ...rest } = readBody(CobRevision, body, 'CobOperacaoInvalida', 'cob');
      const changes = { ...rest, ...(calendario !== undefined && { calendario }) };
      if (before.status !== 'ATIVA')
        throw violate(
          'CobOperacaoInvalida',
          'cob.status',
          'A cobrança não está ATIVA, e a presente requisição busca alterá-la.',
          before.status,
        );
      if (status !== undefined && Object.keys(changes).length > 0)
        throw violate('CobOperacaoInvalida', 'cob.status', 'A remoção não admite outras alterações.', status);
      if (rest.chave !== undefined) requireOwnKey(session, rest.chave);
      const cob: Cob = {
        ...before,
        ...rest,
        calendario: { ...before.calendario, ...calendario },
        status: status ?? before.status,
        revisao: before.revisao + 1,
      };
      session.drawer.save('cob', cob.txid, cob);
      return { status: 200, body: cobView(cob) };
    },
  },
  {
    method: 'GET',
    path: '/v2/cob/:txid',
    scope: 'cob.read',
    run: (session, { params }) => ({ status: 200, body: cobWithPix(session, findCob(session, params['txid'])) }),
  },
  listOperation({
    path: '/v2/cob',
    scope: 'cob.read',
    code: 'CobConsultaInvalida',
    member: 'cobs',
    read: ({ drawer }) => drawer.list('cob'),
    at: ({ calendario }) => calendario.criacao,
    filters: {
      cpf: ({ devedor }, cpf) => devedor?.cpf === cpf,
      cnpj: ({ devedor }, cnpj) => devedor?.cnpj === cnpj,
      status: (cob, status) => cob.status === status,
    },
    // Lists show the key of each payment, as Efí's schemas require.
    view: (session, cob) => {
      const { pix, ...rest } = cobWithPix(session, cob);
      return { ...rest, ...(pix && { pix: pix.map((payment) => ({ ...payment, chave: cob.chave })) }) };
    },
  }),
];

function openCob({ client, common, ids, now }: Session, txid: string) {
  const token = ids.uuid().replaceAll('-', '');
  const location = `${locationHost}/qr/v2/${token}`;
  common.save('location', token, { client: client.id, txid });
  const loc = { id: Number(ids.digits(9)), location, tipoCob: 'cob', criacao: now } as const;
  const pixCopiaECola = writeCode({ nome: client.nome, cidade: 'SAO PAULO' }, { location });
  return { txid, status: 'ATIVA', loc, pixCopiaECola, payments: [] } as const;
}

function findCob({ drawer }: Session, txid = ''): Cob {
  const cob = drawer.find('cob', txid);
  if (cob === undefined) throw notFound('CobNaoEncontrado');
  return cob;
}

/** @throws Refusal unless the key belongs to an account of the client. */
function requireOwnKey({ client }: Session, chave: string): void {
  if (!client.accounts.some((account) => account.chave === chave))
    throw violate(
      'CobOperacaoInvalida',
      'cob.chave',
      'O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.',
      chave,
    );
}

function cobView({ payments: _, ...cob }: Cob) {
  return { ...cob, location: cob.loc.location };
}

function cobWithPix({ drawer }: Pick<Session, 'drawer'>, cob: Cob) {
  const pix = cob.payments
    .map((id) => drawer.find('pix', id))
    .filter((payment): payment is Pix => payment !== undefined);
  return { ...cobView(cob), ...(pix.length > 0 && { pix: pix.map(paymentView) }) };
}

/** Returns a payment as Efí shows it in a charge: without `gnExtras`, and without the key, which the charge has. */
function paymentView(pix: Pix) {
  const { gnExtras: _extras, chave: _key, ...payment } = pixView(pix);
  return payment;
}
