import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { triggersFrom } from '#shared/core/transition.ts';
import type { Ask, Environment, OperationId } from '../protocol.ts';

/**
 * The operation that simulates the bank's callbacks. Refunds settle by the transitions of their pay-in, returns by a
 * button of their own.
 */
const tools = {
  SUBSCRIPTION: 'forceSubscriptionStatus',
  SCHEDULED_PAYMENT: 'forceScheduledPaymentStatus',
  PAY_IN: 'forceOrderStatus',
  PAYOUT: 'forceOrderStatus',
  REFUND: undefined,
  CREDIT: undefined,
  CREDIT_RETURN: undefined,
  DISPUTE: 'forceDisputeStatus',
  KEY_VALIDATION: undefined,
} as const satisfies Readonly<Record<Resource, OperationId | undefined>>;

type Transition = { readonly trigger: string; readonly asked: Ask };

/** Returns the transitions that the bank may make from a status, by the transition tables, each with its request. */
export function transitionsOf(resource: Resource, status: string, id: string): readonly Transition[] {
  const operation: OperationId | undefined = tools[resource];
  if (operation === undefined) return [];
  return triggersFrom<TransitionTable>(transitions[resource], status).map((trigger) => ({
    trigger,
    asked: { operation, body: { id, status: trigger } },
  }));
}

/** The status that the bank has for a return that it has made. */
export const returnIsSettled = 'REFUNDED';

/** Returns the request that settles the return of a credit, as its bank would. */
export function settlingOf(returnId: string): Ask {
  return { operation: 'forceOrderStatus', body: { id: returnId, status: returnIsSettled } };
}

/** Returns a request as a curl command. @param key The idempotency key, where the operation takes one. */
export function curlOf({ baseUrl, routes }: Pick<Environment, 'baseUrl' | 'routes'>, asked: Ask, key: string): string {
  const { operation, params = {}, query = {}, body } = asked;
  const { method, path, takesKey } = routes[operation];
  const place = path.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  const url = `${baseUrl}${place}${search === '' ? '' : `?${search}`}`;
  return curlLine({ method, url, ...(takesKey && { key }), body });
}

type Line = { readonly method: string; readonly url: string; readonly key?: string; readonly body: unknown };

/**
 * Returns a curl command. The token is a shell variable, because the page never has a token. The idempotency key is
 * part of the command, so that a second run repeats the same request.
 */
export function curlLine({ method, url, key, body }: Line): string {
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(key === undefined ? [] : [`-H 'idempotency-key: ${key}'`]),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
