import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Certificate } from '../certificates.ts';
import { violate } from '../refusal.ts';
import type { Probe } from '../session.ts';
import { instantAt } from '../time.ts';

/**
 * Header in which a TLS-terminating front passes the subject of the client certificate. The bank sets it itself for a
 * plain HTTP address, which has no front.
 */
const subjectHeader = 'x-amzn-mtls-clientcert-subject';

/** The certificate of the callbacks, with its subject in API Gateway's form. */
export type Caller = Certificate & { readonly subject: string };

type More = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Time that the receiver has to respond; default: as at Efí. */
  readonly timeoutMs?: number;
};

/**
 * Calls an address of a client, with the bank's certificate or without.
 *
 * @returns The status; undefined without a response: handshake refused, timeout, no connection.
 */
export async function post(
  address: string,
  body: string,
  caller?: Caller,
  { headers: more = {}, timeoutMs = 60_000 }: More = {},
): Promise<number | undefined> {
  const url = new URL(address);
  const isTls = url.protocol === 'https:';
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(!isTls && caller !== undefined && { [subjectHeader]: caller.subject }),
    ...more,
  };
  const options = { method: 'POST', headers, timeout: timeoutMs };
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const outgoing = isTls
    ? requestTls(url, {
        ...options,
        ...(caller !== undefined && { cert: caller.cert, key: caller.key }),
        // A new connection for each call: the probe without certificate must not use a connection that has one.
        agent: false,
        // Certificates of this machine are not signed by a known authority.
        rejectUnauthorized: url.hostname !== '127.0.0.1' && url.hostname !== 'localhost',
      })
    : requestPlain(url, options);
  outgoing.on('response', (response) => {
    response.resume();
    response.on('close', () => {
      resolve(response.complete ? response.statusCode : undefined);
    });
  });
  outgoing.on('timeout', () => outgoing.destroy());
  outgoing.on('error', () => {
    resolve(undefined);
  });
  outgoing.end(body);
  return promise;
}

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/**
 * Returns the probe of an address, as at Efí: a request without certificate, which must be refused, then a request with
 * it, to the address without a suffix.
 */
export function probeWith(caller: Caller): Probe {
  return async (url, checksCertificate) => {
    const body = JSON.stringify({ evento: 'teste_webhook', data_criacao: instantAt(Date.now()) });
    const refuse = (razao: string) => violate('WebhookOperacaoInvalida', 'webhook.webhookUrl', razao, url);
    if (checksCertificate && isSuccess(await post(url, body)))
      throw refuse('A URL informada aceitou uma requisição sem certificado: ela não exige mTLS.');
    const status = await post(url, body, caller);
    if (!isSuccess(status))
      throw refuse(`A URL informada respondeu com o código HTTP ${status ?? 'nenhum'} à requisição com certificado.`);
  };
}
