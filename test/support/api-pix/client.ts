import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalBank } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { violationsOf } from './bcb/judge.ts';

// A plain client of the bank: what a partner of Efí would write with Node alone.

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies are whatever the bank says
type Body = any;
type Answer = { readonly status: number; readonly body: Body; readonly type: string };
type Access = Pick<LocalBank, 'apiUrl' | 'tokenUrl' | 'caFile'> & { readonly client: LocalBank['client'] };

/** One call over mTLS. */
export async function call(
  { caFile, client }: Access,
  method: string,
  url: string,
  { body, headers = {}, certificate = true }: { body?: unknown; headers?: object; certificate?: boolean } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const outgoing = request(url, {
    method,
    headers: { ...(text !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    agent: new Agent({
      ca: readFileSync(caFile),
      ...(certificate && { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) }),
    }),
  });
  outgoing.on('error', reject);
  outgoing.on('response', (response) => {
    response.toArray().then((chunks) => {
      const read = Buffer.concat(chunks as Buffer[]).toString();
      const type = response.headers['content-type'] ?? '';
      resolve({ status: response.statusCode ?? 0, body: type.includes('json') ? JSON.parse(read) : read, type });
    }, reject);
  });
  outgoing.end(text);
  return promise;
}

export async function takeToken(access: Access): Promise<Answer> {
  const { id, secret } = access.client;
  const headers = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
  return call(access, 'POST', access.tokenUrl, { headers, body: { grant_type: 'client_credentials' } });
}

/**
 * Calls with a token: `api('GET', '/v2/gn/saldo')`. Each call and its answer are held to BCB's file.
 *
 * @throws Error for what breaks it.
 */
export async function connect(access: Access) {
  const token = await takeToken(access);
  const headers = { Authorization: `Bearer ${token.body.access_token}` };
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await call(access, method, `${access.apiUrl}${path}`, { headers, body });
    const { status, type } = response;
    // Those that the file does not have: a certificate or token that is not let in, too many calls, a garbled answer.
    const isNamed = ![401, 429].includes(status) && type !== 'text/html';
    const broken = isNamed ? violationsOf({ method, path, body, status, type, response: response.body }) : [];
    if (broken.length > 0) throw new Error(`BCB's file of API Pix is broken:\n${broken.join('\n')}`);
    return response;
  };
}

/** Asks the control surface. */
export async function control(bank: Pick<LocalBank, 'controlUrl'>, name: string, body: object = {}): Promise<Body> {
  const response = await fetch(`${bank.controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) });
  const read: Body = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(read)}`);
  return read;
}

/** The day on which tests open the bank. */
const today = '2030-01-15';

/** A bank in a folder of its own, which goes with it. It is noon there: no test crosses a midnight. */
export async function openLocalBank() {
  const dir = await mkdtemp(join(tmpdir(), 'bank-'));
  const bank = await startLocalBank({ dir });
  await control(bank, 'clock', { now: `${today}T15:00:00Z` });
  return {
    bank,
    api: await connect(bank),
    chave: bank.client.accounts[0]!.chave,
    dir,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await bank.close();
      await rm(dir, { recursive: true });
    },
  };
}

/** One member of each item of a list in a body. */
export const membersOf = (items: Body, name: string): string[] =>
  (items as readonly Record<string, unknown>[]).map((item) => String(item[name]));

let counter = 0;
/** A txid, or any other id of the client: every call another one. */
export const newId = (): string => `${Date.now().toString(36)}${(counter += 1)}`.padStart(32, 'a');

/** The day so many days after that on which tests open the bank. */
export const daysFromNow = (days: number): string => plusDays(today, days);

/** A window with everything. */
export const window = 'inicio=2020-01-01T00:00:00Z&fim=2090-01-01T00:00:00Z';
