import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LocalBank } from '@banking-order/fake-bank';
import { control } from '#test/support/api-pix/client.ts';
import { bankIdOf, inDays, newReference, require } from './suite.ts';

/*
 * Efí's own SDK as a client of the bank on this machine: a program of its own, since Node reads NODE_EXTRA_CA_CERTS
 * when it starts. Arguments: the bank's `connection.json`, the folder of the judges' packages. A line for each call.
 */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a library that this project does not install
type Sdk = any;

const [file = '', packages = ''] = process.argv.slice(2);
const bank = JSON.parse(readFileSync(file, 'utf8')) as LocalBank;
const { id, secret, certFile: certificate, keyFile: pemKey, accounts } = bank.client;
const [{ chave, conta, agencia, tipoConta }] = accounts as [LocalBank['client']['accounts'][number]];

const load = (path: string): Promise<Sdk> =>
  import(pathToFileURL(join(packages, 'node_modules/sdk-node-apis-efi/dist/esm', path)).href);
const { endpoints } = await load('constants/endpoints.js');
endpoints.APIS.PIX.URL.PRODUCTION = bank.apiUrl;
const { EfiPay } = await load('index.js');
const efi: Sdk = new (EfiPay as new (options: object) => Sdk)({
  client_id: id,
  client_secret: secret,
  certificate,
  pemKey,
  sandbox: false,
});

const responses: Record<string, Sdk> = {};
async function step(name: string, ...args: unknown[]): Promise<Sdk> {
  try {
    return (responses[name] = await (efi[name] as (...args: unknown[]) => Promise<Sdk>).apply(efi, args));
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : JSON.stringify(error)}`, { cause: error });
  }
}

const devedor = { cpf: '52998224725', nome: 'Maria Souza' };
const inicio = new Date(Date.now() - 3_600_000).toISOString();
const fim = new Date(Date.now() + 3_600_000).toISOString();

async function charges(): Promise<void> {
  const txid = bankIdOf(newReference());
  const body = { calendario: { expiracao: 3600 }, devedor, valor: { original: '12.34' }, chave };
  require('a charge is open', (await step('pixCreateCharge', { txid }, body)).status === 'ATIVA');
  await step('pixUpdateCharge', { txid }, { valor: { original: '20.00' } });
  const [{ endToEndId: e2eId }] = await control(bank, 'pay', { txid });
  require('the charge is paid', (await step('pixDetailCharge', { txid })).pix[0].endToEndId === e2eId);
  require('charges are listed', (await step('pixListCharges', { inicio, fim })).cobs.length === 1);
  require('the payment is listed', (await step('pixReceivedList', { inicio, fim })).pix.length === 1);
  require('the payment has its amount', (await step('pixDetailReceived', { e2eId })).valor === '20.00');
  const refund = { e2eId, id: bankIdOf(newReference()) };
  await step('pixDevolution', refund, { valor: '5.00' });
  require('a refund is found', (await step('pixDetailDevolution', refund)).status === 'EM_PROCESSAMENTO');
}

async function claims(): Promise<void> {
  const [{ endToEndId }] = await control(bank, 'pay', { valor: '10.00' });
  const { idInfracao } = await control(bank, 'claim', { endToEndId });
  const statusNow = async (): Promise<string> => (await step('medList', { inicio, fim })).infracoes[0].status as string;
  require('a claim is listed', (await statusNow()) === 'ABERTA');
  await step('medDefense', { idInfracao }, { analise: 'rejeitado', justificativa: 'Entregue.' });
  require('the claim is defended', (await statusNow()) === 'EM_DEFESA');
  await control(bank, 'decide-claim', { idInfracao, status: 'ACEITA', valor: '4.00' });
  require('the claim is accepted', (await statusNow()) === 'ACEITA');
}

async function recurrences(): Promise<void> {
  const { id: loc } = await step('pixCreateLocationRecurrenceAutomatic');
  const { idRec } = await step('pixCreateRecurrenceAutomatic', {
    vinculo: { contrato: 'contract-1', devedor, objeto: 'Internet' },
    calendario: { dataInicial: inDays(1), periodicidade: 'MENSAL' },
    valor: { valorRec: '29.90' },
    ...{ politicaRetentativa: 'PERMITE_3R_7D', loc },
  });
  await control(bank, 'authorize', { idRec });
  require('the recurrence is approved', (await step('pixDetailRecurrenceAutomatic', { idRec })).status === 'APROVADA');
  require('the recurrence is listed', (await step('pixListRecurrenceAutomatic', { inicio, fim })).recs.length === 1);
  const txid = bankIdOf(newReference());
  const recebedor = { conta, agencia, tipoConta };
  const calendario = { dataDeVencimento: inDays(5) };
  await step(
    'pixCreateAutomaticChargeTxid',
    { txid },
    {
      ...{ idRec, calendario, valor: { original: '29.90' }, ajusteDiaUtil: false, recebedor },
    },
  );
  for (const status of ['AGENDADA', 'EXPIRADA']) await control(bank, 'attempt', { txid, status });
  await step('pixRetryRequestAutomatic', { txid, data: inDays(6) });
  require('the charge has two attempts', (await step('pixDetailAutomaticCharge', { txid })).tentativas.length === 2);
  require('charges are listed', (await step('pixListAutomaticCharge', { inicio, fim })).cobsr.length === 1);
  await step('pixUpdateAutomaticCharge', { txid }, { status: 'CANCELADA' });
  await step('pixUpdateRecurrenceAutomatic', { idRec }, { status: 'CANCELADA' });
}

async function payouts(): Promise<void> {
  const idEnvio = bankIdOf(newReference());
  const pagador = { chave, infoPagador: 'Fornecedor' };
  await step('pixSend', { idEnvio }, { valor: '10.00', pagador, favorecido: { chave: 'loja@exemplo.com.br' } });
  await control(bank, 'settle-payout', { idEnvio });
  await control(bank, 'return-payout', { idEnvio, valor: '1.00' });
  const { status, endToEndId, devolucoes } = await step('pixSendDetailId', { idEnvio });
  require('the payout is settled and has one return', status === 'REALIZADO' && devolucoes.length === 1);
  await step('pixSendDetail', { e2eId: endToEndId });
  const otherBankCharge = { chave: 'outra@exemplo.com.br', valor: '7.50', cpf: devedor.cpf };
  const { pixCopiaECola } = await control(bank, 'foreign-code', otherBankCharge);
  await step('pixQrCodePay', { idEnvio: bankIdOf(newReference()) }, { pagador, pixCopiaECola });
  require('both payouts are listed', (await step('pixSendList', { inicio, fim })).pix.length === 2);
  require('the account has a balance', Number((await step('getAccountBalance')).saldo) > 0);
}

for (const part of [charges, claims, recurrences, payouts])
  await part().catch((error: unknown) => {
    console.log(`FAIL ${error instanceof Error ? error.message : String(error)}`);
  });
for (const name of Object.keys(responses)) console.log(`ok ${name}`);
