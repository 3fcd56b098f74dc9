import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { InvokeOutcome } from '@banking-order/cdk-local';
import { readProxyResponse } from '@banking-order/cdk-local';
import type { Authority } from '@banking-order/fake-bank';
import { subjectOf } from '@banking-order/fake-bank';

/**
 * Serves the address that banks call, in place of API Gateway (infra/aws/constructs/callback-api.ts). Requires a
 * certificate of the bank's authority, and invokes the function with the fields of API Gateway's event that it reads.
 *
 * @param invoke The function `receive-callbacks`.
 */
export async function serveCallbacks(authority: Authority, invoke: (event: object) => Promise<InvokeOutcome>) {
  const { cert, key } = authority.issue('callbacks', 'localhost');
  const ca = authority.certificate.cert;
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (message, response) => {
    void handleCallback(message, response, invoke);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function handleCallback(
  message: IncomingMessage,
  response: ServerResponse,
  invoke: (event: object) => Promise<InvokeOutcome>,
): Promise<void> {
  const chunks = (await message.toArray()) as Buffer[];
  const [, token, list, ...more] = (message.url ?? '').split(/[/?]/u);
  const peer = message.socket instanceof TLSSocket ? message.socket.getPeerX509Certificate() : undefined;
  if (message.method !== 'POST' || more.length > 0 || peer === undefined) {
    response.writeHead(403).end('{}');
    return;
  }
  const outcome = await invoke({
    pathParameters: { token, ...(list !== undefined && { list }) },
    body: Buffer.concat(chunks).toString('utf8'),
    isBase64Encoded: false,
    requestContext: { identity: { clientCert: { subjectDN: subjectOf(peer.toString()) } } },
  });
  const proxyResponse = outcome.ok ? readProxyResponse(outcome.payload) : undefined;
  response.writeHead(proxyResponse?.status ?? 502, proxyResponse?.headers).end(proxyResponse?.body ?? '{}');
}
