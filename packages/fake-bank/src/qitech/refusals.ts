import type { FaultResponses } from '../faults.ts';
import { Refusal } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';

/** An error as the bank's pages show it. */
export type BankError = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly translation: string;
};

/** Returns the response of an error. @param extra `extra_fields`, which errors of authentication do not have. */
export function errorResponse(
  { status, ...body }: BankError,
  extra?: object,
): BankResponse & { readonly body: object } {
  return { status, body: { ...body, ...(extra !== undefined && { extra_fields: extra }) } };
}

function authenticationError(
  status: number,
  code: string,
  [title, description, translation]: readonly [string, string, string],
): Refusal {
  return new Refusal(errorResponse({ status, code, title, description, translation }));
}

const documentation = '(Documentation: https://qitech.com.br/documentation)';

/** Errors of authentication (QI Tech, “Possíveis erros”). */
export const authenticationErrors = {
  noKey: () =>
    authenticationError(400, 'GDF000003', [
      'Bad Request',
      'No API Client Key received',
      'Nenhuma chave de API do cliente recebida',
    ]),
  unknownKey: (key: string) =>
    authenticationError(404, 'GDF000018', [
      'Not Found',
      `No ClientIntegration found for api_client_key: ${key}.`,
      `Nenhuma ClientIntegration encontrada para api_client_key: ${key}.`,
    ]),
  /** The page shows one error for a token; a wrong digest, path or time is answered with it, too. */
  wrongToken: () =>
    authenticationError(401, 'GDF000014', [
      'QI Unauthenticated',
      `Please provide valid credentials as part of the request. ${documentation} Details: Failed while decoding the authentication token`,
      `Por favor forneça credenciais válidas como parte da request. (Documentação: https://qitech.com.br/documentation) Detalhes: Falha ao decodificar o token de autenticação`,
    ]),
};

/** Returns the refusal of a body that does not have the shape (QI Tech, “Tabela de Erros para Pix Transfer”). */
export function invalidPayload(description: string): Refusal {
  const error = { status: 400, code: 'QIT000001', title: 'Bad Request', translation: 'Payload Inválido' };
  return new Refusal(errorResponse({ ...error, description }, {}));
}

/** Returns the refusal 404 of a thing that the client does not have. */
export function notFound(description: string, translation: string): Refusal {
  const error = { status: 404, code: 'QIT000404', title: 'Not Found' };
  return new Refusal(errorResponse({ ...error, description, translation }, {}));
}

/** An error by a rule of the bank whose own code the stored pages do not show: it has the general code. */
export function ruleError(description: string, translation: string): BankError {
  return { status: 422, code: 'QIT000400', title: 'Unprocessable Entity', description, translation };
}

/** Returns the refusal of a command by a rule of the bank. */
export function ruleRefusal(description: string, translation: string): Refusal {
  return new Refusal(errorResponse(ruleError(description, translation), {}));
}

const internal = {
  code: 'QIT000500',
  title: 'Internal Error',
  description: 'An internal error has occurred and its being investigated',
  translation: 'Um erro interno aconteceu e está sendo investigado',
};

/** What the bank says in an injected fault. */
export const faultResponses: FaultResponses = {
  serverError: (status) => errorResponse({ status, ...internal }, {}),
  tooMany: errorResponse(
    {
      status: 429,
      code: 'QIT000429',
      title: 'Rate limit reached',
      description: 'Rate limit reached when checking key in Bacen',
      translation: 'Limite de requisições atingido ao consultar chave no Bacen',
    },
    {},
  ),
  forbidden: errorResponse({
    status: 403,
    code: 'QIT000403',
    title: 'Forbidden',
    description: 'Participant has not rights to this operation.',
    translation: 'Participante não tem poderes para essa operação.',
  }),
  unauthorized: authenticationErrors.wrongToken().response,
};
