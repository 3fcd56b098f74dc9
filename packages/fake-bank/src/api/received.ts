import { cents } from '../amounts.ts';
import { moveBalance } from '../balance.ts';
import { returnId } from '../ids.ts';
import { listOperation } from './lists.ts';
import type { Devolucao, Pix } from '../model.ts';
import { notFound, violate } from '../refusal.ts';
import { DevolucaoRequest, readBody } from './requests.ts';
import { bankIspb } from '../session.ts';
import type { Operation, Session } from '../session.ts';
import { brasiliaDay, plusDays } from '../time.ts';

/** Days after its payment within which a Pix can be refunded. */
const refundDays = 90;

/** Received Pix and their devoluções. */
export const receivedOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v2/pix/:e2eid',
    scope: 'pix.read',
    run: (session, { params }) => ({ status: 200, body: pixView(findPix(session, params['e2eid'])) }),
  },
  listOperation({
    path: '/v2/pix',
    scope: 'pix.read',
    code: 'PixConsultaInvalida',
    member: 'pix',
    read: ({ drawer }) => drawer.list('pix'),
    at: ({ horario }) => horario,
    filters: {
      txid: (pix, txid) => pix.txid === txid,
      txIdPresente: (pix, wanted) => String(pix.txid !== undefined) === wanted,
      devolucaoPresente: (pix, wanted) => String(pix.devolucoes.length > 0) === wanted,
      cpf: ({ pagador }, cpf) => pagador.cpf === cpf,
      cnpj: ({ pagador }, cnpj) => pagador.cnpj === cnpj,
    },
    view: (_session, pix) => pixView(pix),
  }),
  {
    method: 'PUT',
    path: '/v2/pix/:e2eid/devolucao/:id',
    scope: 'pix.write',
    run: (session, { params, body }) => {
      const pix = findPix(session, params['e2eid']);
      const request = readBody(DevolucaoRequest, body, 'PixDevolucaoInvalida', 'devolucao');
      const id = params['id'] ?? '';
      requireRefundable(session, pix, id, request.valor);
      const devolucao: Devolucao = {
        id,
        rtrId: returnId(bankIspb, session.now, session.ids),
        ...request,
        horario: { solicitacao: session.now },
        status: 'EM_PROCESSAMENTO',
      };
      session.drawer.save('pix', pix.endToEndId, { ...pix, devolucoes: [...pix.devolucoes, devolucao] });
      moveBalance(session, -cents(request.valor));
      return { status: 201, body: refundView(devolucao) };
    },
  },
  {
    method: 'GET',
    path: '/v2/pix/:e2eid/devolucao/:id',
    scope: 'pix.read',
    run: (session, { params }) => {
      const found = session.drawer.find('pix', params['e2eid'] ?? '')?.devolucoes.find(({ id }) => id === params['id']);
      if (found === undefined) throw notFound('PixDevolucaoNaoEncontrada');
      return { status: 200, body: refundView(found) };
    },
  },
];

/** @throws Refusal for the rules of a devolução that API Pix names. */
function requireRefundable({ client, now }: Session, pix: Pix, id: string, valor: string): void {
  const refuse = (propriedade: string, razao: string, value: string) =>
    violate('PixDevolucaoInvalida', propriedade, razao, value);
  if (!/^[a-zA-Z0-9]{1,35}$/u.test(id)) throw refuse('devolucao.id', 'O campo devolucao.id não respeita o schema.', id);
  if (pix.devolucoes.some((devolucao) => devolucao.id === id))
    throw refuse('devolucao.id', 'A presente requisição de devolução apresenta um id já utilizado.', id);
  if (cents(valor) > remainingCents(pix))
    throw refuse(
      'devolucao.valor',
      'O campo devolucao.valor somado às devoluções anteriores excede o valor do Pix.',
      valor,
    );
  if (brasiliaDay(now) > plusDays(brasiliaDay(pix.horario), refundDays))
    throw refuse('pix.horario', 'O prazo de 90 dias para a devolução expirou.', pix.horario);
  if (cents(valor) > client.balance)
    throw refuse('devolucao.valor', 'Não há saldo suficiente para a devolução.', valor);
}

/** Returns the centavos of a Pix that have not gone back and are not about to. */
export function remainingCents({ valor, devolucoes }: Pix): number {
  return devolucoes
    .filter(({ status }) => status !== 'NAO_REALIZADO')
    .reduce((rest, devolucao) => rest - cents(devolucao.valor), cents(valor));
}

export function findPix({ drawer }: Session, endToEndId = ''): Pix {
  const pix = drawer.find('pix', endToEndId);
  if (pix === undefined) throw notFound('PixNaoEncontrado');
  return pix;
}

/** Returns a received Pix with Efí's `gnExtras`: the payer, whose CPF is masked, and the fee. */
export function pixView({ pagador, tarifa, devolucoes, ...pix }: Pix) {
  return {
    ...pix,
    ...(devolucoes.length > 0 && { devolucoes: devolucoes.map(refundView) }),
    gnExtras: { pagador: masked(pagador), ...(tarifa !== undefined && { tarifa }) },
  };
}

/** Returns a devolução as Efí shows it: with `natureza` only if that is not `ORIGINAL`. */
export function refundView({ natureza, ...devolucao }: Devolucao) {
  return { ...devolucao, ...(natureza !== 'ORIGINAL' && { natureza }) };
}

/** Masks a person as Efí does: hides the first three and last two digits of a CPF. A CNPJ is not masked. */
export function masked<T extends { readonly cpf?: string }>(person: T): T {
  const { cpf } = person;
  return cpf === undefined ? person : { ...person, cpf: `***.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-**` };
}
