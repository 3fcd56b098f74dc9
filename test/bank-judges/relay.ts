import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlainServer, request as plainRequest } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LocalBank } from '@banking-order/fake-bank';
import { openAuthority } from '@banking-order/fake-bank';

/** A call to the bank and its answer, as they went over the wire. */
export type Exchange = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly asked: string;
  readonly status: number;
  readonly answered: string;
};

type Target = (path: string) => { readonly url: string; readonly agent?: Agent };

/**
 * Passes calls on to the bank with its client's certificate: programs that speak no mTLS are put before it.
 *
 * @returns the address, plain HTTP
 */
export function openBackRelay(bank: LocalBank) {
  const agent = clientAgent(bank);
  const target: Target = (path) => ({ url: `${bank.apiUrl}${path}`, agent });
  return listen(createPlainServer(relay(target, () => undefined)), 'http');
}

/**
 * Stands where a client of the bank calls, over TLS with a certificate of the bank's authority. What `judge` takes goes
 * through the judge at that address, all else straight to the bank.
 *
 * @param dir The bank's folder.
 */
export function openFrontRelay(bank: LocalBank, dir: string, judge: (path: string) => string | undefined) {
  const exchanges: Exchange[] = [];
  const { cert, key } = openAuthority(`${dir}/certificates`).issue('relay', 'localhost');
  const agent = clientAgent(bank);
  const target: Target = (path) => {
    const url = judge(path);
    return url === undefined ? { url: `${bank.apiUrl}${path}`, agent } : { url };
  };
  const keep = (one: Exchange): void => void exchanges.push(one);
  return listen(createServer({ cert, key }, relay(target, keep)), 'https').then((open) => ({ ...open, exchanges }));
}

function clientAgent({ client, caFile }: LocalBank): Agent {
  const read = (file: string): Buffer => readFileSync(file);
  return new Agent({ ca: read(caFile), cert: read(client.certFile), key: read(client.keyFile), keepAlive: true });
}

function relay(target: Target, keep: (exchange: Exchange) => void) {
  return (message: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url: path = '' } = message;
    const pass = async (): Promise<void> => {
      const asked = await textOf(message);
      const { url, agent } = target(path);
      const answer = await ask(url, { method, agent, headers: withoutHops(message.headers) }, asked);
      const answered = await textOf(answer);
      const status = answer.statusCode ?? 502;
      keep({ method, path, asked, status, answered });
      response.writeHead(status, withoutHops(answer.headers)).end(answered);
    };
    pass().catch((error: unknown) => response.writeHead(502).end(String(error)));
  };
}

type Asking = { readonly method: string; readonly agent: Agent | undefined; readonly headers: IncomingHttpHeaders };

async function ask(url: string, { agent, ...options }: Asking, body: string): Promise<IncomingMessage> {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...options.headers, ...length };
  const outgoing =
    agent === undefined ? plainRequest(url, { ...options, headers }) : request(url, { ...options, headers, agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(message: IncomingMessage): Promise<string> {
  return Buffer.concat((await message.toArray()) as Buffer[]).toString();
}

/** Headers that belong to one connection alone. */
function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const {
    host: _host,
    connection: _connection,
    'transfer-encoding': _coding,
    'content-length': _length,
    ...rest
  } = headers;
  return rest;
}

async function listen(server: ReturnType<typeof createPlainServer> | ReturnType<typeof createServer>, scheme: string) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
