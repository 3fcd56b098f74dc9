import { afterEach, expect, test } from 'vitest';
import { judge } from '#shared/bank/dialects/efi/response.ts';
import { parseSecret } from '#shared/bank/dialects/efi/credentials.ts';
import { keptSecret } from '#shared/bank/secret.ts';
import { collectErrors } from '../support/logged.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';
import type { ScriptedBank } from './scripted-bank.ts';

let server: ScriptedBank | undefined;
afterEach(() => server?.close());

async function open(script: Parameters<typeof scriptedBank>[0]) {
  server = await scriptedBank(script);
  const bank = await server.process()();
  return { server, bank, client: bank.client };
}
const ask = { method: 'GET', path: '/v2/cob/1' } as const;

test.each([
  ['a success', 200, { a: 1 }, 'OK'],
  ['a success whose body is no JSON', 200, undefined, 'UNKNOWN'],
  [
    'a definite violation',
    400,
    {
      type: 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida',
      violacoes: [{ razao: 'O campo chave é inválido.' }],
    },
    'REFUSED',
  ],
  ['a violation of Efí', 400, { nome: 'valor_invalido', mensagem: 'Saldo insuficiente.' }, 'REFUSED'],
  ['a PIX key that does not exist', 404, { nome: 'chave_favorecido_nao_encontrada', mensagem: '-' }, 'REFUSED'],
  [
    'a repetition of a cobr',
    400,
    { type: 'x/CobROperacaoInvalida', violacoes: [{ razao: 'O txid encontra-se em uso.' }] },
    'UNKNOWN',
  ],
  [
    'a repetition of a devolução',
    400,
    { type: 'x/PixDevolucaoInvalida', violacoes: [{ razao: 'O id já foi utilizado.' }] },
    'UNKNOWN',
  ],
  ['a repetition of a payout', 409, { nome: 'id_envio_duplicado', mensagem: '-' }, 'UNKNOWN'],
  ['a duplicate that is no 409', 400, { nome: 'id_envio_duplicado', mensagem: '-' }, 'UNKNOWN'],
  [
    'a new attempt that exists',
    400,
    { type: 'x/CobROperacaoInvalida', detail: 'Há tentativa vigente para a data.' },
    'UNKNOWN',
  ],
  ['a cob that has ended', 400, { type: 'x/CobOperacaoInvalida', detail: 'A cobrança não está ATIVA.' }, 'UNKNOWN'],
  [
    'a location that has a rec',
    400,
    { type: 'x/RecOperacaoInvalida', detail: 'A location já está sendo utilizada.' },
    'UNKNOWN',
  ],
  ['a 400 without a code', 400, { message: 'Bad Request' }, 'UNKNOWN'],
  ['a 404 of a gateway', 404, undefined, 'UNKNOWN'],
  ['401', 401, {}, 'NOT_NOW'],
  ['403', 403, { type: 'x/AcessoNegado' }, 'NOT_NOW'],
  ['429', 429, {}, 'NOT_NOW'],
  ['500', 500, { type: 'x/ErroInternoDoServidor' }, 'UNKNOWN'],
  ['503', 503, { type: 'x/ServicoIndisponivel' }, 'UNKNOWN'],
  ['an unknown status', 418, { type: 'x/Teapot' }, 'UNKNOWN'],
])('a command has the outcome of its table after %s', (_name, status, body, is) => {
  expect(judge({ status, body }).is).toBe(is);
});

test('one token serves all concurrent calls, and is renewed before it expires', async () => {
  const { server, client } = await open(() => ({ status: 200, body: {} }));
  server.counts.expiresIn = 0.2;
  await Promise.all(Array.from({ length: 20 }, () => client.command(ask)));
  expect(server.counts.tokens).toBe(1);
  server.counts.expiresIn = 3600;
  const tokensAfterCalls = async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.command(ask)));
    return server.counts.tokens;
  };
  await expect.poll(tokensAfterCalls).toBe(2);
  expect(await tokensAfterCalls()).toBe(2);
});

test('a 401 fetches a fresh token once for all concurrent calls', async () => {
  const { server, client } = await open(() => ({ status: 200, body: {} }));
  await client.command(ask);
  // The bank forgets the token.
  server.counts.tokens = 7;
  const verdicts = await Promise.all(Array.from({ length: 5 }, () => client.command(ask)));
  expect(verdicts.map(({ is }) => is)).toEqual(Array.from({ length: 5 }, () => 'OK'));
  expect(server.counts.tokens).toBe(8);
  server.answers(() => ({ status: 401, body: {} }));
  const before = server.asked.length;
  expect(await client.command(ask)).toMatchObject({ is: 'NOT_NOW' });
  expect(server.asked.length - before).toBe(2);
});

test('connections and TLS sessions are kept', async () => {
  const { server, client } = await open(() => ({ status: 200, body: {} }));
  for (let call = 0; call < 5; call += 1) await client.command(ask);
  expect(server.counts.handshakes).toBe(1);
});

test.each([
  ['a request for a token', '/oauth/token'],
  ['a bank call', '/v2/cob/1'],
])('the response to %s is accepted with headers of 200 KiB', async (_name, path) => {
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x-policy-${at}`, 'x'.repeat(4096)]));
  const { server: bank, client } = await open(() => ({
    ...{ status: 200, body: { a: 1 } },
    ...(path !== '/oauth/token' && { headers }),
  }));
  if (path === '/oauth/token')
    bank.tokenAnswers(() => ({ status: 200, body: { access_token: 'token-1', expires_in: 3600 }, headers }));
  expect(await client.command(ask)).toEqual({ is: 'OK', body: { a: 1 } });
});

test('a head above 256 KiB is no answer: the command may be carried out', async () => {
  const headers = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`x-policy-${at}`, 'x'.repeat(4096)]));
  const { client } = await open(() => ({ status: 200, body: { a: 1 }, headers }));
  expect(await client.command(ask)).toMatchObject({ is: 'UNKNOWN' });
});

test('a command is UNKNOWN when the connection breaks after the request, and NOT_NOW when none is established', async () => {
  const { server, client } = await open(() => 'DROP');
  expect(await client.command(ask)).toEqual({ is: 'UNKNOWN' });
  await server.closeNow();
  expect(await client.command(ask)).toMatchObject({ is: 'NOT_NOW', cause: expect.stringContaining('ECONN') as string });
});

test('a call that hangs is aborted by its signal, and is UNKNOWN', async () => {
  const over = new AbortController();
  const { client } = await open(() => {
    over.abort();
    return 'HANG';
  });
  expect(await client.command({ ...ask, signal: over.signal })).toEqual({ is: 'UNKNOWN' });
});

test('a command is NOT_NOW when the bank does not accept the certificate of the client', async () => {
  const { server } = await open(() => ({ status: 200, body: {} }));
  const { certificate, privateKey } = await import('../webhooks/receiver-certificate.ts');
  const stranger = JSON.stringify({ ...server.secret, certificate, key: privateKey });
  const bank = await server.process(stranger)();
  expect(await bank.client.command(ask)).toMatchObject({ is: 'NOT_NOW' });
  expect(server.asked).toEqual([]);
});

test('a command is NOT_NOW, without a request, when the secret is malformed, and its cause does not show the secret', async () => {
  const { server } = await open(() => ({ status: 200, body: {} }));
  for (const text of ['{"clientId":"id","clientSecret":"hush"}', 'hush']) {
    const bank = await server.process(text)();
    const verdict = await bank.client.command(ask);
    expect(verdict).toMatchObject({ is: 'NOT_NOW' });
    expect(JSON.stringify(verdict)).not.toContain('hush');
  }
  expect(server.asked).toEqual([]);
});

test('a missing secret is named in the error', async () => {
  await expect(keptSecret('bank/of-a-company', () => Promise.resolve(undefined), parseSecret)(false)).rejects.toThrow(
    'The secret bank/of-a-company does not exist.',
  );
});

test('refused access and a pause are reported with their company; a single failure is not', async () => {
  const errors = collectErrors();
  const { client } = await open(() => ({ status: 403 }));
  await client.command(ask);
  server?.answers(() => ({ status: 500 }));
  await client.command(ask);
  expect(errors).toMatchObject([{ message: 'Bank refused the access of a company', companyId, cause: 'status 403' }]);
  server?.answers(() => ({ status: 429 }));
  await client.command(ask);
  expect(errors.slice(1)).toMatchObject([{ message: 'Service paused its calls to a bank', companyId }]);
});

test('a 429 pauses the connection for all processes, for the seconds of its Retry-After', async () => {
  const { server, client } = await open(() => ({ status: 429, headers: { 'retry-after': '7' } }));
  expect(await client.command(ask)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 7 });
  const other = await server.process()();
  expect(await other.client.command(ask)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 7 });
  await expect(other.client.query(ask)).rejects.toMatchObject({ name: 'BankUnavailable', retryAfterSeconds: 7 });
  expect(server.asked).toHaveLength(1);
});

test('failures pause the connection only when three come in a row, without a success between them', async () => {
  const statuses = [503, 503, 200, 503, 503, 200, 503, 503, 503];
  let calls = 0;
  const { server, client } = await open(() => ({ status: statuses[calls++] ?? 500, body: {} }));
  for (let asked = 0; asked < 8; asked += 1) await client.command(ask);
  expect((await server.connection())?.paused).toBeUndefined();
  await client.command(ask);
  expect((await server.connection())?.paused).toMatchObject({ failures: 1 });
  expect(calls).toBe(9);
});

test('three failures in a row pause it for 1, 2, 4 … 60 seconds; one probe goes, and an answer ends the pause', async () => {
  const { server, client } = await open(() => ({ status: 503 }));
  await client.command(ask);
  await client.command(ask);
  expect((await server.connection())?.paused).toBeUndefined();
  await client.command(ask);
  expect((await server.connection())?.paused).toMatchObject({ failures: 1, until: '2026-01-15T12:00:01.000Z' });
  const seconds: number[] = [];
  for (let probe = 0; probe < 7; probe += 1) {
    const until = (await server.connection())?.paused?.until ?? '';
    server.clock.now = until;
    const before = server.asked.length;
    const others = await server.process()();
    await Promise.all([client.command(ask), others.client.command(ask), client.command(ask)]);
    expect(server.asked.length - before).toBe(1);
    seconds.push((Date.parse((await server.connection())?.paused?.until ?? '') - Date.parse(until)) / 1000);
  }
  expect(seconds).toEqual([2, 4, 8, 16, 32, 60, 60]);
  server.clock.now = (await server.connection())?.paused?.until ?? '';
  server.answers(() => ({ status: 200, body: {} }));
  expect(await client.command(ask)).toMatchObject({ is: 'OK' });
  expect((await server.connection())?.paused).toBeUndefined();
});
