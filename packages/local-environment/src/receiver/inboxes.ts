import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { MalformedJson, parseJson } from '#shared/contract/json.ts';
import type { Detail } from '#shared/core/errors.ts';
import { detailsOf } from '#shared/platform/http/details.ts';
import type { Judgement } from './signatures.ts';

/** Longest delay of a reply. It is longer than the 10 seconds that the sender waits. */
const longestMs = 60_000;

/** How an inbox responds to a notification. */
export type Reply = z.output<typeof Reply>;
const Reply = z
  .strictObject({
    /** Responds with any final status. `body` is the text of the response. */
    status: z.int().min(200).max(599).exactOptional(),
    body: z.string().max(4096).exactOptional(),
    /** Never responds. */
    hang: z.literal(true).exactOptional(),
    /** Acknowledges the notification after this number of milliseconds. */
    slow: z.int().min(0).max(longestMs).exactOptional(),
    /** Breaks the connection. */
    reset: z.literal(true).exactOptional(),
    /** 302 with this `Location`. */
    redirect: z
      .string()
      .min(1)
      .max(2048)
      .regex(/^[\x21-\x7e]+$/u, 'Must be a URL.')
      .exactOptional(),
  })
  .check(({ value, issues }) => {
    const { body, ...ways } = value;
    const logError = (message: string): void => void issues.push({ code: 'custom', input: value, message });
    if (Object.keys(ways).length !== 1) logError('Must have exactly one of status, hang, slow, reset and redirect.');
    else if (body !== undefined && ways.status === undefined) logError('A body is only possible with a status.');
  });

const Script = z.strictObject({ replies: z.array(Reply).min(1).max(100) });

/** Reads `{ replies: [...] }`. Returns all issues of an invalid body in the format of the API. */
export function readScript(
  body: Buffer,
): { readonly replies: readonly Reply[] } | { readonly details: readonly Detail[] } {
  try {
    const { data, error } = Script.safeParse(parseJson(body.toString('utf8')), { reportInput: true });
    return data ?? { details: detailsOf(error, 'body') };
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    return { details: [{ field: 'body', issue: 'MALFORMED_JSON', description: error.message }] };
  }
}

/** A request to an inbox, with its exact bytes. */
type Arrival = {
  readonly inbox: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly judgement: Judgement;
};

export type Received = Arrival & {
  /** Number of this call among those of its `webhook-id`, from 1. */
  readonly call: number;
  readonly reply: Reply;
};

/** Limits of all inboxes together. Beyond them the oldest requests are dropped, and a new script is refused. */
const keptAtMost = { requests: 1000, bytes: 32 * 1024 * 1024, scripts: 200 };
/** Body with which a receiver may acknowledge a notification (specification, 6.1). */
export const success = JSON.stringify({ returnCode: 'SUCCESS' });
const taken: Reply = { status: 200, body: success };

/**
 * Creates the inboxes of a partner's receiver. Each has its requests and the replies that it sends. They are kept in
 * memory, within `limits`.
 */
export function createInboxes(limits = keptAtMost) {
  const scripts = new Map<string, readonly Reply[]>();
  let received: Received[] = [];
  let bytes = 0;
  const keep = (call: Received): void => {
    received.push(call);
    bytes += call.raw.length;
    while (received.length > limits.requests || bytes > limits.bytes) bytes -= received.shift()?.raw.length ?? bytes;
  };
  return {
    /** Keeps a request and returns its reply. */
    take: (arrival: Arrival): Reply => {
      const { inbox, headers } = arrival;
      const id = headers['webhook-id'];
      const earlier = received.filter(
        (earlierCall) => earlierCall.inbox === inbox && earlierCall.headers['webhook-id'] === id,
      );
      const call = (id === undefined ? 0 : (earlier.at(-1)?.call ?? 0)) + 1;
      const replies = scripts.get(inbox) ?? [];
      const reply = replies[Math.min(call, replies.length) - 1] ?? taken;
      keep({ ...arrival, call, reply });
      return reply;
    },
    /** Sets the replies of an inbox. @returns false when too many other inboxes have a script */
    script: (inbox: string, replies: readonly Reply[]): boolean => {
      if (!scripts.has(inbox) && scripts.size >= limits.scripts) return false;
      scripts.set(inbox, replies);
      return true;
    },
    forget: (inbox: string): void => {
      scripts.delete(inbox);
      received = received.filter((call) => call.inbox !== inbox);
      bytes = received.reduce((sum, { raw }) => sum + raw.length, 0);
    },
    repliesOf: (inbox: string): readonly Reply[] => scripts.get(inbox) ?? [taken],
    receivedBy: (inbox: string): readonly Received[] => received.filter((call) => call.inbox === inbox),
    names: (): readonly string[] => [...new Set([...scripts.keys(), ...received.map(({ inbox }) => inbox)])].sort(),
  };
}
