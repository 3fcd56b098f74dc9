import type { $ZodIssue } from 'zod/v4/core';

/** Response of an operation. */
export type BankResponse = {
  readonly status: number;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A member of a request that breaks a rule: `violacoes[]` of API Pix. */
export type Violation = { readonly razao: string; readonly propriedade: string; readonly valor?: string };

/** Ends an operation with a response that is not 2xx; its writes are rolled back. */
export class Refusal extends Error {
  readonly response: BankResponse;
  constructor(response: BankResponse) {
    super(`${response.status} ${JSON.stringify(response.body)}`);
    this.response = response;
  }
}

const titles: Readonly<Record<string, string>> = {
  RequisicaoInvalida: 'Requisição inválida.',
  AcessoNegado: 'Acesso Negado',
  NaoEncontrado: 'Não Encontrado',
  ErroInternoDoServidor: 'Erro interno do servidor.',
  ServicoIndisponivel: 'Serviço Indisponível',
  IndisponibilidadePorTempoEsgotado: 'Tempo esgotado.',
  CobOperacaoInvalida: 'Cobrança inválida.',
  CobNaoEncontrado: 'Cobrança não encontrada.',
  CobConsultaInvalida: 'Consulta inválida.',
  RecOperacaoInvalida: 'Recorrência inválida.',
  RecNaoEncontrada: 'Recorrência não encontrada.',
  RecConsultaInvalida: 'Consulta inválida.',
  CobROperacaoInvalida: 'Cobrança recorrente inválida.',
  CobRNaoEncontrado: 'Cobrança recorrente não encontrada.',
  CobRConsultaInvalida: 'Consulta inválida.',
  PixConsultaInvalida: 'Consulta inválida.',
  PixNaoEncontrado: 'Pix não encontrado.',
  PixDevolucaoInvalida: 'Devolução inválida.',
  PixDevolucaoNaoEncontrada: 'Devolução não encontrada.',
  InfracoesConsultaInvalida: 'Consulta Inválida',
  InfracaoNaoEncontrada: 'Infração não encontrada.',
  InfracaoOperacaoInvalida: 'Operação inválida.',
  PayloadLocationRecNaoEncontrado: 'Location não encontrada.',
  WebhookOperacaoInvalida: 'Webhook inválido.',
  WebhookNaoEncontrado: 'Webhook não encontrado.',
};

/** Returns an error response of API Pix (RFC 7807): the last segment of `type` is the code. */
export function problem(
  status: number,
  code: string,
  detail?: string,
  violations: readonly Violation[] = [],
): BankResponse & { readonly body: object } {
  return {
    status,
    type: 'application/problem+json',
    body: {
      type: `https://pix.bcb.gov.br/api/v2/error/${code}`,
      title: titles[code] ?? code,
      status,
      ...(detail !== undefined && { detail }),
      ...(violations.length > 0 && { violacoes: violations }),
    },
  };
}

/** Returns the refusal of an API Pix request: 400 with one violation. */
export function violate(code: string, propriedade: string, razao: string, valor?: string): Refusal {
  const detail = 'A requisição não respeita o schema ou está semanticamente errada.';
  return new Refusal(problem(400, code, detail, [{ razao, propriedade, ...(valor !== undefined && { valor }) }]));
}

/** Returns the refusal of a control action that the state of the bank does not allow. */
export function conflict(error: string): Refusal {
  return new Refusal({ status: 409, body: { error } });
}

/** Returns the refusal 404 of API Pix. */
export function notFound(code: string): Refusal {
  return new Refusal(problem(404, code, 'Nenhum resultado para os parâmetros informados.'));
}

/** Returns the refusal of a request to Efí's own API, whose error bodies are `{nome, mensagem}`. */
export function refuseEfi(status: number, nome: string, mensagem: string): Refusal {
  return new Refusal({ status, body: { nome, mensagem } });
}

/** The violations of a body that does not have the shape. @param root Name of the body in the violations. */
export function violations(issues: readonly $ZodIssue[], root: string): Violation[] {
  return issues.map(({ path, message }) => {
    const propriedade = [root, ...path.map(String)].join('.');
    return { propriedade, razao: `O campo ${propriedade} não respeita o schema: ${message}` };
  });
}
