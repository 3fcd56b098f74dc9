import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GetCredit } from '#functions/credits/get/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import type { QiTech } from '@banking-order/fake-bank';
import type { Partner } from '@banking-order/partner-tools';
import { companyOfScenarios, completeCompanies } from '@banking-order/partner-tools';
import { clockOf } from '#test/acceptance/clocks.ts';
import { bankAccount, brl, maria, payIn, payout, pedro } from '#test/acceptance/samples.ts';
import { control } from '#test/support/api-pix/client.ts';
import { partnerOf } from '#test/support/client.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/**
 * `npm start -- --bank qitech`: what the dialect of QI Tech can do, over real TLS with signed calls. What the tools do
 * happens at the bank, and the service reads it there.
 */

const folder = mkdtempSync(join(tmpdir(), 'bank-qitech-'));
let local: LocalProcess;
const start = async (): Promise<void> => {
  local = await startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1', bank: 'qitech' });
};
beforeAll(start, 200_000);
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true, force: true });
});

const bank = (): QiTech => JSON.parse(readFileSync(join(folder, 'bank/connection.json'), 'utf8')) as QiTech;
const first = (): Partner => partnerOf(local.sandbox, local.sandbox.companies[0]);
const ofScenarios = (): Partner => {
  const company = completeCompanies(local.sandbox).find(({ name }) => name === companyOfScenarios);
  return partnerOf(local.sandbox, company!);
};
const accountOf = ({ accounts }: Partner): string => accounts[0]!.id;

type Shown = { readonly request_control_key: string; readonly amount: number };
type AtBank = Readonly<Record<'transfers' | 'teds', readonly (Shown & Record<string, unknown>)[]>>;
/** What the bank has of an order of its first client, or of the client that has it. */
async function atBank(id: string): Promise<readonly Record<string, unknown>[]> {
  const state = (await control(bank(), 'state')) as AtBank;
  return [...state.transfers, ...state.teds].filter(({ request_control_key: key }) => key === id);
}

type Body = Parameters<typeof payout>[1];
async function pay(by: Partner, body: Body): Promise<string> {
  return (await by.call(CreatePayout, { body: payout(accountOf(by), body) })).body.id;
}
const read = async (by: Partner, id: string) => (await by.call(GetPayout, { params: { id } })).body;
/** Ends a payout at the bank; the tool waits a little until the service has read it. */
async function force(by: Partner, id: string, status: 'PAID' | 'ERROR'): Promise<unknown> {
  await by.call(ForceOrderStatus, { body: { id, status } });
  await expect.poll(async () => (await read(by, id)).status).toBe(status);
  return read(by, id);
}

test('a payout to a key becomes PAID when the bank sends it, with the end-to-end id of the look-up', async () => {
  const id = await pay(first(), { paymentData: { pixKey: maria.document.number }, receiver: maria });
  expect(await atBank(id)).toMatchObject([{ pix_transfer_status: 'pending', amount: 725 }]);
  const { endToEndId } = (await force(first(), id, 'PAID')) as { endToEndId?: string };
  expect(await atBank(id)).toMatchObject([{ pix_transfer_status: 'sent', end_to_end_id: endToEndId }]);
});

test('a payout to a key of another owner is OWNER_MISMATCH, and the bank gets nothing', async () => {
  const before = (await control(bank(), 'state')) as AtBank;
  const body = payout(accountOf(first()), { paymentData: { pixKey: maria.document.number }, receiver: pedro });
  expect(await first().refused(CreatePayout, { body })).toMatchObject({
    ...{ status: 409, details: [{ issue: 'OWNER_MISMATCH' }] },
  });
  expect(((await control(bank(), 'state')) as AtBank).transfers).toHaveLength(before.transfers.length);
});

test('a payout to a payment account becomes PAID or ERROR, as the bank says', async () => {
  const paymentData = { bankAccount: { ...bankAccount, accountType: 'PAYMENT_ACCOUNT' } } as const;
  const [paid, failed] = [
    await pay(first(), { paymentData, receiver: pedro }),
    await pay(first(), { paymentData, receiver: pedro }),
  ];
  await force(first(), paid, 'PAID');
  expect(await atBank(paid)).toMatchObject([{ target: { account_type: 'payment_account' } }]);
  expect(await force(first(), failed, 'ERROR')).toMatchObject({ errorMessage: expect.stringContaining('PXT000132') });
});

test('a TED is sent in its hours with a control number, and becomes PAID', async () => {
  const by = ofScenarios();
  const clock = clockOf(by);
  // A Wednesday.
  await clock.to('2030-01-16', '10:00');
  const id = await pay(by, { paymentMethod: 'TED', paymentData: { bankAccount }, receiver: pedro });
  expect(await force(by, id, 'PAID')).toMatchObject({ controlNumber: expect.stringMatching(/^STR20300116\d{9}$/u) });
});

test('money to an account is a credit as soon as the bank has it', async () => {
  const body = { accountId: accountOf(first()), amount: brl('12.34'), payer: maria };
  const { id } = (await first().call(ReceiveCredit, { body })).body;
  const credit = (await first().call(GetCredit, { params: { id } })).body;
  expect(credit).toMatchObject({ status: 'OPEN', amount: brl('12.34') });
});

test('a charge is 409, and the second company has the simulated bank', async () => {
  const [by, other] = [first(), partnerOf(local.sandbox, local.sandbox.companies[1])];
  expect(await by.refused(CreatePayIn, { body: payIn(accountOf(by)) })).toMatchObject({ status: 409 });
  expect(await other.call(CreatePayIn, { body: payIn(accountOf(other)) })).toMatchObject({ status: 201 });
});

test('the same bank serves the next start, and no other bank starts on its data', async () => {
  const id = await pay(first(), { paymentData: { pixKey: maria.document.number }, receiver: maria });
  await local.stop();
  await expect(startLocalProcess({ folder, retryDelaysSeconds: '1', bank: 'api-pix' })).rejects.toThrow(
    /connected to another fake bank.* --fresh/u,
  );
  await start();
  await force(first(), id, 'PAID');
  expect(await atBank(id)).toHaveLength(1);
});
