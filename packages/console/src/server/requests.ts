import * as z from 'zod';
import { listenerAgent } from '@banking-order/partner-tools';
import type { SeenRequest, SeenRequests } from '../protocol.ts';

const keptAtMost = 500;
/** Number of requests on a page. */
const pageSize = 50;
/** Characters. A longer body of a request or response is neither parsed nor shown. */
const longestBody = 64 * 1024;

/** The `user-agent` of the console's own requests. */
export const consoleAgent = 'banking-order-console';

/** A request and its response. */
export type Exchange = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly userAgent: string | undefined;
  /** The API client in the token, whose signature is not checked. */
  readonly clientId: string | undefined;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly sent: string;
  readonly responseBody: string;
};

export type RequestLog = {
  readonly record: (exchange: Exchange) => void;
  /** A page, newest first. */
  readonly seen: (wanted?: Wanted) => Pick<SeenRequests, 'requests' | 'hasMore' | 'errors'>;
};

/** A filter of requests: by client, text in method and path, beginning of the status, and error. */
type Wanted = {
  readonly clientId?: string | undefined;
  readonly text?: string;
  readonly status?: string;
  /** Code of the error body. */
  readonly error?: string;
  readonly skip?: number;
};

const Failure = z.object({
  error: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.string(), description: z.string() })),
});

/** User agents whose successful reads are not logged: the page and a listener read every second or two. */
const readers: ReadonlySet<string | undefined> = new Set([consoleAgent, listenerAgent]);

/** Creates a log of the last 500 requests, in memory, without the successful reads of console and listeners. */
export function createRequestLog(limit = keptAtMost): RequestLog {
  let kept: Exchange[] = [];
  return {
    record: (exchange) => {
      const { method, userAgent, status } = exchange;
      if (method === 'GET' && readers.has(userAgent) && status < 400) return;
      kept = [exchange, ...kept].slice(0, limit);
    },
    seen: ({ clientId, text = '', status = '', error = '', skip = 0 } = {}) => {
      const all = kept.filter(
        (exchange) =>
          (clientId === undefined || exchange.clientId === clientId) &&
          `${exchange.method} ${exchange.path}`.toLowerCase().includes(text.toLowerCase()) &&
          String(exchange.status).startsWith(status),
      );
      const found = error === '' ? all : all.filter((exchange) => errorOf(exchange) === error);
      const page = found.slice(skip, skip + pageSize);
      // Masked when they are read, so that no response of the service waits for it.
      return { requests: page.map(current), hasMore: found.length > skip + pageSize, errors: countErrors(all) };
    },
  };
}

function errorOf({ status, responseBody }: Exchange): string | undefined {
  return status < 400 ? undefined : Failure.safeParse(parsed(responseBody)).data?.error;
}

/** Counts errors by code, the most frequent first, each with its latest time. */
function countErrors(exchanges: readonly Exchange[]): SeenRequests['errors'] {
  const found = Map.groupBy(exchanges, errorOf);
  return [...found]
    .flatMap(([error, those]) =>
      error === undefined ? [] : [{ error, count: those.length, lastAt: Math.max(...those.map(({ at }) => at)) }],
    )
    .toSorted((a, b) => b.count - a.count);
}

function current({ at, durationMs, method, path, status, requestId, sent, responseBody }: Exchange): SeenRequest {
  const failure = status < 400 ? undefined : Failure.safeParse(parsed(responseBody)).data;
  const body = parsed(sent);
  return {
    at,
    durationMs,
    method,
    status,
    requestId,
    path: maskQuery(path),
    ...(failure && { error: failure.error }),
    details: failure?.details ?? [],
    ...(body !== undefined && { body: mask(body) }),
    ...(status < 400 && { answer: mask(parsed(responseBody)) }),
  };
}

/** Fields without personal data. Texts and numbers of all other fields are masked. */
const plainFields = new Set(
  [
    'accountId advanceSeconds allowAdjustToBusinessDay allowChargeAfterDueDate createdAfter createdFrom createdTo',
    'creditId currency cursor dueBefore dueDate endDate event expiresInSeconds externalId frequencyType id limit now orderId',
    'originalScheduledPaymentId overlapSeconds paymentMethod purpose reason resourceId returnId sort startDate',
    'status type validationId value',
  ].flatMap((names) => names.split(' ')),
);
const masked = '•••';
/** Levels below which everything is masked. No request of the OpenAPI document has more than six. */
const deepest = 20;

function mask(value: unknown, name = '', depth = 0): unknown {
  if (depth > deepest) return masked;
  if (Array.isArray(value)) return value.map((item) => mask(item, name, depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner, key, depth + 1)]));
  return value === null || typeof value === 'boolean' || plainFields.has(name) ? value : masked;
}

function maskQuery(path: string): string {
  const [place = '', query] = path.split('?');
  if (query === undefined) return place;
  const shown = [...new URLSearchParams(query)].map(([name, value]) =>
    plainFields.has(name) ? `${name}=${value}` : `${name}=${masked}`,
  );
  return `${place}?${shown.join('&')}`;
}

function parsed(text: string): unknown {
  try {
    return text === '' || text.length > longestBody ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
