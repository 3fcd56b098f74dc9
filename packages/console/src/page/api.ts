import { signal } from '@preact/signals';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { ServiceResponse, ResponseBody, Ask, Environment, OperationId } from '../protocol.ts';
import { t } from './language.ts';
import { route } from './route.ts';
import type { Delivery } from './timeline.ts';

export const environment = signal<Environment | undefined>(undefined);
/** Counts the actions: the page reads everything again after each. */
export const changes = signal(0);

export type Detail = { readonly field: string; readonly issue: string; readonly description: string };
/** The outcome of the last action, for the foot of the page. */
export type Notice = {
  readonly ok: boolean;
  readonly text: string;
  readonly details?: readonly Detail[];
  readonly requestId?: string | undefined;
};
export const notice = signal<Notice | undefined>(undefined);

/** An action may open the resource that it created: its message survives that change of screen, milliseconds. */
const openingMs = 1000;
let noticeAt = 0;

/** Shows the outcome of an action until another screen opens. */
function showNotice(value: Notice): void {
  noticeAt = performance.now();
  notice.value = value;
}

addEventListener('hashchange', () => {
  if (performance.now() - noticeAt > openingMs) notice.value = undefined;
});

/** An error of the service, or no response. */
class Refusal extends Error {
  readonly details: readonly Detail[];
  readonly requestId: string | undefined;
  constructor(message: string, details: readonly Detail[] = [], requestId?: string) {
    super(message);
    this.details = details;
    this.requestId = requestId;
  }
}

/** Calls the service for the current company. @throws Refusal with the error. */
export async function ask<K extends OperationId>(asked: Ask<K>): Promise<ResponseBody<K>> {
  const { operation, ...request } = asked;
  const response = await fetchJson<ServiceResponse>(`companies/${route.value.companyId}/${operation}`, request);
  if (response.status < 300) return response.body as ResponseBody<K>;
  const { error = '', message = '', details = [] } = (response.body ?? {}) as ErrorBody;
  throw new Refusal(`${String(response.status)} ${error}: ${message}`, details, response.requestId);
}
type ErrorBody = { readonly error?: string; readonly message?: string; readonly details?: readonly Detail[] };

/** Runs an action and shows its outcome at the foot of the page. Returns undefined when the action failed. */
export async function act<T>(work: () => Promise<T>, done: string): Promise<T | undefined> {
  try {
    const outcome = await work();
    showNotice({ ok: true, text: done });
    return outcome;
  } catch (error) {
    showNotice(describe(error));
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

/** Calls the console's own server: POST with a body, GET without. */
export async function fetchJson<T>(path: string, body?: unknown): Promise<T> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`api/${path}`, body === undefined ? {} : init).catch(() => {
    throw new Refusal(t().basics.serverDown);
  });
  const read = (await response.json()) as T & { readonly message?: string };
  if (!response.ok) throw new Refusal(read.message ?? t().basics.consoleAnswered(response.status));
  return read;
}

type Entry = ResponseBody<'listEntries'>['data'][number];

const mostPages = 5;
/** The maximum of concurrent requests for one screen. */
const width = 6;
const knownDeliveries = new Map<string, { readonly seen: string; readonly delivery: Delivery }>();

/** Reads items, a few concurrently. Returns the responses in the order of the items. */
export async function readEach<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<readonly R[]> {
  const here = route.value;
  const results: R[] = [];
  for (let from = 0; from < items.length; from += width) {
    if (route.value !== here) throw new Error(t().basics.otherScreen);
    results.push(...(await Promise.all(items.slice(from, from + width).map(read))));
  }
  return results;
}

type ReadPage<T> = (query: Readonly<Record<string, string>>) => Promise<{ data: T[]; nextCursor: string | null }>;

/** Reads the first five pages of a list. `isCut`: there are more. */
export async function readNewest<T>(
  read: ReadPage<T>,
): Promise<{ readonly data: readonly T[]; readonly isCut: boolean }> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const { data, nextCursor } = await read({ limit: '100', ...(cursor !== null && { cursor }) });
    all.push(...data);
    if (nextCursor === null) return { data: all, isCut: false };
    cursor = nextCursor;
  }
  return { data: all, isCut: true };
}

/** Reads the first five pages of a list. */
export async function readPages<T>(read: ReadPage<T>): Promise<readonly T[]> {
  return (await readNewest(read)).data;
}

type DeliveryEntry = ResponseBody<'listWebhookDeliveries'>['data'][number];

/** Reads at most 50 deliveries about a resource, with their attempts. */
export async function readDeliveries(resourceId: string): Promise<readonly Delivery[]> {
  const { data } = await ask({ operation: 'listWebhookDeliveries', query: { resourceId, limit: '50' } });
  return readEach(data, readDelivery);
}

/** Reads a delivery with its attempts; again only after its entry in the list has changed. */
export async function readDelivery(entry: DeliveryEntry): Promise<Delivery> {
  const { id } = entry;
  const seen = JSON.stringify(entry);
  const known = knownDeliveries.get(id);
  if (known?.seen === seen) return known.delivery;
  const delivery = await ask({ operation: 'getWebhookDelivery', params: { id } });
  // A pending delivery without a next attempt is being sent: its response is still missing, so it is read again.
  if (entry.nextAttemptAt !== null || entry.status !== 'PENDING') knownDeliveries.set(id, { seen, delivery });
  return delivery;
}

/** Reads the entries of orders, credits or disputes since an instant, in one account or in all of the company. */
export async function readEntries(
  ids: readonly string[],
  createdFrom: Instant,
  accountId?: string,
): Promise<readonly Entry[]> {
  if (ids.length === 0) return [];
  const accountIds = accountId === undefined ? await readAccountIds() : [accountId];
  const entries = await readEach(accountIds, (id) =>
    readPages((query) =>
      ask({ operation: 'listEntries', params: { accountId: id }, query: { ...query, createdFrom, sort: 'asc' } }),
    ),
  );
  return entries
    .flat()
    .filter(({ orderId = '', creditId = '', disputeId = '' }) =>
      [orderId, creditId, disputeId].some((named) => ids.includes(named)),
    );
}

async function readAccountIds(): Promise<readonly string[]> {
  const { data } = await ask({ operation: 'listAccounts', query: { limit: '100' } });
  return data.map(({ id }) => id);
}

/** Reads the company's time; returns real time where the clock cannot be read, as in production. */
export async function readNow(): Promise<Instant> {
  const clock = await ask({ operation: 'getClock' }).catch(() => undefined);
  return clock?.now ?? instantFromEpochMs(Date.now());
}
