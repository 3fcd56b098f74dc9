import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReceivedPix } from '#shared/bank/ports/reader.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { reports } from '#shared/bank/report.ts';
import { centavos } from '#shared/core/money.ts';
import { applyBankEvent } from '#shared/bank-events/apply-event.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { registryItem } from '#shared/platform/company.ts';
import { account, companyOne, otherCompany, payInBody } from '../support/bank-world.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { collectLines } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { chave, connect, e2e, paidAt } from './bank-events-world.ts';

/** One received Pix that several clients of banks tell of: two of one company, and one of another company. */

const secondClient = 'cccccccc-cccc-4ccc-8ccc-000000000002';
const otherCompanyClient = 'cccccccc-cccc-4ccc-8ccc-000000000003';
const otherCompanyAccount = account.replace('a', 'f');

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let lines: ReturnType<typeof collectLines>;
beforeEach(async () => {
  lines = collectLines();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  bank = await connect(world);
  await world.openAccount(0, { id: otherCompanyAccount, companyId: otherCompany });
  await world.store.writeOne({ put: registryItem(companyOne) });
  await world.store.writeOne({ put: registryItem(otherCompany) });
  await add(companyOne, secondClient, account, '2');
  await add(otherCompany, otherCompanyClient, otherCompanyAccount, '3');
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Another client of the account at the bank. */
async function add(companyId: string, id: string, accountId: string, digit: string): Promise<void> {
  const connection: BankConnection = {
    ...{ id, companyId, dialect: 'EFI', clientId: id, secret: 'name', createdAt: '2026-01-02T00:00:00.000Z' },
    ...{ apiUrl: 'https://bank.example', tokenUrl: 'https://bank.example/oauth/token' },
    callback: { tokenHash: digit.repeat(64), subject: 'CN=bank.example' },
    accounts: { [accountId]: { chave, agencia: '0001', conta: '1234567', tipoConta: 'PAGAMENTO' } },
  };
  await world.store.write(connectedItems(connection), world.ids.uuid());
}
const hear = async (companyId: string, id: string, event: BankEvent) => {
  const context = await bankEventContext(bank.events, companyId, id);
  if (context === undefined) throw new Error('There is no such connection.');
  return applyBankEvent(context, event);
};
const lists = async () => {
  const { now } = world.deps;
  const failures: object[] = [];
  const failed = (where: object) => void failures.push(where);
  const run = { store: world.store, now, remainingMs: () => Infinity, failed };
  return workLists(run, bank.events, 'DAILY');
};
const credits = () =>
  world
    .items('LEDGER_ENTRY')
    .filter(({ kind }) => kind === 'PAY_IN' || kind === 'UNMATCHED_CREDIT')
    .map(({ accountId, available, kind }) => [accountId, available, kind]);
const claimed = () => world.items('BANK_PIX').map(({ companyId }) => companyId);
const payIn = async (): Promise<string> => {
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: crypto.randomUUID() });
  return (body as { readonly id: string }).id.replaceAll('-', '');
};
/** The two cases of a payment: for a charge of the first company, or without any. */
const ways: readonly (readonly [string, () => Promise<string | undefined>, string])[] = [
  ['a charge', payIn, 'PAY_IN'],
  ['no charge', () => Promise.resolve(undefined), 'UNMATCHED_CREDIT'],
];

test.each(ways)(
  'a Pix for %s is credited once when two clients of one account receive it, in either order',
  async (_of, txid, kind) => {
    for (const [number, order] of [
      [connectionId, secondClient],
      [secondClient, connectionId],
    ].entries()) {
      const event = bank.pays(number, await txid(), 2500);
      const ends = [];
      for (const id of [...order, ...order]) ends.push(await hear(companyOne, id, event));
      expect(ends).toEqual(['MOVED', 'SAME', 'SAME', 'SAME']);
      expect(credits()).toEqual(Array.from({ length: number + 1 }, () => [account, 2500, kind]));
    }
    await lists();
    expect(credits()).toHaveLength(2);
  },
);

test.each(ways)(
  'a Pix for %s is credited once when the lists of two clients show it concurrently',
  async (_of, txid, kind) => {
    const event = bank.pays(1, await txid(), 2500);
    await Promise.all([connectionId, secondClient].map((id) => hear(companyOne, id, event)));
    expect(credits()).toEqual([[account, 2500, kind]]);
  },
);

test.each(ways)(
  'a Pix for %s is credited to the first company only when another company receives it too',
  async (_of, txid, kind) => {
    const event = bank.pays(1, await txid(), 2500);
    expect(await hear(companyOne, connectionId, event)).toBe('MOVED');
    await expect(hear(otherCompany, otherCompanyClient, event)).rejects.toThrow('another company');
    expect(credits()).toEqual([[account, 2500, kind]]);
    expect(claimed()).toEqual([companyOne]);
  },
);

test('a Pix is not credited to the company of the charge when another company received it first', async () => {
  const event = bank.pays(1, await payIn(), 2500);
  expect(await hear(otherCompany, otherCompanyClient, event)).toBe('MOVED');
  await expect(hear(companyOne, connectionId, event)).rejects.toThrow('another company');
  expect(credits()).toEqual([[otherCompanyAccount, 2500, 'UNMATCHED_CREDIT']]);
  expect(claimed()).toEqual([otherCompany]);
});

test('a Pix that two companies receive concurrently is credited to one of them', async () => {
  const event = bank.pays(1, undefined, 2500);
  const ends = await Promise.allSettled([
    hear(companyOne, connectionId, event),
    hear(otherCompany, otherCompanyClient, event),
  ]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(credits()).toHaveLength(1);
  expect(claimed()).toHaveLength(1);
});

test('the second company’s callback stays in its queue, and its list names what was not credited', async () => {
  const event = bank.pays(1, undefined, 2500);
  await hear(companyOne, connectionId, event);
  const body = JSON.stringify({ companyId: otherCompany, connectionId: otherCompanyClient, events: [event] });
  const deps = { ...bank.events, hide: () => Promise.resolve() };
  expect(await workCallbacks([{ messageId: 'm', body, receives: 1, sentMs: 0 }], deps)).toEqual(['m']);
  expect(await lists()).toMatchObject({ failed: 1 });
  const why = { errorMessage: expect.stringContaining('another company') as string };
  expect(lines.filter(({ companyId }) => companyId === otherCompany)).toMatchObject([
    { message: 'Cannot apply a callback', ...why },
    { message: 'Cannot apply an item of a list', list: 'pix', ...why },
  ]);
  expect(credits()).toHaveLength(1);
});

test('a charge is paid by its own payment when another company was credited with an extra payment for it', async () => {
  const txid = await payIn();
  const otherCompanyPayment = bank.pays(1, txid, 300);
  await hear(otherCompany, otherCompanyClient, otherCompanyPayment);
  const own = bank.pays(2, txid, 2500);
  await hear(companyOne, connectionId, own);
  expect(credits()).toEqual([
    [otherCompanyAccount, 300, 'UNMATCHED_CREDIT'],
    [account, 2500, 'PAY_IN'],
  ]);
});

test('a Pix is reported and not credited again when its end-to-end id comes with another amount', async () => {
  const event = bank.pays(1, undefined, 2500);
  await hear(companyOne, connectionId, event);
  const pix: ReceivedPix = { endToEndId: e2e(1), amount: centavos(9900), at: paidAt, returns: [], chave };
  bank.known.received.set(e2e(1), pix);
  await lists();
  expect(credits()).toEqual([[account, 2500, 'UNMATCHED_CREDIT']]);
  expect(lines.filter(({ message }) => message === reports.AnswersAboutOthers)).toHaveLength(2);
});
