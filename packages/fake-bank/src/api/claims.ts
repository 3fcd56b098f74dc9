import type { Drawer } from '../archive.ts';
import { cents } from '../amounts.ts';
import { listOperation } from './lists.ts';
import type { Infracao } from '../model.ts';
import { problem, Refusal } from '../refusal.ts';
import { DefenceRequest, readBody } from './requests.ts';
import type { Operation } from '../session.ts';

const faultyDefence =
  'A requisição que busca apresentar uma defesa de infração não respeita o schema ou está semanticamente errada.';

/** Claims about received Pix (MED), by Efí's own API. */
export const claimOperations: readonly Operation[] = [
  listOperation({
    path: '/v2/gn/infracoes',
    scope: 'gn.infractions.read',
    code: 'InfracoesConsultaInvalida',
    root: 'infracoes.query.',
    member: 'infracoes',
    read: ({ drawer }) => drawer.list('infracao'),
    at: ({ criadoEm }) => criadoEm,
    filters: {},
    view: (_session, infracao) => claimView(infracao),
  }),
  {
    method: 'POST',
    path: '/v2/gn/infracoes/:idInfracao/defesa',
    scope: 'gn.infractions.write',
    run: ({ drawer, now }, { params, body }) => {
      const request = readBody(DefenceRequest, body, 'InfracoesConsultaInvalida', 'body', faultyDefence);
      const infracao = drawer.find('infracao', params['idInfracao'] ?? '');
      if (infracao === undefined) throw new Refusal(problem(404, 'InfracaoNaoEncontrada', 'Infração não encontrada.'));
      requireDefensible(infracao, now);
      drawer.save('infracao', infracao.idInfracao, {
        ...infracao,
        status: 'EM_DEFESA',
        analise: request.analise,
        defesa: request.justificativa,
        dadosAnalise: { ...infracao.dadosAnalise, recebimentoDefesa: now },
        atualizadoEm: now,
      });
      return { status: 201, body: 'Defesa de infração MED criada' };
    },
  },
];

/** @throws Refusal 409 for a claim that is defended or decided, 422 after its time limit. */
function requireDefensible({ defesa, status, dadosAnalise }: Infracao, now: string): void {
  const refuse = (httpStatus: number, razao: string) =>
    new Refusal(
      problem(httpStatus, 'InfracaoOperacaoInvalida', faultyDefence, [{ razao, propriedade: 'body.infractionId' }]),
    );
  if (defesa !== undefined) throw refuse(409, 'A defesa para essa infração já foi criada.');
  if (status !== 'ABERTA') throw refuse(409, 'A infração já foi finalizada.');
  if (now > dadosAnalise.prazoFinalizacao) throw refuse(422, 'O prazo para defesa foi excedido.');
}

/** Returns a claim as the list shows it. */
export function claimView({ natureza: _natureza, analise: _analise, ...infracao }: Infracao) {
  return infracao;
}

export function isUndecided({ status }: Infracao): boolean {
  return status === 'ABERTA' || status === 'EM_DEFESA';
}

/** Returns the sum of the undecided claims, in centavos. */
export function claimedCents(drawer: Drawer): number {
  return drawer
    .list('infracao')
    .filter(isUndecided)
    .reduce((sum, { valor }) => sum + cents(valor), 0);
}
