import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOf } from '../api/http.ts';

/** How a partner may answer a notification. */
export type Reply =
  | { readonly kind: 'ok' }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Answers after a while. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Breaks the connection. */
  | { readonly kind: 'reset' }
  /** 200 with a body of many megabytes. */
  | { readonly kind: 'megabytes'; readonly count: number };

/** A request to the receiver, with its exact bytes. */
export type Notification = {
  readonly at: number;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The body read as JSON; undefined if it is none. */
  readonly body: unknown;
  /** `webhook-id`. */
  readonly id: string;
  /** Which call of the same `webhook-id` this is, from 1. */
  readonly call: number;
  /** How it was answered. */
  readonly reply: Reply;
};

/** Whether a reply acknowledges a notification. */
export function isTaken(reply: Reply): boolean {
  if (reply.kind === 'status') return reply.status >= 200 && reply.status < 300;
  return reply.kind === 'ok' || reply.kind === 'slow' || reply.kind === 'megabytes';
}

/** One address of the receiver, and its notifications. */
export type Inbox = {
  readonly url: string;
  readonly received: readonly Notification[];
  /** The n-th call of each notification gets the n-th reply, later ones the last. At first: 200 and SUCCESS. */
  readonly reply: (...replies: Reply[]) => void;
  /**
   * Waits until `count` notifications fit.
   * @throws Error naming what came instead.
   */
  readonly until: (fits: (one: Notification) => boolean, count?: number, withinMs?: number) => Promise<Notification[]>;
};

export type Receiver = {
  readonly inbox: (name: string) => Inbox;
  readonly stop: () => Promise<void>;
};

const ok: Reply = { kind: 'ok' };
/** The query by which an inbox shows what came to it. */
const showing = 'received';
const megabyte = Buffer.alloc(1024 * 1024, ' ');
const defaultWithinMs = 20_000;
const lookEveryMs = 20;

/** A partner's webhook receiver on this machine, which can misbehave on purpose. */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const inboxes = new Map<string, ReturnType<typeof createInbox>>();
  const server = createServer((message, response) => {
    const [path = '', query] = (message.url ?? '').split('?');
    const inbox = inboxes.get(path);
    if (inbox !== undefined && query === showing) show(inbox, response);
    else if (inbox === undefined) response.writeHead(404).end();
    else void inbox.take(message, response);
  });
  // Loopback listens on loopback alone; an emulator in a container needs more.
  server.listen(0, host === '127.0.0.1' ? host : '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    inbox: (name) => {
      const path = `/${name}`;
      const inbox = inboxes.get(path) ?? createInbox(`http://${host}:${port}${path}`);
      inboxes.set(path, inbox);
      return inbox;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function show({ received }: Inbox, response: ServerResponse): void {
  const shown = received.map(({ raw, ...rest }) => ({ ...rest, raw: raw.toString('base64') }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown));
}

/** The notifications in an inbox of another process. */
export async function receivedAt(url: string): Promise<Notification[]> {
  const shown = (await (await fetch(`${url}?${showing}`)).json()) as (Notification & { readonly raw: string })[];
  return shown.map((one) => ({ ...one, raw: Buffer.from(one.raw, 'base64') }));
}

function createInbox(
  url: string,
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
    await answer(response, reply);
  };
  return {
    url,
    received,
    take,
    reply: (...wanted) => {
      replies = wanted;
    },
    until: async (fits, count = 1, withinMs = defaultWithinMs) => {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const found = received.filter(fits);
        if (found.length >= count) return found;
        if (Date.now() > deadline) throw new Error(missing(url, count, found.length, received));
        await sleep(lookEveryMs);
      }
    },
  };
}

function missing(url: string, wanted: number, found: number, received: readonly Notification[]): string {
  const came = received.map(
    ({ body, call }) => `${(body as { event?: string } | undefined)?.event ?? '?'} (call ${call})`,
  );
  return `${wanted} notifications were awaited at ${url} and ${found} of them came. Received in all: ${came.join(', ') || 'nothing'}.`;
}

async function answer(response: ServerResponse, reply: Reply): Promise<void> {
  const success = JSON.stringify({ returnCode: 'SUCCESS' });
  switch (reply.kind) {
    case 'ok':
      response.writeHead(200, { 'content-type': 'application/json' }).end(success);
      return;
    case 'status':
      response.writeHead(reply.status).end(reply.body ?? '');
      return;
    case 'redirect':
      response.writeHead(302, { location: reply.to }).end();
      return;
    case 'hang':
      return;
    case 'slow':
      await sleep(reply.milliseconds);
      response.writeHead(200, { 'content-type': 'application/json' }).end(success);
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'megabytes':
      response.on('error', () => undefined);
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let sent = 0; sent < reply.count && !response.destroyed; sent++)
        if (!response.write(megabyte)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      response.end();
  }
}
