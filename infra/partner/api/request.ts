import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import type { Send, Sent } from './http.ts';

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
