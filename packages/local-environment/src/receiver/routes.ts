import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { Detail } from '#shared/core/errors.ts';
import type { SideRoute, SideRoutes, HttpResponse } from '@banking-order/cdk-local';
import { jsonResponse } from '@banking-order/cdk-local';
import type { Received, Reply } from './inboxes.ts';
import { createInboxes, success, readScript } from './inboxes.ts';
import type { Judgement, Signer } from './signatures.ts';
import { judge } from './signatures.ts';

const place = /^\/receiver(?:\/(?<inbox>[\w.-]{1,64})(?<below>\/.*)?)?$/u;

const longestWaitSeconds = 30;
const lookEveryMs = 20;

type ReceiverOptions = {
  readonly baseUrl: string;
  /** All companies with their current secrets. */
  readonly secrets: () => Promise<readonly Signer[]>;
};

/**
 * Creates a partner's receiver that responds by a script. For any name, `{baseUrl}/receiver/{name}` and every path
 * below it can be registered as a `webhookUrl` or as an endpoint.
 *
 * | Request                   | Does                                                                    |
 * |---------------------------|-------------------------------------------------------------------------|
 * | `POST /receiver/{name}`   | accepts a notification and responds by the script; without one, 200     |
 * | `PUT /receiver/{name}`    | sets the script `{ replies: [...] }`: the n-th call of each             |
 * |                           | `webhook-id` gets the n-th reply, later calls the last one              |
 * | `GET /receiver/{name}`    | shows the requests: exact bytes, and the outcome of the signature check |
 * | … `?wait=10&count=2`      | the same, when there are two requests or ten seconds are over           |
 * | `DELETE /receiver/{name}` | deletes the requests and the script                                     |
 * | `GET /receiver`           | lists the addresses in use                                              |
 */
export function createReceiver({ baseUrl, secrets }: ReceiverOptions): SideRoutes {
  const inboxes = createInboxes();
  const judgeArrival = judgeWith(secrets);
  const urlOf = (inbox: string): string => `${baseUrl}/receiver/${inbox}`;
  const viewOf = (inbox: string): HttpResponse =>
    jsonResponse(200, {
      name: inbox,
      url: urlOf(inbox),
      replies: inboxes.repliesOf(inbox),
      received: inboxes.receivedBy(inbox).map(receivedView),
    });
  const routes: Readonly<Record<string, (inbox: string, message: IncomingMessage) => SideRoute>> = {
    POST: (inbox, message) => async (raw) => {
      const { url: path = '', headers } = message;
      const arrival = { at: Date.now(), headers, raw };
      const reply = inboxes.take({ ...arrival, inbox, path, judgement: await judgeArrival(arrival) });
      return respondWith(reply, message);
    },
    PUT: (inbox) => (body) => {
      const script = readScript(body);
      if ('details' in script) return errorResponse(400, 'The script is not valid.', script.details);
      if (inboxes.script(inbox, script.replies)) return viewOf(inbox);
      return errorResponse(409, 'Too many inboxes have a script. DELETE an inbox that you no longer need.');
    },
    GET: (inbox, { url = '', socket }) => {
      const { seconds, count } = waitOf(url);
      const enough = (): boolean => socket.destroyed || inboxes.receivedBy(inbox).length >= count;
      return async () => {
        for (let waited = 0; waited < seconds * 1000 && !enough(); waited += lookEveryMs) await sleep(lookEveryMs);
        return viewOf(inbox);
      };
    },
    DELETE: (inbox) => () => {
      inboxes.forget(inbox);
      return viewOf(inbox);
    },
  };
  return (message) => {
    const { method = '', url = '' } = message;
    const found = place.exec(url.split('?')[0] ?? '')?.groups;
    if (found === undefined) return undefined;
    const { inbox, below } = found;
    if (inbox === undefined)
      return () => (method === 'GET' ? jsonResponse(200, { inboxes: inboxes.names().map(urlOf) }) : unknown());
    if (below !== undefined && method !== 'POST') return unknown;
    return routes[method]?.(inbox, message) ?? unknown;
  };
}

/** Reads `?wait=10&count=2`: the response waits until the inbox has 2 requests or 10 seconds are over. */
function waitOf(url: string): { readonly seconds: number; readonly count: number } {
  const { searchParams } = new URL(url, 'http://receiver');
  const [seconds, count] = [searchParams.get('wait'), searchParams.get('count')].map(Number);
  return { seconds: Math.min(seconds ?? 0, longestWaitSeconds), count: count === 0 ? 1 : (count ?? 1) };
}

/** Judges a call with the secrets that were read last. Reads them again only if they do not verify the call. */
function judgeWith(secrets: ReceiverOptions['secrets']): (call: Parameters<typeof judge>[0]) => Promise<Judgement> {
  let known: readonly Signer[] = [];
  return async (call) => {
    const judgement = judge(call, known);
    if (judgement.verified) return judgement;
    known = await secrets();
    return judge(call, known);
  };
}

async function respondWith(reply: Reply, { socket }: IncomingMessage): Promise<HttpResponse | undefined> {
  if (reply.reset === true) socket.resetAndDestroy();
  // Waits until the caller closes the connection.
  if (reply.hang === true && !socket.destroyed) await once(socket, 'close');
  if (reply.reset === true || reply.hang === true) return undefined;
  await sleep(reply.slow ?? 0);
  if (reply.redirect !== undefined) return { status: 302, headers: { Location: reply.redirect }, body: Buffer.of() };
  const body = reply.body ?? (reply.slow === undefined ? '' : success);
  return { status: reply.status ?? 200, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(body) };
}

function receivedView(received: Received): Readonly<Record<string, unknown>> {
  const { path, headers, raw, call, reply, judgement } = received;
  const request = {
    at: instantFromEpochMs(received.at),
    path,
    webhookId: headers['webhook-id'] ?? null,
    call,
    headers,
  };
  // `body` is for people to read, `bytes` for computing a signature.
  return { ...request, ...judgement, reply, body: raw.toString('utf8'), bytes: raw.toString('base64') };
}

function errorResponse(status: number, message: string, details: readonly Detail[] = []): HttpResponse {
  return jsonResponse(status, { error: status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST', message, details });
}

function unknown(): HttpResponse {
  return errorResponse(404, 'The receiver supports POST, PUT, GET and DELETE /receiver/{name}, and GET /receiver.');
}
