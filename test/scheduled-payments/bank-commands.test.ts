import { beforeEach, describe, expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';

type Outcome = CommandOutcome<RecurringChargeState>;
const done = { outcome: 'DONE', state: { attempts: [] } } as const;
const unknown = { outcome: 'UNKNOWN' } as const;
const refusedAs = (code?: string): Outcome => ({
  outcome: 'REFUSED',
  reason: 'No.',
  ...(code !== undefined && { code }),
});

/** A bank with a memory, which answers a repeated command as many do: with an error. */
function memory(world: PaymentWorld) {
  const taken: string[] = [];
  const bank = { answers: [] as Outcome[], asked: 0, given: 0 };
  const take = (reference: string): Promise<Outcome> => {
    bank.given += 1;
    if (taken.includes(reference)) return Promise.resolve(refusedAs('DUPLICATE'));
    const response = bank.answers.shift() ?? done;
    if (response.outcome !== 'REFUSED') taken.push(reference);
    return Promise.resolve(response);
  };
  const { recurringCharges } = world.bank;
  recurringCharges.schedule.submit = ({ reference }) => take(reference);
  recurringCharges.withdraw.submit = ({ reference }) => take(reference);
  const find = ({ reference }: { readonly reference: string }): Promise<FoundCommand<RecurringChargeState>> => {
    bank.asked += 1;
    return Promise.resolve(taken.includes(reference) ? done : { outcome: 'NEVER_SEEN' });
  };
  recurringCharges.schedule.find = find;
  recurringCharges.withdraw.find = find;
  return { ...bank, bank, taken };
}

let world: PaymentWorld;
beforeEach(async () => {
  world = await paymentWorld();
});
const later = () => {
  world.clock.now = plusSeconds(world.clock.now, 121);
};
const waiting = () => world.items('SCHEDULED_PAYMENT').filter((item) => 'GSI3PK' in item).length;

describe('a command to the bank', () => {
  test('is confirmed by a lookup of the worker, and not submitted again, when the bank accepted it', async () => {
    const { bank, taken } = memory(world);
    const { id } = await world.scheduled(paymentBody());
    expect([taken.length, bank.asked, waiting()]).toEqual([1, 0, 1]);
    later();
    expect(await world.advance()).toMatchObject({ open: 0 });
    expect([taken.length, bank.asked, bank.given, waiting()]).toEqual([1, 1, 1, 0]);
    expect((await world.payment(id)).status).toBe('PENDING');
  });

  test('is not submitted again when the bank accepted it and its answer was lost', async () => {
    const { bank, taken } = memory(world);
    bank.answers.push(unknown);
    const { id } = await world.scheduled(paymentBody());
    later();
    await world.advance();
    expect(taken).toEqual([id.replaceAll('-', '')]);
    expect(await world.payment(id)).toMatchObject({ status: 'PENDING' });
  });

  test('is submitted again by one of two concurrent workers, even when the bank’s lookup does not show it yet', async () => {
    const { bank } = memory(world);
    bank.answers.push(unknown, unknown, unknown);
    world.bank.recurringCharges.schedule.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    await world.scheduled(paymentBody());
    later();
    await Promise.all([world.advance(), world.advance()]);
    expect(bank.given).toBe(2);
  });

  test('is submitted by the worker when the process died before it was submitted', async () => {
    world.bank.recurringCharges.schedule.submit = () => Promise.reject(new Error('died'));
    await world.scheduled(paymentBody());
    const { taken } = memory(world);
    later();
    await world.advance();
    expect([taken.length, waiting()]).toEqual([1, 0]);
  });

  test('stays due while the bank does not answer', async () => {
    await world.scheduled(paymentBody({ description: 'silent@bank.example' }));
    for (const _try of [1, 2]) {
      later();
      expect(await world.advance()).toMatchObject({ open: 1 });
    }
    expect(waiting()).toBe(1);
  });

  test('counts as accepted when the bank refuses it as a duplicate', async () => {
    const { taken } = memory(world);
    const { submit } = world.bank.recurringCharges.schedule;
    world.bank.recurringCharges.schedule.submit = async (order, context) => {
      await submit(order, context);
      return submit(order, context);
    };
    const { id } = await world.scheduled(paymentBody());
    expect([taken.length, (await world.payment(id)).status]).toEqual([1, 'PENDING']);
  });

  test('rejects the payment, or the request to cancel it, when the bank refuses it permanently', async () => {
    const { bank } = memory(world);
    bank.answers.push(refusedAs('AM09'));
    const refused = await world.scheduled(paymentBody());
    expect(await world.payment(refused.id)).toMatchObject({ status: 'REJECTED', errorCode: 'AM09' });
    expect(waiting()).toBe(0);

    const { id } = await world.scheduled(paymentBody());
    bank.answers.push(refusedAs());
    expect((await world.withdraw(id, 'k')).body).toMatchObject({ status: 'PENDING' });
    expect(await world.payment(id)).toMatchObject({ status: 'PENDING', cancellation: { status: 'REJECTED' } });
    expect(world.told(id)).toEqual(['PENDING', 'CANCELLATION.PENDING', 'CANCELLATION.REJECTED']);
  });

  test('is submitted after the charge when it withdraws a charge that the bank may not have', async () => {
    world.bank.recurringCharges.schedule.submit = () => Promise.resolve(unknown);
    world.bank.recurringCharges.schedule.find = () => Promise.resolve(unknown);
    const { id } = await world.scheduled(paymentBody());
    const { id: request } = (await world.withdraw(id, 'k')).body as { id: string };
    const { taken } = memory(world);
    later();
    await world.advance();
    expect(taken).toEqual([id, request].map((one) => one.replaceAll('-', '')));
    expect(waiting()).toBe(0);
  });

  test('is not submitted when its payment was accepted meanwhile', async () => {
    world.bank.recurringCharges.schedule.submit = () => Promise.resolve(unknown);
    const { id } = await world.scheduled(paymentBody());
    await world.forced(id, 'ACCEPTED');
    const { taken } = memory(world);
    later();
    await world.advance();
    expect([taken, waiting()]).toEqual([[], 0]);
  });

  test('leaves the payment ACCEPTED when the bank refuses it after the payment was accepted', async () => {
    world.bank.recurringCharges.schedule.submit = async () => {
      const [payment] = await world.all();
      await world.forced(payment?.id ?? '', 'ACCEPTED');
      return refusedAs('AM09');
    };
    const { id } = await world.scheduled(paymentBody());
    expect((await world.payment(id)).status).toBe('ACCEPTED');
  });

  test('stays in pendingCommands when it was added during the lookup of another command', async () => {
    world.bank.recurringCharges.schedule.submit = () => Promise.resolve(unknown);
    const { id } = await world.scheduled(paymentBody());
    world.bank.recurringCharges.withdraw.submit = () => Promise.resolve(unknown);
    let isAsked = false;
    world.bank.recurringCharges.schedule.find = async () => {
      if (!isAsked) {
        isAsked = true;
        await world.withdraw(id, 'k');
      }
      return done;
    };
    later();
    await world.advance();
    expect(world.items('SCHEDULED_PAYMENT')).toMatchObject([{ pendingCommands: ['SCHEDULE', 'CANCEL'] }]);
  });

  test('is not begun when the request has no time left for its answer', async () => {
    let calls = 0;
    let elapsed = 0;
    const slow = await paymentWorld({});
    slow.bank.recurringCharges.schedule.submit = () => {
      calls += 1;
      return Promise.resolve(done);
    };
    Object.assign(slow.deps, { elapsedMs: () => (elapsed += 5000) });
    const slowest = await slow.schedule(paymentBody());
    expect([slowest.status, calls]).toEqual([201, 0]);
  });
});
