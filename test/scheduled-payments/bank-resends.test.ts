import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import { applyChargeAttempts } from '#shared/scheduled-payments/apply-state.ts';
import { attemptOf } from '#shared/scheduled-payments/bank-transitions.ts';
import { account, companyOne } from '#test/support/bank-world.ts';
import type { Said } from '#test/support/bank-attempts.ts';
import {
  attempt,
  attemptDay as day,
  attemptNumber as number,
  attemptTimes as times,
} from '#test/support/bank-attempts.ts';
import { chargeInstruction } from '#shared/scheduled-payments/instruction.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import { aPayment } from '#test/support/charges.ts';
import { collectErrors } from '#test/support/logged.ts';
import type { PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';

let world: PaymentWorld;
let id: string;
let errors: ReturnType<typeof collectErrors>;
afterEach(() => {
  vi.restoreAllMocks();
});
const hear = (...attempts: readonly ChargeAttempt[]) =>
  applyChargeAttempts({ ...world.deps, companyId: companyOne, requestId: 'r' }, id, { attempts });
const available = async (): Promise<unknown> =>
  ((await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body as { available: unknown })
    .available;

describe('resends that the bank makes by itself', () => {
  beforeEach(async () => {
    errors = collectErrors();
    world = await paymentWorld();
    world.bank.recurringCharges.prepare = () => Promise.resolve({});
    ({ id } = await world.scheduled(paymentBody({ dueDate: day })));
    world.clock.now = '2026-01-20T12:00:00.000Z';
    world.bank.capabilities = () =>
      Promise.resolve({ ...allCapabilities, retryOwner: 'bank', settlementDriver: 'bank' });
  });
  const failed = { code: 'FAIL' };
  const resend = (place: number, statuses: readonly Said[], more: Partial<ChargeAttempt> = {}): ChargeAttempt =>
    attempt(statuses, {
      ...{ kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR', endToEndId: `${number.slice(0, -1)}${place + 1}` },
      ...more,
    });
  const chain = async () =>
    (await world.all()).map(({ status, purpose, settlementErrorRetryAttempt: place, endToEndId }) =>
      [status, purpose, place ?? 0, endToEndId?.at(-1)].join(' '),
    );

  test('are recorded once each, in their chain, and moved likewise', async () => {
    const attempts = [
      attempt(['REQUESTED', 'SCHEDULED', 'CANCELED'], failed),
      resend(1, ['REQUESTED', 'CANCELED'], failed),
      resend(2, ['REQUESTED', 'SCHEDULED', 'PAID']),
    ];
    for (const count of [1, 2, 2, 3, 3, 1]) await hear(...attempts.slice(0, count));
    for (const one of await world.all()) {
      ({ id } = one);
      await hear(...attempts);
    }
    expect((await chain()).toSorted()).toEqual([
      'CANCELED FIRST_ATTEMPT 0 1',
      'CANCELED RESEND_DUE_TO_SETTLEMENT_ERROR 1 2',
      'COMPLETED RESEND_DUE_TO_SETTLEMENT_ERROR 2 3',
    ]);
    const resends = (await world.all()).filter(({ purpose }) => purpose !== 'FIRST_ATTEMPT');
    expect(
      resends.map(({ createdAt }) => createdAt),
      'at the time of the bank',
    ).toEqual([times.REQUESTED, times.REQUESTED]);
    expect(await available()).toBe('49.90');
    expect(world.items('SCHEDULED_PAYMENT').filter((item) => 'GSI3PK' in item)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('are recorded once when the same attempts are applied three times concurrently', async () => {
    const attempts = [attempt(['REQUESTED', 'CANCELED'], failed), resend(1, ['REQUESTED'])];
    await Promise.all([hear(...attempts), hear(...attempts), hear(...attempts)]);
    expect((await chain()).toSorted()).toEqual([
      'CANCELED FIRST_ATTEMPT 0 1',
      'PENDING RESEND_DUE_TO_SETTLEMENT_ERROR 1 2',
    ]);
  });

  test('are matched by their position among the resends of the day while they have no endToEndId', () => {
    const purpose = 'RESEND_DUE_TO_SETTLEMENT_ERROR';
    const payment = (place: number) => {
      const { endToEndId: _, ...numberless } = aPayment({ purpose, settlementDate: day });
      return { ...numberless, settlementErrorRetryAttempt: place };
    };
    const attempts = [attempt(['REQUESTED', 'CANCELED'], failed), resend(1, ['REQUESTED', 'CANCELED'], failed)];
    expect(attemptOf({ attempts }, payment(1))).toBe(attempts[1]);
    // The bank's answer is older than its second resend: it is not taken for the first one, which failed.
    expect(attemptOf({ attempts }, payment(2))).toBeUndefined();
    const second = resend(2, ['REQUESTED', 'PAID']);
    expect(attemptOf({ attempts: [...attempts, second] }, payment(2))).toBe(second);
    expect(attemptOf({ attempts: [...attempts, second] }, { ...payment(2), endToEndId: 'E9' })).toBeUndefined();
  });

  test('are ordered and looked up by their position, so that a lost resend is not taken for the one before it', async () => {
    await hear(
      attempt(['REQUESTED', 'CANCELED'], failed),
      resend(1, ['REQUESTED', 'CANCELED'], failed),
      resend(2, ['REQUESTED']),
    );
    const charges = await Promise.all(
      (await world.all()).map((payment) => readCharge(world.store, companyOne, payment.id)),
    );
    const places = charges.map((charge) => [charge!.payment.purpose, chargeInstruction(charge!).resend]);
    expect(places.toSorted()).toEqual([
      ['FIRST_ATTEMPT', undefined],
      ['RESEND_DUE_TO_SETTLEMENT_ERROR', 1],
      ['RESEND_DUE_TO_SETTLEMENT_ERROR', 2],
    ]);
  });
});
