import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { jsonOf } from '../api/http.ts';
import { poll } from '../poll.ts';

/** How a partner may respond to a notification: 200 and SUCCESS, a status, or in a way of its own. */
export type Reply =
  | { readonly kind: 'ok' }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  | { readonly kind: 'own'; readonly send: (response: ServerResponse) => void };

/** A request to the receiver with its exact bytes. */
export type Notification = {
  readonly at: number;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The parsed body; undefined if it is no JSON. */
  readonly body: unknown;
  /** `webhook-id`. */
  readonly id: string;
  /** Number of this call among those of its `webhook-id`, from 1. */
  readonly call: number;
  readonly reply: Reply;
};

/** Whether a reply acknowledges a notification. */
export function isTaken(reply: Reply): boolean {
  return reply.kind === 'ok' || (reply.kind === 'status' && reply.status >= 200 && reply.status < 300);
}

/** One address of the receiver, and its notifications. */
export type Inbox = {
  readonly url: string;
  readonly received: readonly Notification[];
  /**
   * Sets the replies: the n-th call of each notification gets the n-th reply, later calls the last one. The default is
   * `ok`.
   */
  readonly reply: (...replies: Reply[]) => void;
  /** Waits until `count` notifications fit. @throws Error that lists all notifications received so far. */
  readonly until: (
    fits: (notification: Notification) => boolean,
    count?: number,
    withinMs?: number,
  ) => Promise<Notification[]>;
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const ok: Reply = { kind: 'ok' };
/** Query with which an inbox shows its notifications. */
const showing = 'received';
const lookEveryMs = 20;

/**
 * Starts a partner's webhook receiver on this machine.
 * @param withinMs how long `until` waits, unless it is given its own time
 */
export async function startReceiver(host = '127.0.0.1', withinMs = 60_000) {
  const inboxes = new Map<string, ReturnType<typeof createInbox>>();
  const server = createServer((message, response) => {
    const [path = '', query] = (message.url ?? '').split('?');
    const inbox = inboxes.get(path);
    if (inbox !== undefined && query === showing) show(inbox, response);
    else if (inbox === undefined) response.writeHead(404).end();
    else void inbox.take(message, response);
  });
  // An emulator in a container cannot reach loopback.
  server.listen(0, host === '127.0.0.1' ? host : '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    inbox: (name: string): Inbox => {
      const path = `/${name}`;
      const inbox = inboxes.get(path) ?? createInbox(`http://${host}:${port}${path}`, withinMs);
      inboxes.set(path, inbox);
      return inbox;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function show({ received }: Inbox, response: ServerResponse): void {
  const shown = received.map(({ raw, ...rest }) => ({ ...rest, raw: raw.toString('base64') }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown));
}

/** Reads the notifications in an inbox of another process. */
export async function receivedAt(url: string): Promise<Notification[]> {
  const shown = (await (await fetch(`${url}?${showing}`)).json()) as (Notification & { readonly raw: string })[];
  return shown.map((notification) => ({ ...notification, raw: Buffer.from(notification.raw, 'base64') }));
}

function createInbox(
  url: string,
  usualWithinMs: number,
): Inbox & { take: (message: IncomingMessage, response: ServerResponse) => Promise<void> } {
  const received: Notification[] = [];
  let replies: readonly Reply[] = [ok];
  const take = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    const { headers, method = '' } = message;
    const raw = Buffer.concat(chunks);
    const id = String(headers['webhook-id'] ?? '');
    const call = received.filter((earlier) => earlier.id === id).length + 1;
    const reply = replies[Math.min(call, replies.length) - 1] ?? ok;
    received.push({ at, method, headers, raw, body: jsonOf(raw.toString('utf8')), id, call, reply });
    sendReply(response, reply);
  };
  return {
    url,
    received,
    take,
    reply: (...wanted) => {
      replies = wanted;
    },
    until: async (fits, count = 1, withinMs = usualWithinMs) => {
      const look = () => received.filter(fits);
      const found = await poll(look, ({ length }) => length >= count, withinMs, lookEveryMs);
      if (found.length >= count) return found;
      throw new Error(missing(url, count, found.length, received));
    },
  };
}

function missing(url: string, wanted: number, found: number, received: readonly Notification[]): string {
  const receivedCalls = received.map(
    ({ body, call }) => `${(body as { event?: string } | undefined)?.event ?? '?'} (call ${call})`,
  );
  return `${wanted} notifications were expected at ${url}, and ${found} were received. All received: ${receivedCalls.join(', ') || 'none'}.`;
}

const success = JSON.stringify({ returnCode: 'SUCCESS' });

function sendReply(response: ServerResponse, reply: Reply): void {
  if (reply.kind === 'own') reply.send(response);
  else if (reply.kind === 'status') response.writeHead(reply.status).end(reply.body ?? '');
  else response.writeHead(200, { 'content-type': 'application/json' }).end(success);
}
