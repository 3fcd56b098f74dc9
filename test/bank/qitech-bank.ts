import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach } from 'vitest';
import type { Connected } from '#shared/bank/connected.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { certificate, privateKey } from './bank-certificate.ts';
import { accountId, companyId } from './scripted-bank.ts';

const own = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
export const { publicKey } = own;
export const ownPem = own.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
export const clientId = '1331a7e0-3212-4123-8102-231acaa2a312';
export const accountKey = 'fc6862c4-2b20-4057-8063-b8809866e494';
export const now = '2026-01-15T12:00:00.000Z';

type Asked = { readonly method: string; readonly path: string; readonly text: string };
/** `text`: as it is sent. `'DROP'`: the request is taken and the connection broken. */
export type Reply = { readonly status: number; readonly text: string } | 'DROP';
type Script = (asked: Asked) => Reply;

export const reply = (status: number, body: unknown): Reply => ({ status, text: JSON.stringify(body) });
export const problem = (status: number, code: string, description = 'x'): Reply =>
  reply(status, { title: 'x', description, translation: description, code });

/** The claims of a request, checked by another implementation of ES512 than ours, over the bytes that were received. */
async function checkedClaims({ method, path, text }: Asked, token: string) {
  const { payload } = await jwtVerify(token, publicKey, { algorithms: ['ES512'] });
  const digest = createHash('md5')
    .update(text === '' ? '{}' : text)
    .digest('hex');
  const isOwn = payload['payload_md5'] === digest && payload['method'] === method && payload['uri'] === path;
  if (!isOwn || typeof payload['timestamp'] !== 'string') throw new Error('The token is of another request.');
  return payload['timestamp'];
}

/**
 * A QI Tech over real TLS that answers as a test says, and refuses a request with another signature than its own. Each
 * test gets its own.
 */
export function useQitechBank() {
  const used = {
    asked: [] as Asked[],
    timestamps: [] as string[],
    misled: [] as string[],
    unknown: [] as string[],
  } as {
    readonly asked: Asked[];
    readonly timestamps: string[];
    readonly misled: string[];
    readonly unknown: string[];
    answers: (script: Script) => void;
    connected: Connected;
  };
  let script: Script = () => reply(500, {});
  used.answers = (next) => void (script = next);
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, text: Buffer.concat(chunks).toString() };
      const known = headers['api-client-key'] === clientId;
      const check = known ? checkedClaims(one, headers.authorization ?? '') : Promise.reject(new Error('Unknown.'));
      check.then(
        (timestamp) => {
          used.asked.push(one);
          used.timestamps.push(timestamp);
          const answer = script(one);
          if (answer === 'DROP') request.socket.destroy();
          else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
        },
        () => response.writeHead(401).end('{"title":"QI Unauthenticated","code":"GDF000014"}'),
      );
    });
  });
  beforeEach(async () => {
    for (const list of [used.asked, used.timestamps, used.misled, used.unknown]) list.length = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    used.connected = await connectTo({ apiUrl, key: ownPem, clientId, accountKey, authorities: certificate }, used);
  });
  afterEach(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
  return used;
}

type Place = {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly accountKey: string;
  /** Our key, and the authority of the server's certificate, PEM. */
  readonly key: string;
  readonly authorities: string;
};
type Heard = { readonly misled: string[]; readonly unknown: string[] };

/** The company's bank at this address, with one account. */
export async function connectTo(
  { apiUrl, clientId: id, accountKey: account, ...secret }: Place,
  heard: Heard,
  clock = () => now,
): Promise<Connected> {
  const store = memoryStore();
  const connection: BankConnection = {
    ...({ id: connectionId, companyId, dialect: 'QITECH', apiUrl, secret: 'name', createdAt: now } as const),
    clientId: id,
    callback: { tokenHash: 'f'.repeat(64) },
    accounts: { [accountId]: { accountKey: account } },
  };
  await store.write(connectedItems(connection), 'connect');
  const connect = connections({
    ...{ store, known: knownConnections(store, false), now: clock, allowLocal: true },
    fetchSecret: () => Promise.resolve(JSON.stringify({ clientId: id, ...secret })),
    report: (name, { fields = '', field = '', value = '' }) => {
      if (name === 'AnswersAboutOthers') heard.misled.push(fields);
      if (name === 'BankValuesUnknown') heard.unknown.push(`${field} ${value}`);
    },
  });
  const connected = await connect(companyId, connectionId);
  if (connected === undefined) throw new Error('The company is not connected.');
  return connected;
}
