import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Connected } from '#shared/bank/connected.ts';
import { connections } from '#shared/bank/connections.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { readConnection } from '#shared/bank/connection.ts';
import { report } from '#shared/bank/report.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import type { BankSecret } from '#shared/bank/dialects/efi/credentials.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { certificate, privateKey } from './bank-certificate.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

export const companyId = '11111111-1111-4111-8111-111111111111';
export const accountId = '22222222-2222-4222-8222-222222222222';

type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };
/** `'DROP'`: the request is taken and the connection broken. `'HANG'`: it is taken and never answered. */
export type Script = (request: Asked) => Reply | 'DROP' | 'HANG';
export type Asked = { readonly method: string; readonly path: string; readonly body: unknown; readonly bearer: string };

/**
 * A bank over real mTLS that answers as a test says, with an adapter's connection to it. Tokens are `token-1`, … ; a
 * call with another than the last is 401.
 */
export async function scriptedBank(script: Script, more: Partial<BankConnection> = {}) {
  const asked: Asked[] = [];
  const counts = { tokens: 0, handshakes: 0, resumed: 0, expiresIn: 3600 };
  let response = script;
  let tokenAnswer: Script | undefined;
  const server = createServer(
    { cert: certificate, key: privateKey, ca: certificate, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { method = '', url: path = '', headers } = request;
        const bearer = headers.authorization ?? '';
        const one = { method, path, body: text === '' ? undefined : (JSON.parse(text) as unknown), bearer };
        const reply = path === '/oauth/token' ? tokenReply(one) : replyTo(one);
        if (reply === 'DROP') request.socket.destroy();
        else if (reply !== 'HANG')
          response
            .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
            .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
      });
    },
  );
  server.on('secureConnection', (socket) => {
    counts.handshakes += 1;
    counts.resumed += socket.isSessionReused() ? 1 : 0;
  });
  const tokenReply = ({ bearer }: Asked): ReturnType<Script> => {
    if (bearer !== `Basic ${Buffer.from('id:a-client-secret').toString('base64')}`) return { status: 401 };
    counts.tokens += 1;
    if (tokenAnswer !== undefined) return tokenAnswer({ method: 'POST', path: '/oauth/token', body: {}, bearer });
    return {
      status: 200,
      body: { access_token: `token-${counts.tokens}`, expires_in: counts.expiresIn, scope: 'cob.read' },
    };
  };
  const replyTo = (one: Asked): ReturnType<Script> => {
    asked.push(one);
    return one.bearer === `Bearer token-${counts.tokens}` ? response(one) : { status: 401 };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = memoryStore();
  const connection: BankConnection = {
    id: connectionId,
    clientId: 'id',
    companyId,
    dialect: 'EFI',
    apiUrl,
    tokenUrl: `${apiUrl}/oauth/token`,
    secret: 'the-name-of-the-secret',
    callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
    accounts: {
      [accountId]: { chave: 'caixa@empresa.example', agencia: '0001', conta: '1234567', tipoConta: 'PAGAMENTO' },
    },
    createdAt: '2026-01-15T12:00:00.000Z',
    ...more,
  };
  await store.write(connectedItems(connection), 'connect');
  const secret: BankSecret = {
    clientId: 'id',
    clientSecret: 'a-client-secret',
    certificate,
    key: privateKey,
    authorities: certificate,
  };
  const clock = { now: '2026-01-15T12:00:00.000Z' };
  /** The bank of the company as one more process has it, by its connection as it is now. */
  const process = (text: string | (() => Promise<string | undefined>) = JSON.stringify(secret)) => {
    const known = knownConnections(store, false);
    const fetchSecret = typeof text === 'string' ? () => Promise.resolve(text) : text;
    const connect = connections({ store, known, now: () => clock.now, fetchSecret, allowLocal: true, report });
    return async (): Promise<Connected> => {
      const bank = await connect(companyId, connectionId);
      if (bank === undefined) throw new Error('The company is not connected.');
      return bank;
    };
  };
  return {
    ...{ asked, counts, store, clock, secret, process, apiUrl },
    connection: () => readConnection(store, companyId, connectionId),
    answers: (next: Script) => {
      response = next;
    },
    /** What the token endpoint says to the right client; undefined: a token. */
    tokenAnswers: (next: Script | undefined) => {
      tokenAnswer = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
    /** Closes it, and waits until its port is free. */
    closeNow: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export type ScriptedBank = Awaited<ReturnType<typeof scriptedBank>>;
