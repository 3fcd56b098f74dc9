import { afterEach, beforeEach, expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { centavos } from '#shared/core/money.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { scriptedBank } from './scripted-bank.ts';
import { account, at, byPath, context, e2e, first, payer, reference, refusal, repeated, rtr } from './bank-orders.ts';

let server: ScriptedBank;
let connected: Connected;
let process: () => Promise<Connected>;
beforeEach(async () => {
  server = await scriptedBank(() => ({ status: 500 }));
  process = server.process();
  connected = await process();
});
afterEach(() => {
  server.close();
});
const responses = (table: Parameters<typeof byPath>[0]): void => {
  server.answers(byPath(table));
};

const idRec = 'RN0908935620260115abcdefghijk';
const attempt = (more: object = {}) => ({
  ...{
    tipo: 'AGND',
    status: 'SOLICITADA',
    dataLiquidacao: '2026-01-20',
    endToEndId: e2e,
    atualizacao: [{ status: 'SOLICITADA', data: at }],
  },
  ...more,
});
const cobr = (tentativas: readonly object[], more: object = {}) => ({
  ...{ txid: reference, idRec, status: 'ATIVA', tentativas, atualizacao: [] },
  ...more,
});
const instruction = {
  reference,
  kind: 'FIRST_ATTEMPT',
  charge: reference,
  recurrenceId: idRec,
  receiver: account,
  amount: centavos(2990),
  settlementDate: '2026-01-20',
  adjustsToBusinessDay: true,
} as const;
const cobrPath = `/v2/cobr/${reference}`;

test('schedule: PUT /cobr with the account and the adjustment of its subscription', async () => {
  const { schedule } = checkedRecurringCharges(apiPixRecurringCharges(connected));
  responses({ [`PUT ${cobrPath}`]: { status: 201, body: cobr([attempt()]) } });
  expect(await submitOnce(schedule, instruction, context, first)).toMatchObject({
    outcome: 'DONE',
    state: {
      attempts: [{ kind: 'FIRST_ATTEMPT', endToEndId: e2e, day: '2026-01-20', history: [{ status: 'REQUESTED', at }] }],
    },
  });
  expect(server.asked[0]?.body).toEqual({
    idRec,
    calendario: { dataDeVencimento: '2026-01-20' },
    valor: { original: '29.90' },
    ajusteDiaUtil: true,
    recebedor: { agencia: '0001', conta: '1234567', tipoConta: 'PAGAMENTO' },
  });
  responses({ [`PUT ${cobrPath}`]: refusal('CobROperacaoInvalida', 'O txid encontra-se em uso.') });
  expect(await submitOnce(schedule, instruction, context, first)).toEqual({ outcome: 'UNKNOWN' });
  responses({ [`PUT ${cobrPath}`]: refusal('CobROperacaoInvalida', 'O valor difere do valor da recorrência.') });
  expect(await submitOnce(schedule, instruction, context, first)).toMatchObject({
    outcome: 'REFUSED',
    code: 'CobROperacaoInvalida',
  });
});

test('new attempt: POST …/retentativa/{day}; it is found by kind and day alone', async () => {
  const { schedule } = checkedRecurringCharges(apiPixRecurringCharges(connected));
  const order = {
    ...instruction,
    reference: 'f'.repeat(32),
    kind: 'NEW_ATTEMPT_AFTER_DUE_DATE',
    settlementDate: '2026-01-22',
  } as const;
  const rejected = attempt({ status: 'REJEITADA', rejeicao: { codigo: 'AB03' } });
  responses({
    [`POST ${cobrPath}/retentativa/2026-01-22`]: refusal('CobROperacaoInvalida', 'Há tentativa vigente para a data.'),
    [`GET ${cobrPath}`]: { status: 200, body: cobr([rejected]) },
  });
  expect(await submitOnce(schedule, order, context, first)).toEqual({ outcome: 'UNKNOWN' });
  const again = attempt({ tipo: 'NTAG', dataLiquidacao: '2026-01-22', endToEndId: `${e2e.slice(0, -1)}z` });
  responses({ [`GET ${cobrPath}`]: { status: 200, body: cobr([rejected, again]) } });
  expect(await submitOnce(schedule, order, context, repeated)).toMatchObject({
    outcome: 'DONE',
    state: { attempts: [{ code: 'AB03' }, { kind: 'NEW_ATTEMPT_AFTER_DUE_DATE' }] },
  });
});

test('an attempt that the bank sent again had a settlement error, also when the cobr shows no code for it', async () => {
  const { schedule } = checkedRecurringCharges(apiPixRecurringCharges(connected));
  const canceled = attempt({ status: 'CANCELADA', atualizacao: [{ status: 'CANCELADA', data: at }] });
  const resent = attempt({ tipo: 'RIFL', endToEndId: `${e2e.slice(0, -1)}z` });
  responses({ [`GET ${cobrPath}`]: { status: 200, body: cobr([canceled, resent]) } });
  expect(await schedule.find(instruction, context)).toMatchObject({
    outcome: 'DONE',
    state: { attempts: [{ code: 'FAIL' }, { kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR' }] },
  });
});

test('withdraw: CANCELADA ends every open attempt; a refusal stands while the attempt is open', async () => {
  const { withdraw } = checkedRecurringCharges(apiPixRecurringCharges(connected));
  const order = { ...instruction, reason: 'REQUESTED_BY_RECEIVER' };
  responses({
    [`PATCH ${cobrPath}`]: {
      status: 200,
      body: cobr([attempt()], { status: 'CANCELADA', encerramento: { cancelamento: { codigo: 'SLCR' } } }),
    },
  });
  expect(await submitOnce(withdraw, order, context, first)).toMatchObject({
    outcome: 'DONE',
    state: { attempts: [{ code: 'SLCR', history: [{ status: 'REQUESTED' }, { status: 'CANCELED' }] }] },
  });
  responses({
    [`PATCH ${cobrPath}`]: refusal('CobROperacaoInvalida', 'Fora do prazo.'),
    [`GET ${cobrPath}`]: { status: 200, body: cobr([attempt({ status: 'AGENDADA' })]) },
  });
  expect(await submitOnce(withdraw, order, context, first)).toMatchObject({ outcome: 'REFUSED' });
  responses({
    [`PATCH ${cobrPath}`]: refusal('CobROperacaoInvalida', 'Fora do prazo.'),
    [`GET ${cobrPath}`]: { status: 200, body: cobr([attempt({ status: 'PAGA' })]) },
  });
  expect(await submitOnce(withdraw, order, context, first)).toMatchObject({ outcome: 'DONE' });
});

const paymentId = '01234567-89ab-4def-8123-456789abcd00';
const idEnvio = paymentId.replaceAll('-', '');
const byKey: PaymentOrder = {
  reference: paymentId,
  initiation: 'KEY',
  amount: centavos(1000),
  payer: account,
  receiver: { ...payer, pix: { type: 'EMAIL', key: 'maria@example.com' } },
  description: 'x',
};
const sent = (more: object = {}) => ({
  ...{ idEnvio, e2eId: e2e, valor: '10.00', status: 'EM_PROCESSAMENTO', horario: { solicitacao: at } },
  ...more,
});
const codeOf = (amount: number | undefined): string =>
  buildStaticCode({
    ...{ merchant: { name: 'Maria', city: 'SAO PAULO' }, pixKey: 'maria@example.com', txid: 'PEDIDO42' },
    ...(amount !== undefined && { amount: centavos(amount) }),
  });
const sentPath = `GET /v2/gn/pix/enviados/id-envio/${idEnvio}`;

test.each<[string, Partial<PaymentOrder>, string, object]>([
  [
    'by PIX key, with the document of its owner',
    {},
    `PUT /v3/gn/pix/${idEnvio}`,
    {
      valor: '10.00',
      pagador: { chave: 'caixa@empresa.example', infoPagador: 'x' },
      favorecido: { chave: 'maria@example.com', cpf: payer.document.number },
    },
  ],
  [
    'to an account',
    {
      initiation: 'MANUAL',
      receiver: { ...payer, bank: { ispb: '60701190', branch: '0001', account: '99', accountType: 'SAVINGS_ACCOUNT' } },
    },
    `PUT /v3/gn/pix/${idEnvio}`,
    {
      favorecido: {
        contaBanco: {
          nome: 'Maria Souza',
          cpf: payer.document.number,
          codigoBanco: '60701190',
          agencia: '0001',
          conta: '99',
          tipoConta: 'svgs',
        },
      },
    },
  ],
  [
    'by dynamic QR code, with the whole text of the code',
    { initiation: 'DYNAMIC_QRCODE', qrcodeData: '000201dynamic' },
    `PUT /v2/gn/pix/${idEnvio}/qrcode`,
    { pagador: { chave: 'caixa@empresa.example', infoPagador: 'x' }, pixCopiaECola: '000201dynamic' },
  ],
  [
    'by static QR code without a txid, as a payout to its PIX key',
    { initiation: 'STATIC_QRCODE', qrcodeData: '000201static' },
    `PUT /v3/gn/pix/${idEnvio}`,
    { favorecido: { chave: 'maria@example.com' } },
  ],
  [
    'by static QR code with a txid and the amount, with the whole text of the code',
    { initiation: 'STATIC_QRCODE', qrcodeData: codeOf(1000), txid: 'PEDIDO42' },
    `PUT /v2/gn/pix/${idEnvio}/qrcode`,
    { pixCopiaECola: codeOf(1000) },
  ],
  [
    'of less than the amount of a static QR code, as a payout to its PIX key',
    { initiation: 'STATIC_QRCODE', qrcodeData: codeOf(3000), txid: 'PEDIDO42' },
    `PUT /v3/gn/pix/${idEnvio}`,
    { valor: '10.00', favorecido: { chave: 'maria@example.com' } },
  ],
  [
    'by static QR code without an amount, as a payout to its PIX key',
    { initiation: 'STATIC_QRCODE', qrcodeData: codeOf(undefined), txid: 'PEDIDO42' },
    `PUT /v3/gn/pix/${idEnvio}`,
    { valor: '10.00', favorecido: { chave: 'maria@example.com' } },
  ],
])('Efí is called with the right path and body for a payout %s', async (_name, more, call, body) => {
  const { send } = checkedPayouts(efiPayouts(connected));
  responses({ [call]: { status: 201, body: sent() } });
  expect(await submitOnce(send, { ...byKey, ...more }, context, first)).toEqual({
    outcome: 'DONE',
    state: { status: 'ACCEPTED', endToEndId: e2e, returns: [] },
  });
  expect(server.asked[0]?.body).toMatchObject(body);
});

test('payout: a duplicate id is UNKNOWN; the look-up by the id has its returns, or its error', async () => {
  const { send } = checkedPayouts(efiPayouts(connected));
  responses({ [`PUT /v3/gn/pix/${idEnvio}`]: { status: 409, body: { nome: 'id_envio_duplicado', mensagem: 'x' } } });
  expect(await submitOnce(send, byKey, context, first)).toEqual({ outcome: 'UNKNOWN' });
  // Efí's pages show one time, API Pix an object of them.
  for (const horario of [{ solicitacao: at }, '2026-01-15T09:00:00-03:00']) {
    const devolucoes = [{ rtrId: rtr, valor: '10.00', horario }];
    responses({
      [sentPath]: { status: 200, body: sent({ status: 'REALIZADO', horario: { liquidacao: at }, devolucoes }) },
    });
    expect(await submitOnce(send, byKey, context, repeated)).toMatchObject({
      state: { status: 'PAID', at, returns: [{ returnId: rtr, amount: 1000, at }] },
    });
  }
  responses({
    [sentPath]: {
      status: 200,
      body: sent({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AC03', motivo: 'Conta inválida' } } }),
    },
  });
  expect(await submitOnce(send, byKey, context, repeated)).toMatchObject({
    state: { status: 'ERROR', code: 'AC03', reason: 'Conta inválida' },
  });
  responses({ [sentPath]: { status: 200, body: sent({ status: 'UNHEARD_OF' }) } });
  expect(await submitOnce(send, byKey, context, repeated)).toEqual({ outcome: 'UNKNOWN' });
});

test('payout: a repetition stays UNKNOWN on every error of the bank when the look-up does not find it', async () => {
  const { send } = checkedPayouts(efiPayouts(connected));
  for (const [status, body] of [
    [500, {}],
    [503, {}],
    [429, {}],
    [401, {}],
    [403, {}],
    [404, undefined],
  ] as const) {
    responses({ [`PUT /v3/gn/pix/${idEnvio}`]: { status, body: body ?? '<html>' } });
    const outcome = await submitOnce(send, byKey, context, repeated);
    expect(outcome.outcome).toBe('UNKNOWN');
    server.clock.now = `2026-01-15T13:0${(server.asked.length % 9) + 1}:00.000Z`;
    connected = await server.process()();
  }
});

test('payouts by key or static code get 429 after more than 20 to unknown keys within an hour; dynamic codes do not', async () => {
  responses({
    [`PUT /v3/gn/pix/${idEnvio}`]: { status: 404, body: { nome: 'chave_favorecido_nao_encontrada', mensagem: 'x' } },
  });
  for (let count = 0; count <= 20; count += 1) {
    const { send, prepare } = checkedPayouts(efiPayouts(await process()));
    expect(await prepare(byKey, context)).toEqual({});
    expect(await submitOnce(send, byKey, context, first)).toMatchObject({ outcome: 'REFUSED' });
  }
  const { prepare } = checkedPayouts(efiPayouts(await process()));
  await expect(prepare(byKey, context)).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 3600 });
  const bare = { ...byKey, initiation: 'STATIC_QRCODE', qrcodeData: '000201static' } as const;
  await expect(prepare(bare, context)).rejects.toMatchObject({ kind: 'throttled' });
  await expect(prepare({ ...byKey, initiation: 'DYNAMIC_QRCODE' }, context)).resolves.toEqual({});
  await expect(prepare(byKey, { ...context, at: '2026-01-15T13:00:00.000Z' })).resolves.toEqual({});
});

test('payouts to unknown keys are counted anew in each hour, and limited in each', async () => {
  responses({
    [`PUT /v3/gn/pix/${idEnvio}`]: { status: 404, body: { nome: 'chave_favorecido_nao_encontrada', mensagem: 'x' } },
  });
  for (const hour of ['12', '13', '15']) {
    const within = { ...context, at: `2026-01-15T${hour}:00:00.000Z` };
    for (let count = 0; count <= 20; count += 1) {
      const { send, prepare } = checkedPayouts(efiPayouts(await process()));
      expect(await prepare(byKey, within), `${hour} ${count}`).toEqual({});
      await submitOnce(send, byKey, within, first);
    }
    const { prepare } = checkedPayouts(efiPayouts(await process()));
    const later = { ...context, at: `2026-01-15T${hour}:30:00.000Z` };
    await expect(prepare(byKey, later)).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 1800 });
  }
});
