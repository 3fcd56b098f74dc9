import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { callFromOutside, readCallerSecret, receiveNotification } from '@banking-order/partner-tools';
import { send } from '../support/client-http.ts';
import { environment, first } from './partners.ts';

const { baseUrl, tokenUrl, scope } = environment;
const { clientId, clientSecret } = first;
/** What AWS Secrets Manager keeps. The receiver alone knows the webhook secret that signs. */
const secretOf = (webhookSecret: string) =>
  readCallerSecret(JSON.stringify({ baseUrl, tokenUrl, scope, clientId, clientSecret, webhookSecret }));

/** The receiver's handler behind a server, as a function URL has it. */
function serveReceiver(secret: () => string) {
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const body = Buffer.concat(chunks).toString('base64');
      const headers = request.headers as Record<string, string>;
      const answer = receiveNotification({ headers, body, isBase64Encoded: true }, secret());
      statuses.push(answer.statusCode);
      response.writeHead(answer.statusCode).end(answer.body);
    });
  });
  return { server, statuses };
}

let secret = '';
const { server, statuses } = serveReceiver(() => secret);
beforeAll(async () => {
  server.listen(0, environment.receiverHost === '127.0.0.1' ? '127.0.0.1' : '0.0.0.0');
  await once(server, 'listening');
});
afterAll(async () => {
  await first.call(ReplaceWebhookSettings, { body: { events: [] } });
  server.closeAllConnections();
  server.close();
});

describe('the synthetic caller', () => {
  test('fails without an endpoint', async () => {
    await first.call(ReplaceWebhookSettings, { body: { events: [] } });
    await expect(callFromOutside(secretOf(''), send, 1_000)).rejects.toThrow('no active endpoint for PAYIN');
  });

  test('fails without a token, and names no secret', async () => {
    const wrong = { ...secretOf(''), clientSecret: 'wrong-secret' };
    await expect(callFromOutside(wrong, send, 1_000)).rejects.toThrow(/rejected the client (?!.*wrong-secret)/u);
  });

  test('ends when its receiver has acknowledged a signed notification', async () => {
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://${environment.receiverHost}:${port}/`;
    const { body } = await first.call(ReplaceWebhookSettings, { body: { events: [{ type: 'PAYIN', endpoint }] } });
    expect(body.events).toHaveLength(1);
    secret = first.webhookSecret;
    await callFromOutside(secretOf(secret), send, 20_000);
    // What other files left held comes here, too.
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('fails when its receiver cannot verify what comes', async () => {
    secret = 'whsec_b3RoZXI=';
    await expect(callFromOutside(secretOf(secret), send, 700)).rejects.toThrow(
      /^The test notification \S+ is PENDING/u,
    );
    await expect.poll(() => statuses).toContain(401);
    secret = first.webhookSecret;
  });
});

test('a secret that is not complete is named by its fields', () => {
  expect(() => readCallerSecret('{"clientSecret":"very-secret"}')).toThrow(/^(?!.*very-secret)/u);
  expect(() => readCallerSecret(undefined)).toThrow('The secret of the synthetic caller is not complete.');
});
