import { beforeEach, describe, expect, test } from 'vitest';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { submitOnce } from '#shared/bank/bank.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { centavos } from '#shared/core/money.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import { account, byPath, context, e2e, first, payer, reference } from './bank-orders.ts';
import { useConnectedBank } from './use-scripted-bank.ts';

const used = useConnectedBank();

const call = `PUT /v3/gn/pix/${reference}`;
const lookup = `GET /v2/gn/pix/enviados/id-envio/${reference}`;
const byKey: PaymentOrder = {
  ...({ reference, initiation: 'KEY', amount: centavos(1000), payer: account, description: 'x' } as const),
  receiver: { ...payer, pix: { type: 'EMAIL', key: 'maria@example.com' } },
};
const sent = (status: string) => ({ idEnvio: reference, e2eId: e2e, valor: '10.00', status });
const payouts = () => checkedPayouts(efiPayouts(used.connected));
const submit = (more: Partial<PaymentOrder> = {}) => submitOnce(payouts().send, { ...byKey, ...more }, context, first);

describe('the request of a payout to Efí', () => {
  beforeEach(() => {
    used.server.answers(() => ({ status: 201, body: sent('EM_PROCESSAMENTO') }));
  });

  test.each([
    ['CHECKING_ACCOUNT', 'cacc'],
    ['SAVINGS_ACCOUNT', 'svgs'],
  ])('to a %s has the account type %s', async (accountType, tipoConta) => {
    const bank = { ispb: '60701190', branch: '0001', account: '99', accountType } as const;
    await submit({ initiation: 'MANUAL', receiver: { ...payer, bank } });
    expect(used.server.asked[0]?.body).toMatchObject({ favorecido: { contaBanco: { conta: '99', tipoConta } } });
  });

  test('has the first 140 characters of its description for the payer, and no text when it is empty', async () => {
    await submit({ description: '' });
    await submit({ description: `${'x'.repeat(140)}y` });
    const asked = used.server.asked.map(({ body }) => (body as { pagador: object }).pagador);
    expect(asked).toEqual([
      { chave: 'caixa@empresa.example' },
      { chave: 'caixa@empresa.example', infoPagador: 'x'.repeat(140) },
    ]);
  });

  test('goes to the key of a static code of its amount when no txid of the code is known', async () => {
    const merchant = { name: 'Maria', city: 'SAO PAULO' };
    const qrcodeData = buildStaticCode({ merchant, pixKey: 'maria@example.com', amount: centavos(1000) });
    await submit({ initiation: 'STATIC_QRCODE', qrcodeData });
    expect(used.server.asked).toMatchObject([
      { method: 'PUT', path: `/v3/gn/pix/${reference}`, body: { favorecido: { chave: 'maria@example.com' } } },
    ]);
  });
});

test('payouts that Efí refuses for another reason than an unknown key stop no payout to a key', async () => {
  used.server.answers(
    byPath({ [call]: { status: 400, body: { nome: 'valor_invalido', mensagem: 'Saldo insuficiente' } } }),
  );
  for (let count = 0; count <= 21; count += 1) expect(await submit()).toMatchObject({ outcome: 'REFUSED' });
  used.server.answers(byPath({ [call]: { status: 201, body: sent('EM_PROCESSAMENTO') } }));
  for (let count = 0; count <= 21; count += 1) expect(await submit()).toMatchObject({ outcome: 'DONE' });
  await used.connectAgain();
  expect(await payouts().prepare(byKey, context)).toEqual({});
  expect((await used.server.connection())?.unknownKeys).toBeUndefined();
});

describe('the cancellation of a payout at Efí', () => {
  test('is refused without a call', async () => {
    expect(await payouts().cancel.submit(byKey, context)).toMatchObject({ outcome: 'REFUSED' });
    expect(used.server.asked).toEqual([]);
  });

  test.each([
    ['is not found while the payment is pending', 'EM_PROCESSAMENTO', { outcome: 'NEVER_SEEN' }],
    ['is found as PAID when the payment was carried out', 'REALIZADO', { outcome: 'DONE', state: { status: 'PAID' } }],
    ['is found as ERROR when the payment failed', 'NAO_REALIZADO', { outcome: 'DONE', state: { status: 'ERROR' } }],
  ])('%s', async (_name, status, outcome) => {
    used.server.answers(byPath({ [lookup]: { status: 200, body: sent(status) } }));
    expect(await payouts().cancel.find(byKey, context)).toMatchObject(outcome);
  });
});
