import { expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { apiPixCharges, apiPixRefunds } from '#shared/bank/dialects/efi/charges.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { accountId, companyId } from './scripted-bank.ts';
import { useConnectedBank } from './use-scripted-bank.ts';
import { account, at, byPath, context, e2e, first, payer, reference, refusal, repeated, rtr } from './bank-orders.ts';

const used = useConnectedBank();
const responses = (table: Parameters<typeof byPath>[0]): void => {
  used.server.answers(byPath(table));
};

const calls = () => used.server.asked.map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

const cob = (more: object = {}) => ({
  ...{ txid: reference, status: 'ATIVA', revisao: 0, location: `pix.efi.example/v2/${reference}` },
  ...{
    loc: { id: 1, location: `pix.efi.example/v2/${reference}` },
    calendario: {},
    valor: { original: '25.00' },
    chave: 'caixa@empresa.example',
  },
  ...{ pixCopiaECola: `000201${'0'.repeat(40)}`, ...more },
});
const chargeOrder = {
  reference,
  amount: centavos(2500),
  receiver: account,
  payer,
  description: 'Pão',
  expireDateTime: '2026-01-15T13:00:00.000Z',
};
const charges = () => checkedCharges(apiPixCharges(used.connected));

test('open charge: PUT /cob with the key of the account, seconds of its life and our txid', async () => {
  responses({ [`PUT /v2/cob/${reference}`]: { status: 201, body: cob() } });
  const outcome = await submitOnce(charges().open, chargeOrder, context, first);
  expect(outcome).toMatchObject({
    outcome: 'DONE',
    state: { status: 'ACTIVE', txid: reference, qrcode: expect.any(String) as string },
  });
  expect(used.server.asked[0]?.body).toEqual({
    calendario: { expiracao: 3600 },
    devedor: { cpf: '52998224725', nome: 'Maria Souza' },
    valor: { original: '25.00' },
    chave: 'caixa@empresa.example',
    solicitacaoPagador: 'Pão',
  });
});

test('open charge: a violation refuses it only when GET does not find it', async () => {
  responses({ [`PUT /v2/cob/${reference}`]: refusal('CobOperacaoInvalida', 'O campo valor é inválido.') });
  expect(await submitOnce(charges().open, chargeOrder, context, first)).toEqual({
    ...{ outcome: 'REFUSED', code: 'CobOperacaoInvalida', reason: 'O campo valor é inválido.' },
  });
  responses({
    [`PUT /v2/cob/${reference}`]: refusal('CobOperacaoInvalida', 'O campo valor é inválido.'),
    [`GET /v2/cob/${reference}`]: { status: 200, body: cob() },
  });
  expect(await submitOnce(charges().open, chargeOrder, context, first)).toMatchObject({ outcome: 'DONE' });
});

test('open charge: a lost or malformed response is looked up', async () => {
  for (const lost of ['DROP', { status: 201, body: { txid: reference } }, { status: 200, body: '<html>' }] as const) {
    responses({ [`PUT /v2/cob/${reference}`]: lost, [`GET /v2/cob/${reference}`]: { status: 200, body: cob() } });
    expect(await submitOnce(charges().open, chargeOrder, context, first)).toMatchObject({ outcome: 'DONE' });
  }
});

test('open charge: it is NOT_NOW, without a call, when the connection does not name the account', async () => {
  const order = { ...chargeOrder, receiver: { ...account, id: companyId } };
  expect(await submitOnce(charges().open, order, context, first)).toMatchObject({ outcome: 'NOT_NOW' });
  expect(used.server.asked).toEqual([]);
});

test('remove charge: what is paid meanwhile is found as paid, with every payment and return', async () => {
  const devolucoes = [
    { id: 'a', rtrId: rtr, valor: '1.00', status: 'DEVOLVIDO', horario: { solicitacao: at, liquidacao: at } },
  ];
  const pix = [{ endToEndId: e2e, txid: reference, valor: '25.00', horario: '2026-01-15T09:00:00-03:00', devolucoes }];
  responses({
    [`PATCH /v2/cob/${reference}`]: refusal('CobOperacaoInvalida', 'A cobrança não está ATIVA.'),
    [`GET /v2/cob/${reference}`]: { status: 200, body: cob({ status: 'CONCLUIDA', pix }) },
  });
  expect(await submitOnce(charges().remove, chargeOrder, context, first)).toMatchObject({
    outcome: 'DONE',
    state: {
      status: 'PAID',
      payments: [{ endToEndId: e2e, at, amount: 2500, returns: [{ returnId: rtr, amount: 100 }] }],
    },
  });
  responses({
    [`PATCH /v2/cob/${reference}`]: { status: 200, body: cob({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }) },
  });
  expect(await submitOnce(charges().remove, chargeOrder, context, first)).toMatchObject({
    state: { status: 'REMOVED' },
  });
});

test('refund: found by both ids; "used already" is unknown, a limit is a refusal, an end has its reason', async () => {
  const refunds = checkedRefunds(apiPixRefunds(used.connected));
  const order = { reference: '01234567-89ab-4def-8123-456789abcdef', endToEndId: e2e, amount: centavos(100) };
  const path = `/v2/pix/${e2e}/devolucao/0123456789ab4def8123456789abcdef`;
  const devolucao = { id: '0123456789ab4def8123456789abcdef', rtrId: rtr, valor: '1.00', horario: { solicitacao: at } };
  responses({ [`PUT ${path}`]: { status: 201, body: { ...devolucao, status: 'EM_PROCESSAMENTO' } } });
  expect(await submitOnce(refunds, order, context, first)).toEqual({
    outcome: 'DONE',
    state: { status: 'PENDING', returnId: rtr },
  });
  responses({ [`PUT ${path}`]: refusal('PixDevolucaoInvalida', 'O id já foi utilizado.') });
  expect(await submitOnce(refunds, order, context, first)).toEqual({ outcome: 'UNKNOWN' });
  responses({ [`PUT ${path}`]: refusal('PixDevolucaoInvalida', 'O valor excede o saldo da transação.') });
  expect(await submitOnce(refunds, order, context, first)).toMatchObject({ outcome: 'REFUSED' });
  responses({
    [`GET ${path}`]: { status: 200, body: { ...devolucao, status: 'NAO_REALIZADO', motivo: 'Conta encerrada' } },
  });
  expect(await submitOnce(refunds, order, context, repeated)).toEqual({
    outcome: 'DONE',
    state: { status: 'FAILED', reason: 'Conta encerrada' },
  });
});

const idRec = 'RN0908935620260115abcdefghijk';
const recBody = (more: object = {}) => ({
  ...{
    idRec,
    status: 'CRIADA',
    vinculo: { contrato: 'contract-1' },
    loc: { id: 7, location: 'pix.efi.example/qr/v2/rec/7' },
  },
  ...{ atualizacao: [{ status: 'CRIADA', data: at }], ...more },
});
const recurrenceOrder = {
  ...{
    reference,
    externalId: 'contract-1',
    frequencyType: 'MONTHLY',
    startDate: '2026-02-01',
    allowChargeAfterDueDate: false,
  },
  ...{ receiver: payer, debtor: payer, accountId, fixedAmount: centavos(2990), description: 'x'.repeat(50) },
};
const dadosQR = { jornada: 'JORNADA_2', pixCopiaECola: `000201${'1'.repeat(40)}` };

test('open recurrence: the location is kept before the rec is asked for, and a repetition asks for the same', async () => {
  const { open } = checkedRecurrences(apiPixRecurrences(used.connected));
  responses({
    'POST /v2/locrec': { status: 201, body: { id: 7, location: 'pix.efi.example/qr/v2/rec/7' } },
    'POST /v2/rec': 'DROP',
    'GET /v2/locrec/7': { status: 200, body: { id: 7, location: 'x' } },
    'GET /v2/rec': { status: 200, body: { recs: [], parametros: { paginacao: { quantidadeDePaginas: 1 } } } },
  });
  expect(await submitOnce(open, recurrenceOrder, context, first)).toEqual({ outcome: 'UNKNOWN' });
  expect(calls()).toEqual(['POST /v2/locrec', 'POST /v2/rec', 'GET /v2/locrec/7', 'GET /v2/rec']);
  used.server.asked.length = 0;
  // The bank had it, and a location takes one rec.
  responses({
    'POST /v2/rec': refusal('RecOperacaoInvalida', 'A location já está sendo utilizada.'),
    'GET /v2/locrec/7': { status: 200, body: { id: 7, location: 'x', idRec } },
    [`GET /v2/rec/${idRec}`]: { status: 200, body: recBody({ dadosQR }) },
  });
  expect(await submitOnce(open, recurrenceOrder, context, first)).toMatchObject({
    outcome: 'DONE',
    state: { recurrenceId: idRec, qrcode: dadosQR.pixCopiaECola },
  });
  expect(calls()).toEqual(['POST /v2/rec', 'GET /v2/locrec/7', `GET /v2/rec/${idRec}`]);
  expect(used.server.asked[0]?.body).toMatchObject({
    vinculo: { contrato: 'contract-1', objeto: 'x'.repeat(35), devedor: { cpf: payer.document.number } },
    ...{ loc: 7, politicaRetentativa: 'NAO_PERMITE', valor: { valorRec: '29.90' } },
    calendario: { dataInicial: '2026-02-01', periodicidade: 'MENSAL' },
  });
  used.server.asked.length = 0;
  expect(await submitOnce(open, recurrenceOrder, context, first)).toMatchObject({ outcome: 'DONE' });
  expect(calls()).toEqual([`GET /v2/rec/${idRec}`]);
});

test('open recurrence: a lost answer is found in the payer’s list by its location; journey 3 names its cob', async () => {
  const { open } = checkedRecurrences(apiPixRecurrences(used.connected));
  const page = { parametros: { paginacao: { quantidadeDePaginas: 1 } } };
  responses({
    'POST /v2/locrec': { status: 201, body: { id: 7, location: 'x' } },
    'POST /v2/rec': 'DROP',
    'GET /v2/locrec/7': { status: 200, body: { id: 7, location: 'x' } },
    'GET /v2/rec': {
      status: 200,
      body: { ...page, recs: [recBody({ idRec: 'other', loc: { id: 6, location: 'x' } }), recBody()] },
    },
    [`GET /v2/rec/${idRec}`]: { status: 200, body: recBody({ dadosQR }) },
  });
  expect(await submitOnce(open, { ...recurrenceOrder, firstChargeTxid: reference }, context, first)).toMatchObject({
    outcome: 'DONE',
  });
  expect(used.server.asked[1]?.body).toMatchObject({ ativacao: { dadosJornada: { txid: reference } } });
  expect(used.server.asked.find(({ path }) => path.startsWith('/v2/rec?'))?.path).toContain(
    `cpf=${payer.document.number}`,
  );
  expect(used.server.asked.at(-1)?.path).toBe(`/v2/rec/${idRec}?txid=${reference}`);
});

test('end recurrence: it is DONE on CANCELADA; a refusal stands only while GET shows it as APROVADA', async () => {
  const { cancel, read } = checkedRecurrences(apiPixRecurrences(used.connected));
  const atualizacao = [
    { status: 'CRIADA', data: at },
    { status: 'APROVADA', data: '2026-01-15T12:01:00.000Z' },
  ];
  const canceled = recBody({
    status: 'CANCELADA',
    encerramento: { cancelamento: { solicitante: 'USUARIO_PAGADOR', codigo: 'SLDB' } },
    pagador: { cpf: payer.document.number, ispbParticipante: '60701190' },
    atualizacao: [...atualizacao, { status: 'CANCELADA', data: '2026-01-15T12:02:00.000Z' }],
  });
  const order = { reference, recurrenceId: idRec };
  responses({ [`PATCH /v2/rec/${idRec}`]: { status: 200, body: canceled } });
  expect(await submitOnce(cancel, order, context, first)).toMatchObject({
    outcome: 'DONE',
    state: {
      history: [{ status: 'CREATED' }, { status: 'APPROVED' }, { status: 'CANCELED' }],
      endedBy: 'PAYER',
      endReason: 'REQUESTED_BY_PAYER',
      payer: { document: payer.document },
    },
  });
  responses({
    [`PATCH /v2/rec/${idRec}`]: refusal('RecOperacaoInvalida', 'Operação não permitida.'),
    [`GET /v2/rec/${idRec}`]: { status: 200, body: recBody({ status: 'APROVADA', atualizacao }) },
  });
  expect(await submitOnce(cancel, order, context, first)).toMatchObject({ outcome: 'REFUSED' });
  responses({
    [`PATCH /v2/rec/${idRec}`]: refusal('RecOperacaoInvalida', 'Operação não permitida.'),
    [`GET /v2/rec/${idRec}`]: { status: 200, body: canceled },
  });
  expect(await submitOnce(cancel, order, context, first)).toMatchObject({ outcome: 'DONE' });
  expect(await read({ recurrenceId: idRec }, context)).toMatchObject({ outcome: 'DONE' });
});
