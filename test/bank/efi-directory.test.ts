import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildDynamicCode } from '#shared/core/br-code/build.ts';
import { centavos } from '#shared/core/money.ts';
import { efiDirectory } from '#shared/bank/dialects/efi/directory.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import type { Account } from '#shared/accounts/model.ts';
import { collectErrors } from '../support/logged.ts';
import { bankWorld, companyOne, noon, payInBody } from '../support/bank-world.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';

const context = { companyId, connection: undefined, at: '2026-01-15T12:00:00.000Z' };
const orderId = '01234567-89ab-4def-8123-456789abcd00';
const txid = orderId.replaceAll('-', '');
const code = { url: 'pix.example.com/qr/v2/1', qrcodeData: '000201' };
const details = { txid, status: 'ATIVA', valor: { final: '25.00' }, chave: 'caixa@empresa.example' };

const merchant = { name: 'Padaria', city: 'SAO PAULO' };
/** What the company's own charge is: that of the code. */
const ofCharge = { amount: centavos(2500), qrcodeData: buildDynamicCode({ merchant, url: code.url }) };

let server: ScriptedBank;
let asked: string[];
beforeEach(async () => {
  collectErrors();
  server = await scriptedBank(() => ({ status: 201, body: details }));
  asked = [];
});
afterEach(() => {
  server.close();
});

/** The charges of the company are those named; the account is one of a test world. */
async function directory(charges: readonly string[] = [orderId], expireDateTime = '2026-01-15T13:00:00.000Z') {
  const world = bankWorld();
  const account: Account = await world.openAccount(0);
  return checkedDirectory(
    efiDirectory(await server.process()(), {
      account: () => Promise.resolve(account),
      accountAt: () => Promise.resolve(undefined),
      charge: (company, id) => {
        asked.push(`${company} ${id}`);
        const known = { id, accountId: account.id, expireDateTime, ...ofCharge };
        return Promise.resolve(charges.includes(id) ? known : undefined);
      },
    }),
  );
}

test("a code of the company's own charge is known by its txid: whose it is, and which pay-in it pays", async () => {
  const { resolveCharge } = await directory();
  expect(await resolveCharge(code, context)).toMatchObject({
    ...{ state: 'OPEN', txid, amount: 2500, payInId: orderId },
    owner: { name: expect.any(String) as string, bank: expect.any(Object) as object },
  });
  expect(asked).toEqual([`${companyId} ${orderId}`]);
  expect(server.asked).toMatchObject([
    { method: 'POST', path: '/v2/gn/qrcodes/detalhar', body: { pixCopiaECola: '000201' } },
  ]);
});

test('a code of a pay-in that has expired here is EXPIRED, although it stays ATIVA at the bank', async () => {
  const { resolveCharge } = await directory([orderId], context.at);
  expect(await resolveCharge(code, context)).toEqual({ state: 'EXPIRED' });
});

test.each([
  ['of another company, whose owner the bank masks,', txid, 1],
  ['whose txid is not ours', 'a'.repeat(35), 0],
])('a dynamic QR code %s is paid without a known owner', async (_name, codeTxid, reads) => {
  server.answers(() => ({ status: 201, body: { ...details, txid: codeTxid } }));
  const { resolveCharge } = await directory([]);
  const charge = await resolveCharge(code, context);
  expect(charge).toMatchObject({ state: 'OPEN', txid: codeTxid, amount: 2500 });
  expect(charge).not.toHaveProperty('owner');
  expect(charge).not.toHaveProperty('payInId');
  expect(asked).toHaveLength(reads);
});

test.each([
  [
    'the bank does not find it',
    { status: 404, body: { nome: 'cobranca_nao_encontrada', mensagem: 'x' } },
    'NOT_PAYABLE',
  ],
  ['its charge is CONCLUIDA', { status: 201, body: { ...details, status: 'CONCLUIDA' } }, 'NOT_PAYABLE'],
  ['its charge is EXPIRADA', { status: 201, body: { ...details, status: 'EXPIRADA' } }, 'EXPIRED'],
  [
    'the bank finds the code invalid',
    { status: 400, body: { nome: 'qrcode_invalido', mensagem: 'O QR Code é inválido.' } },
    'NOT_PAYABLE',
  ],
  [
    'the bank finds it paid already',
    { status: 422, body: { nome: 'qrcode', mensagem: 'A cobrança já foi paga.' } },
    'NOT_PAYABLE',
  ],
])('a dynamic QR code has no open charge when %s', async (_name, response, state) => {
  server.answers(() => response);
  const { resolveCharge } = await directory();
  expect(await resolveCharge(code, context)).toEqual({ state });
});

const cash = { modalidadeAlteracao: 0, prestadorDoServicoDeSaque: '12345678', modalidadeAgente: 'AGTEC' };
test.each([
  ['Pix Saque', { original: '0.00', retirada: { saque: { valor: '50.00', ...cash } } }],
  ['Pix Troco', { original: '10.00', final: '25.00', retirada: { troco: { valor: '15.00', ...cash } } }],
  ['Pix Saque, with null for the other', { final: '50.00', retirada: { saque: { valor: '50.00' }, troco: null } }],
])('a dynamic QR code of %s is CASH_OUT', async (_name, valor) => {
  server.answers(() => ({ status: 201, body: { ...details, valor } }));
  const { resolveCharge } = await directory();
  expect(await resolveCharge(code, context)).toEqual({ state: 'CASH_OUT' });
});

test.each([null, {}, { saque: null, troco: null }])(
  'a dynamic QR code whose retirada is %j is OPEN, not CASH_OUT',
  async (retirada) => {
    server.answers(() => ({ status: 201, body: { ...details, valor: { final: '25.00', retirada } } }));
    const { resolveCharge } = await directory();
    expect(await resolveCharge(code, context)).toMatchObject({ state: 'OPEN', amount: 2500 });
  },
);

test.each([
  ['no response', 'DROP' as const],
  ['429', { status: 429, headers: { 'retry-after': '7' } }],
  ['500', { status: 500, body: { nome: 'erro_interno', mensagem: 'x' } }],
  ['403', { status: 403, body: { nome: 'sem_permissao', mensagem: 'x' } }],
  ['another amount than that of our charge', { status: 201, body: { ...details, valor: { final: '26.00' } } }],
  ['a response with only a txid', { status: 201, body: { txid } }],
  ['a malformed PIX key', { status: 201, body: { ...details, chave: '?' } }],
])('the look-up of a dynamic QR code fails as BankUnavailable when the bank sends %s', async (_name, response) => {
  server.answers(() => response);
  const { resolveCharge } = await directory();
  await expect(resolveCharge(code, context)).rejects.toMatchObject({ name: 'BankUnavailable' });
});

test('the id of a pay-in is its txid: that of the request that opened it', async () => {
  const world = bankWorld();
  await world.openAccount(0);
  const { body } = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
  const { id } = body as { readonly id: string };
  server.answers(() => ({ status: 201, body: { ...details, txid: id.replaceAll('-', '') } }));
  const { resolveCharge } = await directory([id], noon);
  expect(await resolveCharge(code, { ...context, at: '2026-01-01T00:00:00.000Z' })).toMatchObject({ payInId: id });
});

test('the look-up of a code fails when the bank answers with our charge that has another location', async () => {
  const { resolveCharge } = await directory();
  const other = { ...code, url: 'pix.example.com/qr/v2/2' };
  await expect(resolveCharge(other, context)).rejects.toMatchObject({ name: 'BankUnavailable' });
});
