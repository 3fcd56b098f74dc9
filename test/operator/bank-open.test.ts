import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionOfCallback } from '#shared/bank/connection.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { requestAllOf } from '#shared/credits/return.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { e2e } from '../bank-events/bank-events-world.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { runCounted } from '../support/run-jobs.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { creditOf } from '../support/credits.ts';
import { twoConnections } from '../support/two-connections.ts';
import type { TestOperator } from './terminal.ts';
import { testOperator, withoutTrail } from './terminal.ts';

/** What is still open at a connection when its account moves, and what keeps the connection from its end. */

let folder: string;
let world: PaymentWorld;
let operator: TestOperator;
let banks: ReturnType<typeof twoConnections>;
let first: Readonly<Record<string, string>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'open-'));
  for (const [name, text] of Object.entries({ secret: 'a-client-secret', certificate, key: privateKey }))
    writeFileSync(join(folder, name), text);
  // Its subscription is the simulated bank's, and no connection's.
  world = await paymentWorld({ schedule: { minDaysAhead: 0, releaseDaysBefore: 10 } });
  operator = testOperator('local', world.store);
  first = await operator.json(...connectArgs('one'));
  banks = twoConnections(world.bank, first['connectionId']);
  await pay(await payIn(), 1_000_000, 90);
  await world.expirePayIns();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function connectArgs(client: string, company = companyOne, accountId = account): readonly string[] {
  const file = (name: string) => join(folder, name);
  return [
    ...['bank:connect', '--company', company, '--account', accountId, '--environment', 'local'],
    ...['--api-url', 'https://bank.example.com', '--token-url', 'https://bank.example.com/oauth/token'],
    ...['--client-id', client, '--client-secret', file('secret'), '--certificate', file('certificate')],
    ...['--key', file('key'), '--callback-subject', 'CN=bank', '--chave', 'caixa@empresa.example'],
    ...['--agencia', '0001', '--conta', '1234567', '--tipo-conta', 'PAGAMENTO'],
  ];
}
const later = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const isSilent = (call: string): void => void banks.answers.set(call, () => Promise.resolve({ outcome: 'UNKNOWN' }));
const setAnswer = (call: string, state: object): void =>
  void banks.answers.set(call, () => Promise.resolve({ outcome: 'DONE', state }));
type Kinds = Parameters<typeof runCounted>[1][number];
const runDue = (...kinds: Kinds) => runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [kinds]);
const context = () => ({ ...world.deps, companyId: companyOne, requestId: 'r', at: world.clock.now });
const payIn = async (): Promise<string> => {
  const body = payInBody({ expiresInSeconds: 3600 });
  const response = await world.createPayIn({ companyId: companyOne, key: crypto.randomUUID(), body });
  return (response.body as { readonly id: string }).id;
};
/** A charge of 25.00 that is paid, and money beside it. */
async function pay(id: string, beside: number, number: number): Promise<void> {
  const payments = [2500, beside].map((amount, place) => ({
    ...{ endToEndId: e2e(number + place), amount: centavos(amount), at: world.clock.now, returns: [] },
  }));
  await applyChargeState({ ...context(), alsoEnds: endWaitingSubscription }, id, { status: 'PAID', payments });
}
const payout = async (): Promise<void> => {
  await world.createPayout({ companyId: companyOne, key: crypto.randomUUID(), body: payoutBody() });
};
async function subscription(): Promise<string> {
  const { id } = await world.created(subscriptionBody());
  setAnswer('recurrences.read', {
    history: [
      { status: 'CREATED', at: world.clock.now },
      { status: 'APPROVED', at: world.clock.now },
    ],
    payer: { document: { type: 'CPF', number: '52998224725' } },
  });
  later(300);
  await runDue('RECURRENCE_POLL');
  return id;
}
const refund = async (): Promise<void> => {
  const id = await payIn();
  await pay(id, 100, 10);
  await world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: crypto.randomUUID() });
};
const cancel = async (): Promise<void> => {
  const params = { id: await subscription() };
  await world.cancel({ companyId: companyOne, params, body: { reason: 'REQUESTED_BY_RECEIVER' }, key: 'c' });
};
const schedule = async (dueDate: string) => world.scheduled(paymentBody({ dueDate }), await subscription());

const cases: readonly (readonly [string, () => Promise<unknown>, Readonly<Record<string, number>>])[] = [
  ['two charges', async () => [await payIn(), await payIn()], { PAY_IN: 2 }],
  [
    'a payout without a response',
    () => {
      isSilent('payouts.send.submit');
      return payout();
    },
    { PAYOUT: 1 },
  ],
  [
    'a payout that the bank has',
    async () => {
      setAnswer('payouts.send.submit', { status: 'ACCEPTED', returns: [] });
      await payout();
      setAnswer('payouts.send.find', { status: 'ACCEPTED', returns: [] });
      later(180);
      await world.submitPayouts();
    },
    { PAYOUT: 1 },
  ],
  [
    'a refund without a response',
    () => {
      isSilent('refunds.submit');
      return refund();
    },
    { REFUND: 1 },
  ],
  [
    'a refund that the bank has',
    () => {
      setAnswer('refunds.submit', { status: 'PENDING' });
      return refund();
    },
    { REFUND: 1 },
  ],
  [
    'a return of unexpected money',
    async () => requestAllOf(context(), (await creditOf(world.store, companyOne, e2e(91))).credit.id),
    { RETURN: 1 },
  ],
  ['a recurrence that waits for its payer', () => world.created(subscriptionBody()), { SUBSCRIPTION: 1 }],
  ['recurrences that may be charged', async () => [await subscription(), await subscription()], { SUBSCRIPTION: 2 }],
  [
    'a cancellation without a response',
    () => {
      isSilent('recurrences.cancel.submit');
      return cancel();
    },
    { SUBSCRIPTION: 1, CANCELLATION: 1 },
  ],
  [
    'a cancellation that the bank has',
    () => {
      setAnswer('recurrences.cancel.submit', { history: [] });
      return cancel();
    },
    { SUBSCRIPTION: 1, CANCELLATION: 1 },
  ],
  [
    'a recurring charge without a response',
    () => {
      isSilent('recurringCharges.schedule.submit');
      return schedule('2026-01-20');
    },
    { SUBSCRIPTION: 1, SCHEDULED_PAYMENT: 1 },
  ],
  [
    'a recurring charge that the bank has',
    async () => {
      await schedule('2026-01-20');
      setAnswer('recurringCharges.schedule.find', { attempts: [] });
      later(180);
      await world.advance();
    },
    { SUBSCRIPTION: 1, SCHEDULED_PAYMENT: 1 },
  ],
  [
    'a recurring charge that waits for a resend',
    async () => {
      const dueDate = '2026-01-15';
      await schedule(dueDate);
      world.clock.now = '2026-01-15T21:31:00.000Z';
      const history = (['REQUESTED', 'SCHEDULED', 'CANCELED'] as const).map((status) => ({
        status,
        at: world.clock.now,
      }));
      const attempt = { kind: 'FIRST_ATTEMPT', day: dueDate, endToEndId: e2e(50), history, code: 'FAIL' };
      setAnswer('recurringCharges.schedule.find', { attempts: [attempt] });
      await world.advance();
    },
    { SUBSCRIPTION: 1, SCHEDULED_PAYMENT: 1 },
  ],
  ['a recurring charge that is not sent yet', () => schedule('2026-03-20'), { SUBSCRIPTION: 1, SCHEDULED_PAYMENT: 1 }],
];
const sorted = (open: readonly { readonly kind: string; readonly count: number }[]) =>
  open.map(({ kind, count }) => `${kind} ${count}`).toSorted();

test.each(cases)(
  'bank:connect lists the open items of the former connection, and bank:disconnect is refused, when it has %s',
  async (_name, begin, open) => {
    await begin();
    const expected = Object.entries(open)
      .map(([kind, count]) => `${kind} ${count}`)
      .toSorted();
    const second = await operator.json(...connectArgs('two'));
    expect(sorted(second['open'] as unknown as Parameters<typeof sorted>[0])).toEqual(expected);
    // What is given to the second connection is not open at the first.
    banks.answers.clear();
    banks.move(second['connectionId']);
    await payIn();
    const before = withoutTrail(world.items());
    const end = ['bank:disconnect', '--company', companyOne, '--connection'] as const;
    const refused = await operator.run(...end, first['connectionId'] ?? '');
    expect(refused.code).toBe(1);
    for (const one of expected) expect(refused.err).toContain(one);
    expect(withoutTrail(world.items())).toEqual(before);
    expect(await operator.bankSecrets().fetch(first['secretName'] ?? '')).toContain('a-client-secret');
    expect((await operator.run(...end, second['connectionId'] ?? '')).err).toContain(
      'The connection still has open work: PAY_IN 1.',
    );
  },
);

test('bank:connect lists no open item when the same client is connected again', async () => {
  await payIn();
  expect((await operator.json(...connectArgs('one')))['open']).toEqual([]);
});

test('bank:connect lists the open items of the simulated bank when an account gets its first connection', async () => {
  const other = await paymentWorld();
  await other.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
  const { open } = await testOperator('local', other.store).json(...connectArgs('one'));
  expect(sorted(open as unknown as Parameters<typeof sorted>[0])).toEqual(['PAY_IN 1', 'SUBSCRIPTION 1']);
});

test('a former connection ends once it has no open item: no secret, no callback, no list, no claim', async () => {
  const charge = await payIn();
  const { connectionId: second = '' } = await operator.json(...connectArgs('two'));
  const end = ['bank:disconnect', '--company', companyOne, '--connection', first['connectionId'] ?? ''] as const;
  expect((await operator.run(...end)).code).toBe(1);
  await world.cancelPayIn({ companyId: companyOne, params: { id: charge } });
  // A process may still give it something.
  expect(await operator.json(...end)).toMatchObject({ endedAt: null });
  const asked: string[] = [];
  const read = async (): Promise<readonly string[]> => {
    const readerOf = ({ id }: { readonly id: string }) => {
      asked.push(id);
      return Promise.reject(new Error('No list.'));
    };
    const { now } = world.deps;
    const run = { store: world.store, now, remainingMs: () => Infinity, failed: () => undefined };
    await workLists(run, { ...world.deps, bank: world.bank, readerOf }, 'HOURLY');
    return [...new Set(asked.splice(0))].toSorted();
  };
  expect(await read()).toEqual([first['connectionId'] ?? '', second].toSorted());
  const update = { update: keys.bankConnection(companyOne, first['connectionId'] ?? '') };
  await world.store.writeOne({ ...update, set: { leftAt: '2026-01-01T00:00:00.000Z' }, when: { is: 'present' } });
  expect((await operator.json(...end))['endedAt']).not.toBeNull();
  expect(await read()).toEqual([second]);
  expect(await operator.bankSecrets().fetch(first['secretName'] ?? '')).toBeUndefined();
  expect(await connectionOfCallback(world.store, first['callbackSecret'] ?? '')).toBeUndefined();
  // The client is free; the key and the account are the second connection's.
  const claims = world.items('BANK_CLAIM').map(({ kind }) => kind);
  expect(claims.toSorted()).toEqual(['ACCOUNT', 'CHAVE', 'CLIENT']);
  expect((await operator.run(...end)).code).toBe(1);
});

test('money that a connection received is returned until the connection has ended, and not after', async () => {
  const key = keys.bankConnection(companyOne, first['connectionId'] ?? '');
  await world.store.writeOne({ update: key, set: { endedAt: world.clock.now }, when: { is: 'present' } });
  const before = withoutTrail(world.items());
  const refused = await operator.run('bank:return', '--company', companyOne, '--end-to-end-id', e2e(91));
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('has ended') as string });
  expect(withoutTrail(world.items())).toEqual(before);
});
