import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, control, newId, openLocalBank, window } from '#test/support/api-pix/client.ts';

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
});
afterAll(() => open[Symbol.asyncDispose]());

const sending = (favorecido: object = { chave: 'loja@exemplo.com.br' }, valor = '10.00') => ({
  valor,
  pagador: { chave: open.chave, infoPagador: 'Pedido 1' },
  favorecido,
});
const send = (favorecido?: object, valor?: string, idEnvio = newId()) =>
  open.api('PUT', `/v3/gn/pix/${idEnvio}`, sending(favorecido, valor));
const balance = async () => Number((await open.api('GET', '/v2/gn/saldo')).body.saldo);

test('a payout is taken once an id, is in process, and is found by its id, by its end-to-end id and in the list', async () => {
  const idEnvio = newId();
  const before = await balance();
  const taken = await send({ chave: 'loja@exemplo.com.br', cpf: '52998224725' }, undefined, idEnvio);
  expect(taken).toMatchObject({ status: 201, body: { idEnvio, status: 'EM_PROCESSAMENTO', valor: '10.00' } });
  expect(taken.body.e2eId).toBe(taken.body.endToEndId);
  const again = await send(undefined, undefined, idEnvio);
  expect([again.status, again.body.nome]).toEqual([409, 'id_envio_duplicado']);
  const byCode = await open.api('PUT', `/v2/gn/pix/${idEnvio}/qrcode`, {
    pagador: { chave: open.chave },
    pixCopiaECola: 'x',
  });
  expect(byCode.body.nome).toBe('id_envio_duplicado');
  expect(await balance()).toBe(before - 10);
  const found = await open.api('GET', `/v2/gn/pix/enviados/id-envio/${idEnvio}`);
  // The document is compared alone.
  expect(found.body.favorecido).toEqual({ chave: 'loja@exemplo.com.br' });
  expect((await open.api('GET', `/v2/gn/pix/enviados/${taken.body.e2eId}`)).body).toEqual(found.body);
  expect((await open.api('GET', `/v2/gn/pix/enviados?${window}&status=EM_PROCESSAMENTO`)).body.pix).toContainEqual(
    found.body,
  );
  expect((await open.api('GET', '/v2/gn/pix/enviados/id-envio/never')).status).toBe(404);
});

test('a payout is done, and comes back in parts; a failed one gives its money back', async () => {
  const [done, failed] = [newId(), newId()];
  const before = await balance();
  await send(undefined, '10.00', done);
  await send(undefined, '20.00', failed);
  await control(open.bank, 'settle-payout', { idEnvio: done });
  await control(open.bank, 'settle-payout', { idEnvio: failed, status: 'NAO_REALIZADO', codigo: 'AC03' });
  expect(await balance()).toBe(before - 10);
  await control(open.bank, 'return-payout', { idEnvio: done, valor: '4.00' });
  await expect(control(open.bank, 'return-payout', { idEnvio: done, valor: '6.01' })).rejects.toThrow(/409/u);
  expect((await open.api('GET', `/v2/gn/pix/enviados/id-envio/${done}`)).body).toMatchObject({
    status: 'REALIZADO',
    devolucoes: [{ valor: '4.00' }],
  });
  // The code is in the callback alone.
  const seen = JSON.stringify((await open.api('GET', `/v2/gn/pix/enviados/id-envio/${failed}`)).body);
  expect(seen).toContain('NAO_REALIZADO');
  expect(seen).not.toContain('AC03');
  expect(await balance()).toBe(before - 6);
});

test('a payout is refused as at Efí for its key, owner, document, amount, id or payer, or the balance', async () => {
  await control(open.bank, 'key', { chave: 'unknown@exemplo.com.br', state: 'UNKNOWN' });
  await control(open.bank, 'key', { chave: 'blocked@exemplo.com.br', state: 'BLOCKED' });
  await control(open.bank, 'key', { chave: 'denied@exemplo.com.br', state: 'DENIED' });
  await control(open.bank, 'key', { chave: 'maria@exemplo.com.br', cpf: '52998224725' });
  const account = { nome: 'Loja', codigoBanco: '60746948', agencia: '0001', conta: '1', tipoConta: 'cacc' };
  const responses = await Promise.all([
    send({ chave: 'unknown@exemplo.com.br' }),
    send({ chave: 'blocked@exemplo.com.br' }),
    send({ chave: 'denied@exemplo.com.br' }),
    send({ chave: 'maria@exemplo.com.br', cpf: '11144477735' }),
    send({ chave: '52998224725', cpf: '11144477735' }),
    send({ chave: 'no key' }),
    send(undefined, '99999999.00'),
    send(undefined, '0.00'),
    send({ contaBanco: account }),
    send(undefined, undefined, 'hyphens-are-none'),
    open.api('PUT', `/v3/gn/pix/${newId()}`, { ...sending(), pagador: { chave: 'other@exemplo.com.br' } }),
  ]);
  expect(responses.map(({ status, body }) => [status, String(body.nome ?? body.type)])).toEqual([
    [404, 'chave_favorecido_nao_encontrada'],
    [400, 'documento_bloqueado'],
    [422, 'pagamento_negado'],
    [400, 'chave_nao_pertence_ao_documento'],
    [400, 'chave_nao_pertence_ao_documento'],
    [400, 'chave_invalida'],
    [400, 'saldo_insuficiente'],
    [400, 'https://pix.bcb.gov.br/api/v2/error/RequisicaoInvalida'],
    [400, 'https://pix.bcb.gov.br/api/v2/error/RequisicaoInvalida'],
    [400, 'id_envio_invalido'],
    [400, 'chave_invalida'],
  ]);
  expect((await send({ contaBanco: { ...account, cnpj: '11222333000181' } })).status).toBe(201);
});

test('a QR code of another bank is described and paid, one of this bank is paid once, an unknown one is 404', async () => {
  const otherBankCode = await control(open.bank, 'foreign-code', {
    chave: 'loja@exemplo.com.br',
    valor: '7.50',
    cpf: '52998224725',
  });
  const detail = await open.api('POST', '/v2/gn/qrcodes/detalhar', otherBankCode);
  expect(detail.body).toMatchObject({ tipoCob: 'cob', valor: { final: '7.50' }, recebedor: { cpf: '***.982.247-**' } });
  const paid = await open.api('PUT', `/v2/gn/pix/${newId()}/qrcode`, {
    pagador: { chave: open.chave },
    ...otherBankCode,
  });
  expect(paid).toMatchObject({ status: 201, body: { valor: '7.50' } });

  const other = await control(open.bank, 'clients');
  const otherApi = await connect({ ...open.bank, client: other });
  const txid = newId();
  const cob = { calendario: {}, valor: { original: '3.00' }, chave: other.accounts[0].chave };
  const { pixCopiaECola } = (await otherApi('PUT', `/v2/cob/${txid}`, cob)).body;
  const idEnvio = newId();
  await open.api('PUT', `/v2/gn/pix/${idEnvio}/qrcode`, { pagador: { chave: open.chave }, pixCopiaECola });
  await control(open.bank, 'settle-payout', { idEnvio });
  expect((await otherApi('GET', `/v2/cob/${txid}`)).body).toMatchObject({
    status: 'CONCLUIDA',
    pix: [{ valor: '3.00' }],
  });
  const again = await open.api('PUT', `/v2/gn/pix/${newId()}/qrcode`, {
    pagador: { chave: open.chave },
    pixCopiaECola,
  });
  expect([again.status, again.body.nome]).toEqual([400, 'qrcode_invalido']);

  const unknown = String(otherBankCode.pixCopiaECola).replace(/6304....$/u, '63040000');
  expect((await open.api('POST', '/v2/gn/qrcodes/detalhar', { pixCopiaECola: unknown })).status).toBe(404);
});

test('the refund of a Pix that a client of this bank sent comes back to it', async () => {
  const [idEnvio, id] = [newId(), newId()];
  const before = await balance();
  const { e2eId: endToEndId } = (await send({ chave: open.chave }, '10.00', idEnvio)).body;
  await control(open.bank, 'settle-payout', { idEnvio });
  await open.api('PUT', `/v2/pix/${endToEndId}/devolucao/${id}`, { valor: '10.00' });
  await control(open.bank, 'end-refund', { endToEndId, id, status: 'DEVOLVIDO' });
  const { rtrId } = (await open.api('GET', `/v2/pix/${endToEndId}/devolucao/${id}`)).body;
  const { devolucoes } = (await open.api('GET', `/v2/gn/pix/enviados/id-envio/${idEnvio}`)).body;
  expect(devolucoes).toMatchObject([{ rtrId, valor: '10.00' }]);
  expect(await balance()).toBe(before);
});
