import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { Contract } from '../../shared/contracts/contract.ts';
import type { Answer, Refused } from './client-answers.ts';
import { readAnswer, readRefusal } from './client-answers.ts';
import type { Received, Sent } from './client-http.ts';
import { send } from './client-http.ts';
import type { Company, Sandbox } from './environment-sandbox.ts';

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

type Addresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

export function partnerOf(addresses: Addresses, company: Company): Partner {
  let known: Promise<string> | undefined;
  const token = (): Promise<string> => (known ??= fetchToken(addresses, company));
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

/** The answer of the token endpoint, for a form that may be wrong on purpose. */
export function askForToken(tokenUrl: string, form: Readonly<Record<string, string>>): Promise<Received> {
  const { origin, pathname, search } = new URL(tokenUrl);
  return send(origin, {
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

async function fetchToken({ tokenUrl, scope }: Addresses, { clientId, clientSecret }: Company): Promise<string> {
  const { status, text } = await askForToken(tokenUrl, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  });
  const token = status === 200 ? (JSON.parse(text) as { access_token?: unknown }).access_token : undefined;
  if (typeof token !== 'string') throw new Error(`The token endpoint answered ${status}: ${text.slice(0, 500)}`);
  return token;
}
