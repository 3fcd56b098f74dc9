import { describe, expect, test } from 'vitest';
import { apiPixCharges, apiPixRefunds } from '#shared/bank/dialects/efi/charges.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import type { ChargeOrder } from '#shared/bank/ports/charges.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { cob, devolucao, idRec } from './answered-things.ts';
import { account, at, byPath, context, e2e, payer, reference } from './bank-orders.ts';
import { accountId } from './scripted-bank.ts';
import { useConnectedBank } from './use-scripted-bank.ts';

const second = '33333333-3333-4333-8333-333333333333';
const accounts = {
  [accountId]: { chave: 'caixa@empresa.example', agencia: '0001', conta: '1', tipoConta: 'PAGAMENTO' },
  [second]: { chave: 'filial@empresa.example', agencia: '0002', conta: '2', tipoConta: 'CORRENTE' },
} as const;

const used = useConnectedBank({ accounts });
const askedFor = (path: string): unknown => used.server.asked.find((one) => one.path.startsWith(path))?.body;

const charge: ChargeOrder = {
  ...{ reference, amount: centavos(2500), receiver: account, payer, description: 'x' },
  expireDateTime: '2026-01-15T13:00:00.000Z',
};
const charges = () => checkedCharges(apiPixCharges(used.connected));

describe('the request of a charge by API Pix', () => {
  const asked = async (more: Partial<ChargeOrder>) => {
    used.server.asked.length = 0;
    await charges().open.submit({ ...charge, ...more }, context);
    return askedFor('/v2/cob/');
  };

  test.each([
    ['the seconds until its time', '2026-01-15T12:00:59.000Z', 59],
    ['the seconds rounded up', '2026-01-15T12:00:58.001Z', 59],
    ['one second when its time is now', '2026-01-15T12:00:00.000Z', 1],
    ['one second when its time is past', '2026-01-15T11:00:00.000Z', 1],
  ])('has as expiry %s', async (_what, expireDateTime, expiracao) => {
    expect(await asked({ expireDateTime })).toMatchObject({ calendario: { expiracao } });
  });

  test('has the first 140 characters of its description, no text when that is empty, and 200 of the name', async () => {
    expect(await asked({ description: `${'x'.repeat(140)}y` })).toMatchObject({ solicitacaoPagador: 'x'.repeat(140) });
    expect(await asked({ description: '' })).not.toHaveProperty('solicitacaoPagador');
    const named = await asked({ payer: { ...payer, name: 'x'.repeat(201) } });
    expect(named).toMatchObject({ devedor: { cpf: payer.document.number, nome: 'x'.repeat(200) } });
  });

  test('has the CNPJ of its payer when the payer is a company', async () => {
    const document = { type: 'CNPJ', number: '11222333000181' } as const;
    expect(await asked({ payer: { name: 'Padaria', document } })).toMatchObject({
      devedor: { cnpj: document.number, nome: 'Padaria' },
    });
  });
});

test.each([
  ['ATIVA', 'NEVER_SEEN'],
  ['CONCLUIDA', 'DONE'],
  ['REMOVIDA_PELO_USUARIO_RECEBEDOR', 'DONE'],
  ['REMOVIDA_PELO_PSP', 'DONE'],
])('the look-up of a removal finds the charge %s and returns %s', async (status, outcome) => {
  used.server.answers(byPath({ [`GET /v2/cob/${reference}`]: { status: 200, body: { ...cob, status } } }));
  expect(await charges().remove.find(charge, context)).toMatchObject({ outcome });
});

test('a charge has our txid, although the bank writes it in capitals', async () => {
  const body = { ...cob, txid: reference.toUpperCase() };
  used.server.answers(byPath({ [`GET /v2/cob/${reference}`]: { status: 200, body } }));
  expect(await charges().open.find(charge, context)).toMatchObject({ outcome: 'DONE', state: { txid: reference } });
});

test('a refund has the first 140 characters of its description, and no text when there is none', async () => {
  const refund = { reference, endToEndId: e2e, amount: centavos(100) };
  used.server.answers(() => ({ status: 201, body: devolucao }));
  const { submit } = checkedRefunds(apiPixRefunds(used.connected));
  for (const more of [{ description: `${'x'.repeat(140)}y` }, { description: '' }, {}])
    await submit({ ...refund, ...more }, context);
  expect(used.server.asked.map(({ body }) => body)).toEqual([
    { valor: '1.00', descricao: 'x'.repeat(140) },
    { valor: '1.00' },
    { valor: '1.00' },
  ]);
});

test('every command uses the account that it names when the connection has several', async () => {
  const { chave, agencia, conta, tipoConta } = accounts[second];
  const own = { ...account, id: second };
  await charges().open.submit({ ...charge, receiver: own }, context);
  expect(askedFor('/v2/cob/')).toMatchObject({ chave });
  const key = { type: 'EMAIL', key: 'maria@example.com' } as const;
  const payment = { reference, amount: centavos(1000), payer: own, description: 'x', receiver: { ...payer, pix: key } };
  await efiPayouts(used.connected).send.submit(
    { ...payment, initiation: 'KEY' },
    { ...context, signal: new AbortController().signal },
  );
  expect(askedFor('/v3/gn/pix/')).toMatchObject({ pagador: { chave } });
  const attempt = { reference, kind: 'FIRST_ATTEMPT', charge: reference, recurrenceId: idRec, receiver: own } as const;
  const day = { amount: centavos(2990), settlementDate: '2026-01-20', adjustsToBusinessDay: true };
  const within = { ...context, at, signal: new AbortController().signal };
  used.server.clock.now = '2026-01-15T12:30:00.000Z';
  await apiPixRecurringCharges(used.connected).schedule.submit({ ...attempt, ...day }, within);
  expect(askedFor('/v2/cobr/')).toMatchObject({ recebedor: { agencia, conta, tipoConta } });
});
