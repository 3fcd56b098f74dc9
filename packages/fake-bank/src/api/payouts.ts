import { amountText, cents } from '../amounts.ts';
import { moveBalance } from '../balance.ts';
import { endToEndId } from '../ids.ts';
import { readKey } from '../keys.ts';
import type { Key } from '../keys.ts';
import { claimedCents } from './claims.ts';
import { listOperation } from './lists.ts';
import type { Payout } from '../model.ts';
import { payableCode, detailOfCode } from './payable-codes.ts';
import { notFound, refuseEfi } from '../refusal.ts';
import { CodePayoutRequest, CodeQuestion, PayoutRequest, readBody } from './requests.ts';
import { bankIspb } from '../session.ts';
import type { Operation, Session } from '../session.ts';

/** Payouts by Efí's own API. The client chooses `idEnvio`; it is unique among payouts by key, account and code. */
export const payoutOperations: readonly Operation[] = [
  {
    method: 'PUT',
    path: '/v3/gn/pix/:idEnvio',
    scope: 'pix.send',
    run: (session, { params, body }) => {
      requireNew(session, params['idEnvio'] ?? '');
      const { valor, pagador, favorecido } = readBody(PayoutRequest, body, 'RequisicaoInvalida', 'envio');
      requirePayer(session, pagador.chave, valor);
      if ('chave' in favorecido) requireKey(session, favorecido);
      return send(session, { idEnvio: params['idEnvio'] ?? '', valor, ...pagador, favorecido });
    },
  },
  {
    method: 'PUT',
    path: '/v2/gn/pix/:idEnvio/qrcode',
    scope: 'gn.qrcodes.pay',
    run: (session, { params, body }) => {
      requireNew(session, params['idEnvio'] ?? '');
      const { pagador, pixCopiaECola } = readBody(CodePayoutRequest, body, 'RequisicaoInvalida', 'envio');
      const { valor, chave, txid } = payableCode(session, pixCopiaECola);
      requirePayer(session, pagador.chave, valor);
      requireKey(session, { chave });
      const code = { valor, ...pagador, favorecido: { chave }, ...(txid !== undefined && { txid }) };
      return send(session, { idEnvio: params['idEnvio'] ?? '', ...code });
    },
  },
  {
    method: 'GET',
    path: '/v2/gn/pix/enviados/id-envio/:idEnvio',
    scope: 'gn.pix.send.read',
    run: ({ drawer }, { params }) => {
      const found = drawer.find('payout', params['idEnvio'] ?? '');
      if (found === undefined) throw refuseEfi(404, 'pix_nao_encontrado', 'Nenhum Pix encontrado para o idEnvio.');
      return { status: 200, body: payoutView(found) };
    },
  },
  {
    method: 'GET',
    path: '/v2/gn/pix/enviados/:e2eId',
    scope: 'gn.pix.send.read',
    run: ({ drawer }, { params }) => {
      const found = drawer.list('payout').find(({ endToEndId: id }) => id === params['e2eId']);
      if (found === undefined) throw refuseEfi(404, 'pix_nao_encontrado', 'Nenhum Pix encontrado para o e2eId.');
      return { status: 200, body: payoutView(found) };
    },
  },
  listOperation({
    path: '/v2/gn/pix/enviados',
    scope: 'gn.pix.send.read',
    code: 'PixConsultaInvalida',
    member: 'pix',
    read: ({ drawer }) => drawer.list('payout'),
    at: ({ horario }) => horario.solicitacao,
    filters: { status: (payout, status) => payout.status === status },
    view: (_session, payout) => payoutView(payout),
  }),
  {
    method: 'POST',
    path: '/v2/gn/qrcodes/detalhar',
    scope: 'gn.qrcodes.read',
    run: (session, { body }) => {
      const { pixCopiaECola } = readBody(CodeQuestion, body, 'RequisicaoInvalida', 'qrcode');
      const detail = detailOfCode(session, pixCopiaECola);
      if (detail === undefined) throw notFound('CobPayloadNaoEncontrado');
      return { status: 200, body: detail };
    },
  },
  {
    method: 'GET',
    path: '/v2/gn/saldo',
    scope: 'gn.balance.read',
    run: ({ client, drawer }, { query }) => {
      const med = amountText(claimedCents(drawer));
      const bloqueios = query.get('bloqueios') === 'true' && { bloqueios: { judicial: '0.00', med, total: med } };
      return { status: 200, body: { saldo: amountText(client.balance), ...bloqueios } };
    },
  },
];

/** @throws Refusal 400 for an invalid id, 409 for an id that any payout has used. */
function requireNew({ drawer }: Session, idEnvio: string): void {
  if (!/^[a-zA-Z0-9]{1,35}$/u.test(idEnvio))
    throw refuseEfi(400, 'id_envio_invalido', 'O idEnvio não respeita o padrão [a-zA-Z0-9]{1,35}.');
  if (drawer.find('payout', idEnvio) !== undefined)
    throw refuseEfi(409, 'id_envio_duplicado', 'O idEnvio informado já foi utilizado em outro envio.');
}

/** @throws Refusal for a key of another client, a key without the required webhook, or a balance that is too low. */
function requirePayer({ client, drawer }: Session, chave: string, valor: string): void {
  if (!client.accounts.some((account) => account.chave === chave))
    throw refuseEfi(400, 'chave_invalida', 'A chave do pagador não pertence a esta conta.');
  if (client.webhookRequired && (drawer.find('webhook', `pix:${chave}`)?.webhookUrl ?? '') === '')
    throw refuseEfi(400, 'webhook_nao_cadastrado', 'A chave do pagador não tem um webhook cadastrado.');
  if (cents(valor) > client.balance) throw refuseEfi(400, 'saldo_insuficiente', 'Saldo insuficiente.');
}

type ByKey = { readonly chave: string; readonly cpf?: string; readonly cnpj?: string };

/** @throws Refusal for an invalid or unknown key, or for an owner who has another document or cannot be paid. */
function requireKey({ common }: Session, { chave, cpf, cnpj }: ByKey): void {
  const key = readKey(chave);
  if (key === undefined) throw refuseEfi(400, 'chave_invalida', 'A chave do favorecido é inválida.');
  const known = common.find('key', key.chave);
  switch (known?.state ?? 'FOUND') {
    case 'UNKNOWN':
      throw refuseEfi(404, 'chave_favorecido_nao_encontrada', 'A chave do favorecido não foi encontrada.');
    case 'BLOCKED':
      throw refuseEfi(400, 'documento_bloqueado', 'O documento do favorecido está bloqueado.');
    case 'DENIED':
      throw refuseEfi(422, 'pagamento_negado', 'O pagamento foi negado.');
    case 'FOUND': {
      const owner = known ?? ownerByForm(key);
      const isOther =
        (cpf !== undefined && (owner.cpf ?? cpf) !== cpf) || (cnpj !== undefined && (owner.cnpj ?? cnpj) !== cnpj);
      if (isOther)
        throw refuseEfi(400, 'chave_nao_pertence_ao_documento', 'A chave do favorecido não pertence ao documento.');
    }
  }
}

/** Returns the owner's document if the key itself is a CPF or CNPJ. */
function ownerByForm({ kind, chave }: Key): { cpf?: string; cnpj?: string } {
  return kind === 'CPF' ? { cpf: chave } : kind === 'CNPJ' ? { cnpj: chave } : {};
}

type Sending = Pick<Payout, 'idEnvio' | 'valor' | 'chave' | 'infoPagador' | 'txid' | 'favorecido'>;

/** Accepts a payout and takes its amount from the balance immediately. */
function send(session: Session, sending: Sending) {
  const { now, ids, drawer } = session;
  const payout: Payout = {
    ...sending,
    endToEndId: endToEndId(bankIspb, now, ids),
    status: 'EM_PROCESSAMENTO',
    horario: { solicitacao: now },
    devolucoes: [],
  };
  drawer.save('payout', payout.idEnvio, payout);
  moveBalance(session, -cents(payout.valor));
  const { idEnvio, endToEndId: e2eId, valor, horario, status } = payout;
  return { status: 201, body: { idEnvio, e2eId, endToEndId: e2eId, valor, horario, status } };
}

/** Returns a payout as its `GET` shows it. Of a receiver by key it shows only the key, not the document. */
function payoutView({ devolucoes, txid: _, favorecido, ...payout }: Payout) {
  const receiver = 'chave' in favorecido ? { chave: favorecido.chave } : favorecido;
  return { ...payout, favorecido: receiver, ...(devolucoes.length > 0 && { devolucoes }) };
}
