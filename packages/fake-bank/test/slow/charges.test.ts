import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { call, control, membersOf, newId, openLocalBank, takeToken, window } from '#test/support/api-pix/client.ts';

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
});
afterAll(() => open[Symbol.asyncDispose]());

const cob = (valor = '10.00') => ({ calendario: { expiracao: 3600 }, valor: { original: valor }, chave: open.chave });
const codeOf = ({ body }: { body: { type?: string } }) => body.type?.split('/').at(-1);

test('the bank refuses a connection without a certificate, and a token when the secret is wrong', async () => {
  await expect(call(open.bank, 'GET', `${open.bank.apiUrl}/v2/cob`, { certificate: false })).rejects.toThrow(
    /certificate required/u,
  );
  const { client } = open.bank;
  expect((await takeToken({ ...open.bank, client: { ...client, secret: 'wrong' } })).status).toBe(401);
  expect((await takeToken(open.bank)).body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
});

test('a token is bound to the certificate of its client, and to its scopes', async () => {
  const token = (await takeToken(open.bank)).body.access_token;
  const headers = { Authorization: `Bearer ${token}` };
  const other = await control(open.bank, 'clients', { scopes: ['cob.read'] });
  const asOther = { ...open.bank, client: other };
  expect((await call(asOther, 'GET', `${open.bank.apiUrl}/v2/cob?${window}`, { headers })).status).toBe(401);
  const own = { Authorization: `Bearer ${(await takeToken(asOther)).body.access_token}` };
  expect((await call(asOther, 'GET', `${open.bank.apiUrl}/v2/cob?${window}`, { headers: own })).body.cobs).toEqual([]);
  const refused = await call(asOther, 'GET', `${open.bank.apiUrl}/v2/gn/saldo`, { headers: own });
  expect([refused.status, codeOf(refused)]).toEqual([403, 'AcessoNegado']);
});

test('a charge is created, revised while it is ATIVA, paid, and then no longer revised', async () => {
  const txid = newId();
  const opened = await open.api('PUT', `/v2/cob/${txid}`, cob());
  expect(opened).toMatchObject({ status: 201, body: { status: 'ATIVA', revisao: 0 } });
  expect(parseBrCode(String(opened.body.pixCopiaECola))).toEqual({ kind: 'DYNAMIC', url: opened.body.location });
  const revised = await open.api('PUT', `/v2/cob/${txid}`, cob('11.00'));
  expect(revised.body).toMatchObject({ revisao: 1, location: opened.body.location, valor: { original: '11.00' } });

  const [pix] = await control(open.bank, 'pay', { pixCopiaECola: opened.body.pixCopiaECola });
  const paid = await open.api('GET', `/v2/cob/${txid}`);
  expect(paid.body).toMatchObject({ status: 'CONCLUIDA', pix: [{ endToEndId: pix.endToEndId, valor: '11.00', txid }] });
  for (const [method, body] of [
    ['PUT', cob()],
    ['PATCH', { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }],
  ] as const) {
    const refused = await open.api(method, `/v2/cob/${txid}`, body);
    expect([refused.status, refused.type, codeOf(refused)]).toEqual([
      400,
      'application/problem+json',
      'CobOperacaoInvalida',
    ]);
    expect(refused.body.violacoes[0].razao).toMatch(/não est[áa].*ATIVA/u);
  }
});

test('a charge may be paid twice', async () => {
  const txid = newId();
  await open.api('PUT', `/v2/cob/${txid}`, cob());
  await control(open.bank, 'pay', { txid, times: 2 });
  expect((await open.api('GET', `/v2/cob/${txid}`)).body.pix).toHaveLength(2);
});

test('a removed charge stays removed, and removing is all that its request may do', async () => {
  const txid = newId();
  await open.api('PUT', `/v2/cob/${txid}`, cob());
  const status = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
  expect((await open.api('PATCH', `/v2/cob/${txid}`, { status, valor: { original: '2.00' } })).status).toBe(400);
  expect((await open.api('PATCH', `/v2/cob/${txid}`, { status })).body.status).toBe(status);
  expect((await open.api('PATCH', `/v2/cob/${txid}`, { status })).status).toBe(400);
  await expect(control(open.bank, 'pay', { txid })).rejects.toThrow(/409/u);
});

test.each([
  ['an amount of zero', () => cob('0.00'), 'cob.valor.original'],
  ['an amount with a comma', () => cob('1,00'), 'cob.valor.original'],
  ['a key that no account of the bank has', () => ({ ...cob(), chave: 'x@bank.example' }), 'cob.chave'],
  ['a text of 141 characters', () => ({ ...cob(), solicitacaoPagador: 'x'.repeat(141) }), 'cob.solicitacaoPagador'],
  ['an expiry of zero', () => ({ ...cob(), calendario: { expiracao: 0 } }), 'cob.calendario.expiracao'],
  ['a debtor without a name', () => ({ ...cob(), devedor: { cpf: '52998224725' } }), 'cob.devedor'],
])('a charge with %s is refused with the name of the field', async (_name, body, propriedade) => {
  const refused = await open.api('PUT', `/v2/cob/${newId()}`, body());
  expect([refused.status, codeOf(refused)]).toEqual([400, 'CobOperacaoInvalida']);
  expect(refused.body.violacoes).toMatchObject([{ propriedade }]);
});

test('an unknown resource is 404 with the error code of its kind', async () => {
  const responses = ['/v2/cob/x', '/v2/rec/x', '/v2/cobr/x', '/v2/pix/x', '/v2/pix/x/devolucao/y', '/v2/webhookrec'];
  const codes = await Promise.all(responses.map(async (path) => codeOf(await open.api('GET', path))));
  expect(codes).toEqual([
    ...['CobNaoEncontrado', 'RecNaoEncontrada', 'CobRNaoEncontrado', 'PixNaoEncontrado'],
    ...['PixDevolucaoNaoEncontrada', 'WebhookNaoEncontrado'],
  ]);
});

test('a devolução is accepted once per id, within the amount, within 90 days and within the balance', async () => {
  const [pix] = await control(open.bank, 'pay', { chave: open.chave, valor: '10.00' });
  const at = (id: string) => `/v2/pix/${pix.endToEndId}/devolucao/${id}`;
  const before = (await open.api('GET', '/v2/gn/saldo')).body.saldo;
  const created = await open.api('PUT', at('a1'), { valor: '4.00' });
  expect(created).toMatchObject({ status: 201, body: { id: 'a1', status: 'EM_PROCESSAMENTO', valor: '4.00' } });
  expect(created.body.rtrId).toMatch(/^D\w{31}$/u);
  expect(Number((await open.api('GET', '/v2/gn/saldo')).body.saldo)).toBe(Number(before) - 4);
  expect((await open.api('PUT', at('a1'), { valor: '4.00' })).body.violacoes[0].razao).toContain('id já utilizado');
  expect((await open.api('PUT', at('a2'), { valor: '6.01' })).body.violacoes[0].razao).toContain('excede o valor');
  await control(open.bank, 'end-refund', { endToEndId: pix.endToEndId, id: 'a1', status: 'NAO_REALIZADO' });
  expect((await open.api('GET', at('a1'))).body).toMatchObject({ status: 'NAO_REALIZADO', motivo: expect.anything() });
  expect((await open.api('GET', '/v2/gn/saldo')).body.saldo).toBe(before);

  const balance = await control(open.bank, 'balance', { centavos: 100 });
  expect((await open.api('PUT', at('a3'), { valor: '1.01' })).body.violacoes[0].razao).toContain('saldo');
  await control(open.bank, 'balance', { centavos: Number(balance.centavos) + 100_000_000 });
  await control(open.bank, 'clock', { advanceSeconds: 91 * 86_400 });
  expect((await open.api('PUT', at('a4'), { valor: '1.00' })).body.violacoes[0].razao).toContain('90 dias');
  await control(open.bank, 'clock', { advanceSeconds: -91 * 86_400 });
});

test('lists have pages and filters, and refuse windows that are none', async () => {
  await using other = await openLocalBank();
  const txids = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const txid = newId();
      await other.api('PUT', `/v2/cob/${txid}`, { calendario: {}, valor: { original: '1.00' }, chave: other.chave });
      return txid;
    }),
  );
  await control(other.bank, 'pay', { txid: txids[0], valor: '3.00' });
  const page = (query: string) => other.api('GET', `/v2/cob?${window}&${query}`);
  const pages = await Promise.all(
    [0, 1, 2].map((at) => page(`paginacao.itensPorPagina=2&paginacao.paginaAtual=${at}`)),
  );
  const listed = pages.flatMap(({ body }) => membersOf(body.cobs, 'txid'));
  expect(listed.toSorted()).toEqual(txids.toSorted());
  expect(pages[0]!.body.parametros.paginacao).toEqual({
    ...{ paginaAtual: 0, itensPorPagina: 2, quantidadeDePaginas: 3, quantidadeTotalDeItens: 5 },
  });
  expect((await page('status=CONCLUIDA')).body.cobs).toMatchObject([{ txid: txids[0], pix: [{ valor: '3.00' }] }]);
  expect((await other.api('GET', `/v2/pix?${window}&txIdPresente=false`)).body.pix).toEqual([]);
  for (const query of [
    '',
    'inicio=2026-01-02T00:00:00Z&fim=2026-01-01T00:00:00Z',
    `${window}&cpf=52998224725&cnpj=11222333000181`,
    ...['cpf=', 'cpf=true', 'cnpj=1', 'txid=', 'txIdPresente=null'].map((filter) => `${window}&${filter}`),
    `${window}&paginacao.itensPorPagina=1001`,
    `${window}&paginacao.paginaAtual=-1`,
  ]) {
    const refused = await other.api('GET', `/v2/pix?${query}`);
    expect([refused.status, codeOf(refused)], query).toEqual([400, 'PixConsultaInvalida']);
  }
});
