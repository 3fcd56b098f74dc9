import type { FaultResponses } from '../faults.ts';
import { problem } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';

/** Returns a 5xx response of API Pix. */
export function serverError(status: number): BankResponse {
  const codes: Readonly<Record<number, string>> = {
    503: 'ServicoIndisponivel',
    504: 'IndisponibilidadePorTempoEsgotado',
  };
  return problem(status, codes[status] ?? 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}

/** What a bank of API Pix says in an injected fault; 429 and 401 as Efí says them. */
export const faultResponses: FaultResponses = {
  serverError,
  tooMany: { status: 429, body: { nome: 'balde_fichas_vazio', mensagem: 'Limite de requisições excedido.' } },
  forbidden: problem(403, 'AcessoNegado', 'O acesso não é permitido.'),
  unauthorized: {
    status: 401,
    body: { error: 'invalid_token', error_description: 'Token inválido ou expirado.' },
  },
};
