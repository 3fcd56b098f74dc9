import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { callbackViolations } from '#test/support/api-pix/bcb/judge.ts';
import { control, newId, openLocalBank } from '#test/support/api-pix/client.ts';

type Seen = { readonly path: string; readonly body: Record<string, unknown>; readonly subject: string | undefined };

/** A receiver on mTLS. Its own certificate is that of the bank's client: its subject is not checked on loopback. */
async function openReceiver(open: Awaited<ReturnType<typeof openLocalBank>>, more: ServerOptions = {}) {
  const { client, caFile } = open.bank;
  const seen: Seen[] = [];
  const statuses: number[] = [];
  const read = async (message: IncomingMessage): Promise<void> => {
    const body = JSON.parse(Buffer.concat((await message.toArray()) as Buffer[]).toString());
    const { socket } = message;
    const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
    seen.push({ path: message.url ?? '', body, subject: subject?.CN?.toString() });
  };
  const mutual = { requestCert: true, rejectUnauthorized: true, ca: readFileSync(caFile) };
  const identity = { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) };
  const server = createServer({ ...identity, ...mutual, ...more }, (message, response) => {
    void read(message).then(() => response.writeHead(statuses.shift() ?? 204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    statuses,
    [Symbol.dispose]: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const register = (open: Awaited<ReturnType<typeof openLocalBank>>, webhookUrl: string) =>
  open.api('PUT', `/v2/webhook/${open.chave}`, { webhookUrl });

test('an address is registered when it refuses the probe without certificate and takes that with it', async () => {
  await using open = await openLocalBank();
  using receiver = await openReceiver(open);
  expect((await register(open, `${receiver.url}/hook`)).status).toBe(200);
  expect(receiver.seen).toMatchObject([
    { path: '/hook', body: { evento: 'teste_webhook' }, subject: 'webhooks.banco-local.com.br' },
  ]);
  expect((await open.api('GET', `/v2/webhook/${open.chave}`)).body).toMatchObject({
    webhookUrl: `${receiver.url}/hook`,
  });
  expect((await open.api('DELETE', `/v2/webhook/${open.chave}`)).status).toBe(204);
  expect((await open.api('GET', `/v2/webhook/${open.chave}`)).status).toBe(404);
});

test('an address is refused when it accepts a probe without certificate, responds with 500, or does not respond', async () => {
  await using open = await openLocalBank();
  using receiver = await openReceiver(open, { requestCert: false, rejectUnauthorized: false });
  const lax = await register(open, receiver.url);
  expect([lax.status, lax.body.violacoes[0].razao]).toEqual([400, expect.stringContaining('sem certificado')]);
  receiver.statuses.push(403, 500);
  expect((await register(open, receiver.url)).body.violacoes[0].razao).toContain('500');
  expect((await register(open, 'https://127.0.0.1:1')).body.violacoes[0].razao).toContain('nenhum');
});

test('the bank sends events to the suffix of their kind, several in one call, and repeats a call until it is accepted', async () => {
  await using open = await openLocalBank();
  using receiver = await openReceiver(open);
  await register(open, `${receiver.url}/t`);
  await open.api('PUT', '/v2/webhookrec', { webhookUrl: `${receiver.url}/t` });
  receiver.seen.length = 0;
  await control(open.bank, 'callbacks', { retryMs: [1, 1] });
  receiver.statuses.push(500, 500);
  const txid = newId();
  await open.api('PUT', `/v2/cob/${txid}`, { calendario: {}, valor: { original: '1.00' }, chave: open.chave });
  await control(open.bank, 'pay', { txid, times: 2 });
  await control(open.bank, 'pay', { chave: open.chave, valor: '1.00' });
  await expect.poll(() => receiver.seen).toHaveLength(3);
  expect(receiver.seen.map(({ path }) => path)).toEqual(Array(3).fill('/t/pix'));
  expect(receiver.seen[2]!.body).toMatchObject({ pix: [{ txid }, { txid }] });
  expect(callbackViolations('WebhookPixBody', receiver.seen[2]!.body)).toEqual([]);

  const { idRec } = (
    await open.api('POST', '/v2/rec', {
      vinculo: { contrato: 'c', devedor: { cpf: '52998224725', nome: 'Maria Souza' } },
      calendario: { dataInicial: '2030-02-01', periodicidade: 'MENSAL' },
      politicaRetentativa: 'NAO_PERMITE',
    })
  ).body;
  await control(open.bank, 'authorize', { idRec });
  await expect
    .poll(() => receiver.seen.at(-1))
    .toMatchObject({ path: '/t/rec', body: { recs: [{ idRec, status: 'APROVADA' }] } });
  expect(callbackViolations('WebhookRecBody', receiver.seen.at(-1)!.body)).toEqual([]);
});

test('the bank sends waiting callbacks immediately to a new address that replaces theirs', async () => {
  await using open = await openLocalBank();
  const txid = newId();
  {
    using previousReceiver = await openReceiver(open);
    await register(open, previousReceiver.url);
  }
  await open.api('PUT', `/v2/cob/${txid}`, { calendario: {}, valor: { original: '1.00' }, chave: open.chave });
  await control(open.bank, 'pay', { txid });
  await expect.poll(() => control(open.bank, 'callbacks', {})).toMatchObject({ waiting: 1 });
  using receiver = await openReceiver(open);
  await register(open, receiver.url);
  await expect.poll(() => receiver.seen.at(-1)).toMatchObject({ path: '/pix', body: { pix: [{ txid }] } });
});

test('the code of a failed payout is in its callback; callbacks come doubled, or never, or forged', async () => {
  await using open = await openLocalBank();
  using receiver = await openReceiver(open);
  await register(open, `${receiver.url}/t?ignorar=`);
  receiver.seen.length = 0;
  await control(open.bank, 'callbacks', { copies: 2, bundle: 1 });
  const [notified, untold] = [newId(), newId()];
  const body = { valor: '1.00', pagador: { chave: open.chave }, favorecido: { chave: 'loja@exemplo.com.br' } };
  for (const id of [notified, untold]) await open.api('PUT', `/v2/gn/pix/${id}`.replace('v2', 'v3'), body);
  await control(open.bank, 'settle-payout', { idEnvio: notified, status: 'NAO_REALIZADO', codigo: 'AC07' });
  await expect.poll(() => receiver.seen).toHaveLength(2);
  // The suffix is what the address ends with, which `?ignorar=` swallows.
  expect(receiver.seen[0]).toMatchObject({
    path: '/t?ignorar=/pix',
    body: { pix: [{ tipo: 'SOLICITACAO', gnExtras: { idEnvio: notified, erro: { codigo: 'AC07' } } }] },
  });
  await control(open.bank, 'callbacks', { none: true });
  await control(open.bank, 'settle-payout', { idEnvio: untold });
  expect(await control(open.bank, 'callbacks', {})).toMatchObject({ waiting: 0 });
  const forged = { url: `${receiver.url}/t`, body: { pix: [{ endToEndId: 'E' }] } };
  expect(await control(open.bank, 'forge', forged)).toEqual({ status: 204 });
  expect(await control(open.bank, 'forge', { ...forged, certificate: false })).toEqual({});
  expect(receiver.seen).toHaveLength(3);
});
