import { signal } from '@preact/signals';
import type { Answer, Answered, Ask, OperationId } from '../operations.ts';
import type { Environment } from '../published.ts';
import { place } from './place.ts';

export const environment = signal<Environment | undefined>(undefined);
/** Goes up with everything that was done here: whatever is shown is read again. */
export const changes = signal(0);

type Detail = { readonly field: string; readonly issue: string; readonly description: string };
/** What the last action came to, for the line at the foot of the page. */
type Notice = {
  readonly ok: boolean;
  readonly text: string;
  readonly details?: readonly Detail[];
  readonly requestId?: string | undefined;
};
export const notice = signal<Notice | undefined>(undefined);

/** The service refused a request, or could not be asked. */
class Refusal extends Error {
  readonly details: readonly Detail[];
  readonly requestId: string | undefined;
  constructor(message: string, details: readonly Detail[] = [], requestId?: string) {
    super(message);
    this.details = details;
    this.requestId = requestId;
  }
}

/**
 * Asks the service as the company that is looked at.
 * @throws Refusal with what it answered instead.
 */
export async function ask<K extends OperationId>(asked: Ask<K>): Promise<Answered<K>> {
  const { operation, ...request } = asked;
  const answer = await fetchJson<Answer>(`companies/${place.value.companyId}/${operation}`, request);
  if (answer.status < 300) return answer.body as Answered<K>;
  const { error = '', message = '', details = [] } = (answer.body ?? {}) as ErrorBody;
  throw new Refusal(`${String(answer.status)} ${error}: ${message}`, details, answer.requestId);
}
type ErrorBody = { readonly error?: string; readonly message?: string; readonly details?: readonly Detail[] };

/** Does something that changes the service; says at the foot of the page what it came to. */
export async function act<K extends OperationId>(asked: Ask<K>, done: string): Promise<Answered<K> | undefined> {
  try {
    const body = await ask(asked);
    notice.value = { ok: true, text: done };
    return body;
  } catch (error) {
    notice.value = describe(error);
    return undefined;
  } finally {
    changes.value += 1;
  }
}

export function describe(error: unknown): Notice {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof Refusal
    ? { ok: false, text, details: error.details, requestId: error.requestId }
    : { ok: false, text };
}

/** Asks the console's own server: a request with a body is a POST. */
export async function fetchJson<T>(path: string, body?: unknown): Promise<T> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`api/${path}`, body === undefined ? {} : init);
  const read = (await response.json()) as T & { readonly message?: string };
  if (!response.ok) throw new Refusal(read.message ?? `The console answered ${String(response.status)}.`);
  return read;
}
