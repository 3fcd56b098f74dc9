import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import { applyChargeAttempts } from '#shared/scheduled-payments/apply-state.ts';
import { account, companyOne } from '#test/support/bank-world.ts';
import type { Said } from '#test/support/bank-attempts.ts';
import {
  attempt,
  attemptDay as day,
  attemptNumber as number,
  attemptTimes as times,
} from '#test/support/bank-attempts.ts';
import { collectErrors } from '#test/support/logged.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { fc } from '#test/support/properties.ts';

let world: PaymentWorld;
let payment: PaymentRecord;
let errors: ReturnType<typeof collectErrors>;
afterEach(() => {
  vi.restoreAllMocks();
});
/** A bank that chooses its numbers itself. */
async function begin(): Promise<void> {
  world = await paymentWorld();
  world.bank.recurringCharges.prepare = () => Promise.resolve({});
  payment = await world.scheduled(paymentBody({ dueDate: day }));
  world.clock.now = '2026-01-20T12:00:00.000Z';
}
beforeEach(async () => {
  errors = collectErrors();
  await begin();
});
const hear = (...attempts: readonly ChargeAttempt[]) =>
  applyChargeAttempts({ ...world.deps, companyId: companyOne, requestId: 'r' }, payment.id, { attempts });
const available = async (): Promise<unknown> =>
  ((await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body as { available: unknown })
    .available;
const entries = () => world.items('LEDGER_ENTRY').map(({ kind }) => kind);

/** The transitions of a payment to each status before the event of the bank. */
const transitionsTo: Readonly<Record<string, readonly string[]>> = {
  PENDING: [],
  ACCEPTED: ['ACCEPTED'],
  REJECTED: ['REJECTED'],
  COMPLETED: ['ACCEPTED', 'COMPLETED'],
  ERROR: ['ERROR'],
  CANCELED: ['CANCELED'],
  CANCELED_INSUFFICIENT_BALANCE: ['ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE'],
};
const settled = ['COMPLETED'] as const;
const short = ['CANCELED_INSUFFICIENT_BALANCE'] as const;

describe('a scheduled payment', () => {
  test.each<[our: string, said: Said, moves: readonly string[], contradicts?: 'CONTRADICTS']>([
    ['PENDING', 'REQUESTED', []],
    ['PENDING', 'SCHEDULED', ['ACCEPTED']],
    ['PENDING', 'PAID', ['ACCEPTED', ...settled]],
    ['PENDING', 'REJECTED', ['REJECTED']],
    ['PENDING', 'EXPIRED', short],
    ['PENDING', 'CANCELED', ['CANCELED']],
    ['ACCEPTED', 'REQUESTED', []],
    ['ACCEPTED', 'SCHEDULED', []],
    ['ACCEPTED', 'PAID', settled],
    ['ACCEPTED', 'REJECTED', ['ERROR']],
    ['ACCEPTED', 'EXPIRED', short],
    ['ACCEPTED', 'CANCELED', ['CANCELED']],
    ['REJECTED', 'SCHEDULED', []],
    ['REJECTED', 'PAID', [], 'CONTRADICTS'],
    ['REJECTED', 'REJECTED', []],
    ['REJECTED', 'EXPIRED', [], 'CONTRADICTS'],
    ['REJECTED', 'CANCELED', [], 'CONTRADICTS'],
    ['COMPLETED', 'SCHEDULED', []],
    ['COMPLETED', 'PAID', []],
    ['COMPLETED', 'REJECTED', [], 'CONTRADICTS'],
    ['COMPLETED', 'EXPIRED', [], 'CONTRADICTS'],
    ['COMPLETED', 'CANCELED', [], 'CONTRADICTS'],
    ['ERROR', 'SCHEDULED', []],
    ['ERROR', 'PAID', [], 'CONTRADICTS'],
    ['ERROR', 'REJECTED', []],
    ['ERROR', 'EXPIRED', [], 'CONTRADICTS'],
    ['ERROR', 'CANCELED', [], 'CONTRADICTS'],
    ['CANCELED', 'SCHEDULED', []],
    ['CANCELED', 'PAID', [], 'CONTRADICTS'],
    ['CANCELED', 'REJECTED', [], 'CONTRADICTS'],
    ['CANCELED', 'EXPIRED', [], 'CONTRADICTS'],
    ['CANCELED', 'CANCELED', []],
    ['CANCELED_INSUFFICIENT_BALANCE', 'SCHEDULED', []],
    ['CANCELED_INSUFFICIENT_BALANCE', 'PAID', [], 'CONTRADICTS'],
    ['CANCELED_INSUFFICIENT_BALANCE', 'REJECTED', [], 'CONTRADICTS'],
    ['CANCELED_INSUFFICIENT_BALANCE', 'EXPIRED', []],
    ['CANCELED_INSUFFICIENT_BALANCE', 'CANCELED', [], 'CONTRADICTS'],
  ])(
    'in %s makes the transitions listed for the bank status %s once, and logs a contradiction of a final status',
    async (our, reportedStatus, moves, contradicts?: 'CONTRADICTS') => {
      await hear(attempt(['REQUESTED']));
      await world.forced(payment.id, ...(transitionsTo[our] ?? []));
      const before = await world.payment(payment.id);
      const toldBefore = world.told(payment.id).length;
      for (const _time of [1, 2]) await hear(attempt([reportedStatus]));
      const { statusHistory } = await world.payment(payment.id);
      const at = times[reportedStatus];
      expect(statusHistory.slice(before.statusHistory.length)).toEqual(
        moves.map((status) => ({ status, createdAt: at })),
      );
      expect(world.told(payment.id).slice(toldBefore)).toEqual(
        moves.map((status) => (status.startsWith('CANCELED') ? 'CANCELLATION.ACCEPTED' : status)),
      );
      const contradictions = errors.filter(({ message }) => message === 'Bank event contradicts a final status');
      expect(contradictions.length, 'each time that it was heard').toBe(contradicts === undefined ? 0 : 2);
      const credits = world.items('CREDIT').length;
      expect(credits, 'once').toBe(entries().filter((kind) => kind === 'UNMATCHED_CREDIT').length);
      const isPaid = reportedStatus === 'PAID' || our === 'COMPLETED';
      expect(await available(), 'the collected amount is credited once').toBe(isPaid ? '49.90' : '0.00');
    },
  );

  test('in COMPLETED stays unchanged, and an error is logged, when the bank reports another endToEndId as paid', async () => {
    await hear(attempt(['REQUESTED']));
    await world.forced(payment.id, ...(transitionsTo['COMPLETED'] ?? []));
    const before = await world.payment(payment.id);
    const one = attempt(['PAID']);
    await hear({ ...one, endToEndId: `${one.endToEndId.slice(0, -1)}z` });
    expect(await world.payment(payment.id)).toEqual(before);
    expect(errors.map(({ message }) => message)).toEqual(['Bank event contradicts a final status']);
    expect(await available()).toBe('49.90');
  });

  test.each([
    ['FAIL', 'SETTLEMENT_ERROR'],
    ['CCLD', 'AUTHORIZATION_CANCELED'],
    ['ACCT', 'ACCOUNT_CLOSURE'],
    ['BLCK', 'ACCOUNT_BLOCKED'],
    ['SLBD', 'REQUESTED_BY_PAYER'],
    ['SLCR', 'REQUESTED_BY_RECEIVER'],
    ['OTHR', 'OTHER_REASONS'],
    ['NEW9', 'OTHER_REASONS'],
  ])('canceled by the bank with the code %s has the cancellation reason %s', async (code, reason) => {
    await hear(attempt(['REQUESTED', 'CANCELED'], { code }));
    const cancellation = { status: 'ACCEPTED', reason, canceledAt: times.CANCELED, endToEndId: number };
    expect(await world.payment(payment.id)).toMatchObject({ status: 'CANCELED', cancellation });
  });

  test('rejected by the bank has the bank’s code, or AB10 when the bank gives none', async () => {
    await hear(attempt(['REJECTED'], { code: 'AM02' }));
    expect(await world.payment(payment.id)).toMatchObject({ errorCode: 'AM02' });
    await begin();
    await hear(attempt(['REJECTED']));
    expect(await world.payment(payment.id)).toMatchObject({ errorCode: 'AB10' });
  });
});

describe('endToEndId and dates of the bank', () => {
  test('replace those of the payment as soon as the bank gives them', async () => {
    expect(payment.endToEndId).toBeUndefined();
    await hear(attempt(['REQUESTED'], { day: '2026-01-21' }));
    expect(await world.payment(payment.id)).toMatchObject({
      ...{ status: 'PENDING', endToEndId: number, dueDate: day, settlementDate: '2026-01-21' },
    });
    const { version } = world.items('SCHEDULED_PAYMENT')[0]!;
    await hear(attempt(['REQUESTED'], { day: '2026-01-21' }));
    expect(world.items('SCHEDULED_PAYMENT')[0]?.['version'], 'nothing is written twice').toBe(version);
  });

  test('are those of the pay-in that the payment settles: endToEndId and paidAt', async () => {
    await hear(attempt(['REQUESTED', 'SCHEDULED', 'PAID']));
    const { orderId } = await world.payment(payment.id);
    const order = (await world.getPayIn({ companyId: companyOne, params: { id: orderId ?? '' } })).body;
    expect(order).toMatchObject({ status: 'PAID', endToEndId: number, paidAt: times.PAID });
    expect(order, 'at the time of the event').toMatchObject({ createdAt: world.clock.now });
    expect(world.items('RECEIVED_PIX')).toMatchObject([{ endToEndId: number, orderId }]);
  });

  test('are not in a cancellation that was requested before', async () => {
    world.clock.now = '2026-01-15T15:00:00.000Z';
    expect((await world.withdraw(payment.id, 'k')).body).not.toHaveProperty('endToEndId');
  });
});

test('a Pix that was credited before is not credited again by its payment', async () => {
  await hear(attempt(['REQUESTED']));
  await world.forced(payment.id, 'REJECTED');
  await hear(attempt(['REQUESTED', 'PAID']));
  expect(entries()).toContain('UNMATCHED_CREDIT');
  const credited = world.items('RECEIVED_PIX')[0]!;
  await begin();
  await world.store.write([{ put: credited }], 't');
  await hear(attempt(['REQUESTED', 'SCHEDULED', 'PAID']));
  expect(await world.payment(payment.id)).toMatchObject({ status: 'COMPLETED' });
  expect(await available()).toBe('0.00');
});

test('a charge and its withdrawal get the status of the bank’s answer within their requests', async () => {
  world.bank.recurringCharges.schedule.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { attempts: [attempt(['REQUESTED', 'SCHEDULED'])] } });
  world.clock.now = '2026-01-15T15:00:00.000Z';
  const other = await world.accepted({});
  payment = await world.scheduled(paymentBody({ dueDate: day }), other);
  expect(await world.payment(payment.id, other)).toMatchObject({ status: 'ACCEPTED', endToEndId: number });
  world.bank.recurringCharges.withdraw.submit = () =>
    Promise.resolve({
      outcome: 'DONE',
      state: { attempts: [attempt(['REQUESTED', 'SCHEDULED', 'CANCELED'], { code: 'SLCR' })] },
    });
  expect((await world.withdraw(payment.id, 'k', {}, other)).body).toMatchObject({ status: 'PENDING' });
  expect(await world.payment(payment.id, other)).toMatchObject({
    ...{ status: 'CANCELED', cancellation: { status: 'ACCEPTED', reason: 'REQUESTED_BY_RECEIVER' } },
  });
  expect(world.told(payment.id)).toEqual(['PENDING', 'ACCEPTED', 'CANCELLATION.PENDING', 'CANCELLATION.ACCEPTED']);
  expect(world.items('SCHEDULED_PAYMENT').filter((item) => item['id'] === payment.id && 'GSI3PK' in item)).toEqual([]);
});

test('a charge is not withdrawn when its lookup shows that the bank rejected it', async () => {
  world.clock.now = '2026-01-15T15:00:00.000Z';
  const { schedule, withdraw } = world.bank.recurringCharges;
  schedule.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
  schedule.find = () => Promise.resolve({ outcome: 'UNKNOWN' });
  const other = await world.accepted({});
  const { id } = await world.scheduled(paymentBody({ dueDate: day }), other);
  await world.withdraw(id, 'k', {}, other);
  const rejectedAttempt = attempt(['REJECTED'], { code: 'AM02' });
  schedule.find = () => Promise.resolve({ outcome: 'DONE', state: { attempts: [rejectedAttempt] } });
  withdraw.find = () => Promise.reject(new Error('It was asked for.'));
  withdraw.submit = () => Promise.reject(new Error('It was withdrawn.'));
  world.clock.now = '2026-01-15T15:03:00.000Z';
  expect(await world.advance()).toMatchObject({ open: 0 });
  expect(await world.payment(id, other)).toMatchObject({
    ...{ status: 'REJECTED', errorCode: 'AM02', cancellation: { status: 'REJECTED' } },
  });
});

test('a bank history in parts, in any order, repeated or concurrent, gives the same statuses and notifications', async () => {
  const whole = fc.constantFrom<readonly Said[]>(
    ['REQUESTED', 'SCHEDULED', 'PAID'],
    ['REQUESTED', 'SCHEDULED', 'EXPIRED'],
    ['REQUESTED', 'EXPIRED'],
    ['REQUESTED', 'SCHEDULED', 'CANCELED'],
    ['REQUESTED', 'CANCELED'],
    ['REQUESTED', 'REJECTED'],
    ['REQUESTED', 'SCHEDULED'],
  );
  const became: Partial<Readonly<Record<Said, string>>> = {
    ...{ SCHEDULED: 'ACCEPTED', PAID: 'COMPLETED', EXPIRED: 'CANCELED_INSUFFICIENT_BALANCE' },
    ...{ CANCELED: 'CANCELED', REJECTED: 'REJECTED' },
  };
  await fc.assert(
    fc.asyncProperty(whole, fc.array(fc.nat(3), { maxLength: 6 }), fc.boolean(), async (history, cuts, isAtOnce) => {
      await begin();
      const expected = history.flatMap((reportedStatus) => {
        const status = became[reportedStatus];
        return status === undefined ? [] : [{ status, createdAt: times[reportedStatus] }];
      });
      const receivedHistories = [...cuts.map((cut) => history.slice(0, cut)), history, history];
      if (isAtOnce) await Promise.all(receivedHistories.map((part) => hear(attempt(part))));
      else for (const part of receivedHistories) await hear(attempt(part));
      for (const cut of cuts) await hear(attempt(history.slice(0, cut)));
      const { statusHistory } = await world.payment(payment.id);
      expect(statusHistory.slice(2)).toEqual(expected);
      expect(world.told(payment.id)).toEqual([
        'PENDING',
        ...expected.map(({ status }) => (status.startsWith('CANCELED') ? 'CANCELLATION.ACCEPTED' : status)),
      ]);
      expect(entries().filter((kind) => kind === 'PAY_IN')).toHaveLength(history.includes('PAID') ? 1 : 0);
      expect(errors).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
