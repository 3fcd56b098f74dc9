import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import { ToolFailure } from '../failures.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import type { SuccessResponse, ErrorResponse } from './responses.ts';
import type { Reading } from './growth.ts';
import { readResponse, readErrorResponse } from './responses.ts';
import type { HttpResponse, Send, HttpRequest } from './http.ts';
import { jsonOf } from './http.ts';

export type Addresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/** A partner's system at an environment: it keeps one token and calls the service by its contracts. */
export type Partner = ReturnType<typeof connectPartner<Company>>;

export function connectPartner<C extends Credentials>(
  addresses: Addresses,
  company: C,
  send: Send,
  reading: Reading = 'OPEN',
) {
  let known: Promise<string> | undefined;
  const token = (): Promise<string> => (known ??= fetchToken(addresses, company, send));
  /** Sends any request and returns the raw response. Adds the token unless the headers have `authorization`. */
  const raw = async (sent: HttpRequest): Promise<HttpResponse> =>
    send(addresses.baseUrl, { ...sent, headers: { authorization: `Bearer ${await token()}`, ...sent.headers } });
  /** Sends a request of the contract and returns the raw response. */
  const request = (contract: Contract, ask: AnyRequest = {}): Promise<HttpResponse> => raw(requestOf(contract, ask));
  /** Sends a request and reads the success by the contract. @throws ToolFailure for any other response. */
  const call = async <C extends Contract>(contract: C, ask?: RequestParts<C>): Promise<SuccessResponse<C>> =>
    readResponse(contract, await request(contract, ask), reading);
  /** Sends a request and reads an error that the contract lists. @throws ToolFailure for any other response. */
  const refused = async (contract: Contract, ask?: AnyRequest): Promise<ErrorResponse> =>
    readErrorResponse(contract, await request(contract, ask), reading);
  return { ...company, token, raw, answer: request, call, refused };
}

type AnyParts = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: OutgoingHttpHeaders;
  /** The idempotency key: a new one by default where the contract needs it; `null` sends none. */
  readonly key?: string | null;
};

/** A request in the shape of its contract. */
type RequestParts<C extends Contract> = AnyParts & { readonly body?: z.input<C['body']> };
/** A request that may break its contract on purpose. */
export type AnyRequest = AnyParts & { readonly body?: unknown };

/** The request part of a contract, or of a route in the OpenAPI document. */
type RequestShape = Pick<Contract, 'operationId' | 'path' | 'idempotencyKey'> & { readonly method: string };

/** Builds a request by its contract. @throws Error when a path parameter is missing. */
export function requestOf(
  { operationId, method, path, idempotencyKey }: RequestShape,
  { params = {}, query = {}, headers = {}, key, body }: AnyRequest,
): HttpRequest {
  const filled = path.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${operationId} needs the path parameter ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(query).toString();
  const wantsKey = idempotencyKey === 'required' || idempotencyKey === 'uuid';
  const sentKey = key === undefined && wantsKey ? randomUUID() : key;
  const wantsBody = method !== 'GET' && body !== undefined;
  return {
    method,
    path: search === '' ? filled : `${filled}?${search}`,
    headers: {
      ...(wantsBody && { 'content-type': 'application/json' }),
      ...(typeof sentKey === 'string' && { 'idempotency-key': sentKey }),
      ...headers,
    },
    ...(wantsBody && { body: JSON.stringify(body) }),
  };
}

/** The arguments of `Send` for a token request. */
export function tokenRequest(tokenUrl: string, form: Readonly<Record<string, string>>): Parameters<Send> {
  const { origin, pathname, search } = new URL(tokenUrl);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  return [origin, { method: 'POST', path: `${pathname}${search}`, headers, body }];
}

/** The form of the client credentials grant (RFC 6749, 4.4). */
export function tokenForm(scope: string, { clientId, clientSecret }: Credentials): Readonly<Record<string, string>> {
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
}
type Credentials = Pick<Company, 'clientId' | 'clientSecret'>;

/** Refusal of the client by the issuer: a retry does not help. */
export class TokenError extends ToolFailure {
  override readonly name = 'TokenError';
}

const TokenResponse = z.object({ access_token: z.string().optional(), error: z.string().optional() });

/** Gets an access token. @throws TokenError when the issuer refuses the client; ToolFailure for any other response. */
export async function fetchToken(
  { tokenUrl, scope }: Pick<Sandbox, 'tokenUrl' | 'scope'>,
  client: Credentials,
  send: Send,
): Promise<string> {
  const { status, text } = await send(...tokenRequest(tokenUrl, tokenForm(scope, client)));
  const { access_token: token, error } = TokenResponse.safeParse(jsonOf(text)).data ?? {};
  if (status === 200 && token !== undefined) return token;
  const reason = error === undefined ? `${status}` : `${status} ${error}`;
  if (status >= 400 && status < 500 && status !== 429)
    throw new TokenError(
      `The token endpoint ${tokenUrl} rejected the client ${client.clientId} (${reason}).`,
      'Check clientId, clientSecret, scope and tokenUrl in the sandbox file, or ask the operator for a new secret.',
    );
  throw new ToolFailure(
    `The token endpoint ${tokenUrl} returned no token (${reason}).`,
    'Check tokenUrl in the sandbox file, and try again.',
  );
}
