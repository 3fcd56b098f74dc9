import { notFound } from '../refusal.ts';
import { readBody, WebhookRequest } from './requests.ts';
import type { Operation, Session } from '../session.ts';

/** Operations on a webhook's address: one for each key, one for all recurrences, one for all recurring charges. */
function hookOperations(path: string, scope: string, hookOf: (chave: string | undefined) => string): Operation[] {
  const find = ({ drawer }: Session, chave: string | undefined) => {
    const found = drawer.find('webhook', hookOf(chave));
    if (found === undefined || found.webhookUrl === '') throw notFound('WebhookNaoEncontrado');
    return found;
  };
  return [
    {
      method: 'PUT',
      path,
      scope: `${scope}.write`,
      before: async (probe, { body, headers }) => {
        const { webhookUrl } = readBody(WebhookRequest, body, 'WebhookOperacaoInvalida', 'webhook');
        await probe(webhookUrl, headers['x-skip-mtls-checking'] !== 'true');
      },
      run: ({ drawer, client, now, readdress }, { params, body }) => {
        const { chave } = params;
        if (chave !== undefined && !client.accounts.some((account) => account.chave === chave))
          throw notFound('NaoEncontrado');
        const { webhookUrl } = readBody(WebhookRequest, body, 'WebhookOperacaoInvalida', 'webhook');
        const before = drawer.find('webhook', hookOf(chave))?.webhookUrl ?? '';
        if (before !== '') readdress(before, webhookUrl);
        drawer.save('webhook', hookOf(chave), { webhookUrl, criacao: now });
        return { status: 200, body: { webhookUrl } };
      },
    },
    {
      method: 'GET',
      path,
      scope: `${scope}.read`,
      run: (session, { params }) => {
        const { chave } = params;
        return {
          status: 200,
          body: { ...find(session, chave), ...(chave !== undefined && { chave, cnpj: session.client.cnpj }) },
        };
      },
    },
    {
      method: 'DELETE',
      path,
      scope: `${scope}.write`,
      run: (session, { params }) => {
        const { criacao } = find(session, params['chave']);
        session.drawer.save('webhook', hookOf(params['chave']), { webhookUrl: '', criacao });
        return { status: 204 };
      },
    },
  ];
}

export const webhookOperations: readonly Operation[] = [
  ...hookOperations('/v2/webhook/:chave', 'webhook', (chave = '') => `pix:${chave}`),
  ...hookOperations('/v2/webhookrec', 'webhookrec', () => 'rec'),
  ...hookOperations('/v2/webhookcobr', 'webhookcobr', () => 'cobr'),
];
