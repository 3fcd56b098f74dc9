import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Certificate } from '../certificates.ts';
import { violate } from '../refusal.ts';
import type { Probe } from '../session.ts';
import { instantAt } from '../time.ts';

/** How long a receiver may take, as at Efí. */
const timeoutMs = 60_000;

/**
 * Header in which a front that ends TLS tells the certificate's subject: the bank writes it itself where the address is
 * plain HTTP on loopback, since there is no front.
 */
const subjectHeader = 'x-amzn-mtls-clientcert-subject';

/** The certificate of the callbacks, with its subject as API Gateway tells it. */
export type Caller = Certificate & { readonly subject: string };

/**
 * Calls an address of a client, with the bank's certificate or without.
 *
 * @returns The status; undefined when there was no answer: handshake refused, timeout, no connection.
 */
export async function post(address: string, body: string, caller?: Caller): Promise<number | undefined> {
  const url = new URL(address);
  const isTls = url.protocol === 'https:';
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(!isTls && caller !== undefined && { [subjectHeader]: caller.subject }),
  };
  const options = { method: 'POST', headers, timeout: timeoutMs };
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const outgoing = isTls
    ? requestTls(url, {
        ...options,
        ...(caller !== undefined && { cert: caller.cert, key: caller.key }),
        // A connection of its own: one that was opened with the certificate must not serve the probe without it.
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
 * Efí's examination of an address: a request without certificate, which must be refused, then one with it, to the
 * address without a suffix.
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
