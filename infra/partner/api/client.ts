import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import { ToolFailure } from '../command-line.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import type { Answer, Refused } from './answers.ts';
import { readAnswer, readRefusal } from './answers.ts';
import type { Received, Send, Sent } from './http.ts';

/** A partner's system: it has credentials, gets itself tokens and calls the service by its contracts. */
export type Partner = Company & {
  readonly token: () => Promise<string>;
  /** Expects success, read strictly by the contract. */
  readonly call: <C extends Contract>(contract: C, ask?: Ask<C>) => Promise<Answer<C>>;
  /** Expects an error of the contract. */
  readonly refused: (contract: Contract, ask?: AnyAsk) => Promise<Refused>;
  /** The answer as it came, to a request built from the contract. */
  readonly answer: (contract: Contract, ask?: AnyAsk) => Promise<Received>;
  /** The answer as it came, to any request; the token is added unless `authorization` is given. */
  readonly raw: (sent: Sent) => Promise<Received>;
};

export type Addresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/** A company's system at an environment. It keeps one token. */
export function connectPartner(addresses: Addresses, company: Company, send: Send): Partner {
  let known: Promise<string> | undefined;
  const token = (): Promise<string> => (known ??= fetchToken(addresses, company, send));
  const raw = async (sent: Sent): Promise<Received> =>
    send(addresses.baseUrl, { ...sent, headers: { authorization: `Bearer ${await token()}`, ...sent.headers } });
  const answer = (contract: Contract, ask: AnyAsk = {}): Promise<Received> => raw(requestOf(contract, ask));
  return {
    ...company,
    token,
    raw,
    answer,
    call: async (contract, ask) => readAnswer(contract, await answer(contract, ask)),
    refused: async (contract, ask) => readRefusal(contract, await answer(contract, ask)),
  };
}

type Parts = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: OutgoingHttpHeaders;
  /** The idempotency key: one of its own for each call that needs one, unless said; `null` sends none. */
  readonly key?: string | null;
};

/** A request as its contract wants it. */
export type Ask<C extends Contract> = Parts & { readonly body?: z.input<C['body']> };
/** A request that may be wrong on purpose. */
export type AnyAsk = Parts & { readonly body?: unknown };

/** A request on the wire, by its contract: path with parameters, query, body and key. */
export function requestOf(contract: Contract, { params = {}, query = {}, headers = {}, key, body }: AnyAsk): Sent {
  const path = contract.path.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${contract.operationId} needs the path parameter ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(query).toString();
  const wantsKey = contract.idempotencyKey === 'required' || contract.idempotencyKey === 'uuid';
  const sentKey = key === undefined && wantsKey ? randomUUID() : key;
  const wantsBody = contract.method !== 'GET' && body !== undefined;
  return {
    method: contract.method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      ...(wantsBody && { 'content-type': 'application/json' }),
      ...(typeof sentKey === 'string' && { 'idempotency-key': sentKey }),
      ...headers,
    },
    ...(wantsBody && { body: JSON.stringify(body) }),
  };
}

/** A request for a token, with a form that may be wrong on purpose: the arguments of `Send`. */
export function tokenRequest(tokenUrl: string, form: Readonly<Record<string, string>>): Parameters<Send> {
  const { origin, pathname, search } = new URL(tokenUrl);
  return [
    origin,
    {
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    },
  ];
}

/** The client is refused: no waiting mends it. */
export class TokenRefused extends ToolFailure {
  override readonly name = 'TokenRefused';
}

const Given = z.object({ access_token: z.string().optional(), error: z.string().optional() });

/**
 * An access token for a company's client (RFC 6749, 4.4).
 * @throws TokenRefused when the client is; ToolFailure when the answer is no token for another reason.
 */
export async function fetchToken(
  { tokenUrl, scope }: Pick<Sandbox, 'tokenUrl' | 'scope'>,
  { clientId, clientSecret }: Pick<Company, 'clientId' | 'clientSecret'>,
  send: Send,
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const received = await send(...tokenRequest(tokenUrl, form));
  const { status } = received;
  const { access_token: token, error } = given(received);
  if (status === 200 && token !== undefined) return token;
  const answer = error === undefined ? `${status}` : `${status} ${error}`;
  if (status >= 400 && status < 500 && status !== 429)
    throw new TokenRefused(
      `${tokenUrl} refuses a token to the client ${clientId} (${answer}).`,
      'Give clientId, clientSecret, scope and tokenUrl in the sandbox file as you got them; an operator makes a new secret.',
    );
  throw new ToolFailure(
    `${tokenUrl} gives no token (${answer}).`,
    'Try again, and look at tokenUrl in the sandbox file.',
  );
}

/** What the answer says; nothing where it is something else than JSON. */
function given({ text }: Received): z.infer<typeof Given> {
  try {
    return Given.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
