import { webhookPaths } from '#infra/operator/bank-webhooks.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { efiDirectory } from '#shared/bank/dialects/efi/directory.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { centavos } from '#shared/core/money.ts';
import { payer } from '#test/bank/bank-orders.ts';
import type { Run } from './suite.ts';
import { bankIdOf, company, newReference, receiver, require } from './suite.ts';

const byKey = (key: string, more: Partial<PaymentOrder> = {}): PaymentOrder => ({
  ...({ reference: newReference(), initiation: 'KEY', amount: centavos(1000), payer: receiver } as const),
  receiver: { ...payer, pix: { type: 'EMAIL', key } },
  description: 'Fornecedor',
  ...more,
});

const bank = { ispb: '60701190', branch: '0001', account: '99', accountType: 'SAVINGS_ACCOUNT' };

/** Payouts by key, account and code: settled, failed, returned, refused; their list; questions about codes; balance. */
export async function givePayouts({ connected, at, give, find, context }: Run): Promise<void> {
  const { send } = checkedPayouts(efiPayouts(connected));
  const reader = bankReader(connected.client, () => new Date().toISOString());
  const findNone = () => Promise.resolve(undefined);
  const directory = checkedDirectory(
    efiDirectory(connected, { account: findNone, accountAt: findNone, charge: findNone }),
  );
  const settled = byKey('loja@exemplo.com.br');
  await give(send, settled, 'DONE');
  await give(send, settled, 'DONE');
  await give(send, settled, 'DONE', true);
  await at('settle-payout', { idEnvio: bankIdOf(settled.reference) });
  await at('return-payout', { idEnvio: bankIdOf(settled.reference), valor: '2.00' });
  require('a paid payout has one return', (await find(send, settled)).returns.length === 1);
  const toAccount = byKey('', { initiation: 'MANUAL', receiver: { ...payer, bank }, description: '' });
  const toCompany = byKey('', {
    ...{ initiation: 'MANUAL', receiver: { ...company, bank: { ...bank, accountType: 'CHECKING_ACCOUNT' } } },
  });
  for (const order of [toAccount, toCompany]) await give(send, order, 'DONE');
  await at('settle-payout', { idEnvio: bankIdOf(toAccount.reference), status: 'NAO_REALIZADO', codigo: 'AC03' });
  await find(send, toAccount);
  const otherBankCharge = { chave: 'outra@exemplo.com.br', valor: '7.50', cpf: '52998224725' };
  const qrcodeData = String((await at('foreign-code', otherBankCharge)).pixCopiaECola);
  const code = await directory.resolveCharge({ url: 'x', qrcodeData }, context());
  require('the charge of the QR code is open', code?.state === 'OPEN');
  await give(send, byKey('', { initiation: 'DYNAMIC_QRCODE', qrcodeData, amount: centavos(750) }), 'DONE');
  const unknown = qrcodeData.replace(/6304....$/u, '63040000');
  require('an unknown QR code is not payable', (
    await directory.resolveCharge({ url: 'x', qrcodeData: unknown }, context())
  )?.state === 'NOT_PAYABLE');
  for (const state of ['UNKNOWN', 'BLOCKED', 'DENIED']) {
    const chave = `${state.toLowerCase()}@exemplo.com.br`;
    await at('key', { chave, state });
    await give(send, byKey(chave), 'REFUSED');
  }
  await give(send, byKey('cara@exemplo.com.br', { amount: centavos(999_999_999) }), 'REFUSED');
  const [from, to] = [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  require('payouts are listed', (await reader.listSent(from!, to!, 0)).items.length >= 4);
  require('the account has a balance', (await reader.balance()) > 0);
}

/** What `bank:check` reads; and where the bank calls back, which `bank:webhooks` registers. */
export async function giveChecks({ connected }: Run, webhookUrl: string): Promise<void> {
  const { client, connection } = connected;
  const [inicio = '', fim = ''] = [-86_400, 0].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  for (const list of ['/v2/cob', '/v2/pix', '/v2/rec', '/v2/cobr', '/v2/gn/pix/enviados']) {
    const path = `${list}?${new URLSearchParams({ inicio, fim }).toString()}`;
    require(`the bank returns ${list}`, (await client.question({ method: 'GET', path })).is === 'OK');
  }
  for (const path of webhookPaths(connection)) {
    const missing = await client.question({ method: 'GET', path });
    require(`${path} has no address`, missing.is === 'MISSING');
    const outcome = await client.command({ method: 'PUT', path, body: { webhookUrl } });
    require(`${path} accepts an address: ${JSON.stringify(outcome)}`, outcome.is === 'OK');
    require(`${path} has an address`, (await client.question({ method: 'GET', path })).is === 'OK');
  }
}
