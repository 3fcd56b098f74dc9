import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import { day, eve, lostCommandsWorld } from '#test/support/lost-commands.ts';
import { paymentBody } from '#test/support/payment-world.ts';

const done = { outcome: 'DONE', state: { attempts: [] } } as const;
const unknown = { outcome: 'UNKNOWN' } as const;
const refused = { outcome: 'REFUSED', code: 'AM09', reason: 'No.' } as const;
const neverSeen = { outcome: 'NEVER_SEEN' } as const;

let world: Awaited<ReturnType<typeof lostCommandsWorld>>;
beforeEach(async () => {
  world = await lostCommandsWorld();
});

describe('a charge that never reached the bank', () => {
  test.each([
    ['charge', '00:02', '2026-01-21'],
    ['charge', '09:00', '2026-01-23'],
    ['resend', '21:02', day],
    ['resend', '09:00', '2026-01-21'],
    ['new attempt', '00:01', day],
  ] as const)(
    'is not submitted after its deadline, and becomes ERROR, when it is a %s at %s of %s',
    async (kind, time, on) => {
      const { id } = await world.lose[kind]();
      world.at(time, on);
      expect(await world.advance()).toMatchObject({ tooLate: 1, open: 0 });
      expect(await world.payment(id)).toMatchObject({ status: 'ERROR', errorCode: 'DENC', updatedAt: world.clock.now });
      expect(world.told(id)).toEqual(['PENDING', 'ERROR']);
      expect(await world.advance()).toMatchObject({ tooLate: 0, open: 0 });
      expect([world.bank.handed, world.waiting()]).toEqual([[], 0]);
    },
  );

  test.each([
    ['charge', '23:59', day],
    ['new attempt', '23:58', eve],
  ] as const)('is submitted before its deadline when it is a %s at %s of %s', async (kind, time, on) => {
    const { id } = await world.lose[kind]();
    world.clock.now = plusSeconds(instantAt(on, time), 59);
    expect(await world.advance()).toMatchObject({ tooLate: 0, open: 0 });
    expect([world.bank.handed.map(({ what }) => what), (await world.payment(id)).status]).toEqual([
      ['SCHEDULE'],
      'PENDING',
    ]);
  });

  test('leaves its cycle as another error does: a first attempt or a new one may follow', async () => {
    const { id } = await world.lose.charge();
    world.at('09:00', '2026-01-23');
    await world.advance();
    const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: id, dueDate: '2026-01-25' };
    expect((await world.schedule(paymentBody(again))).status).toBe(201);
    world = await lostCommandsWorld();
    await world.lose.charge();
    world.at('09:00', '2026-01-23');
    await world.advance();
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });

  test('frees the cycle of its chain, if it was the resend', async () => {
    await world.lose.resend();
    world.at('21:02');
    await world.advance();
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });

  test('becomes ERROR, and its open request to cancel is rejected', async () => {
    const { id } = await world.lose.charge();
    world.bank.found = () => unknown;
    await world.withdraw(id, 'k');
    world.bank.found = () => neverSeen;
    world.at('09:00', '2026-01-21');
    expect(await world.advance()).toMatchObject({ tooLate: 1 });
    expect(await world.payment(id)).toMatchObject({ status: 'ERROR', cancellation: { status: 'REJECTED' } });
    expect(world.told(id)).toEqual(['PENDING', 'CANCELLATION.PENDING', 'ERROR', 'CANCELLATION.REJECTED']);
    expect([world.bank.handed, world.waiting()]).toEqual([[], 0]);
  });

  test('becomes ERROR too when its window opens after its settlement date', async () => {
    world = await lostCommandsWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
    const { id } = await world.scheduled(paymentBody({ dueDate: '2026-02-10' }));
    world.at('09:00', '2026-02-12');
    expect(await world.advance()).toMatchObject({ released: 1, tooLate: 1 });
    expect(await world.payment(id)).toMatchObject({ status: 'ERROR', errorCode: 'DENC' });
    expect(world.bank.handed).toEqual([]);
  });
});

describe('a request to cancel that never reached the bank', () => {
  test('is not submitted at 22:02 of the day before, and is rejected', async () => {
    const { id } = await world.lose.withdrawal();
    world.at('22:02', eve);
    expect(await world.advance()).toMatchObject({ tooLate: 1, open: 0 });
    expect(await world.payment(id)).toMatchObject({ status: 'ACCEPTED', cancellation: { status: 'REJECTED' } });
    expect(world.told(id).slice(-2)).toEqual(['CANCELLATION.PENDING', 'CANCELLATION.REJECTED']);
    expect(await world.advance()).toMatchObject({ tooLate: 0 });
    expect([world.bank.handed, world.waiting()]).toEqual([[], 0]);
  });

  test('is rejected while its charge, whose deadline is later, is still submitted', async () => {
    const { id } = await world.lose.charge();
    world.bank.found = () => unknown;
    await world.withdraw(id, 'k');
    world.bank.found = () => neverSeen;
    world.at('22:02', eve);
    expect(await world.advance()).toMatchObject({ tooLate: 1 });
    expect(await world.payment(id)).toMatchObject({ status: 'PENDING', cancellation: { status: 'REJECTED' } });
    expect(world.bank.handed).toEqual([{ at: world.clock.now, what: 'SCHEDULE' }]);
    world.bank.found = () => done;
    world.at('22:05', eve);
    await world.advance();
    expect(world.waiting()).toBe(0);
  });

  test('stays PENDING, and is not submitted, when its deadline comes between the write and the bank call', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await world.forced(id, 'ACCEPTED');
    world.bank.handed = [];
    world.clock.now = plusSeconds(instantAt(eve, '22:00'), -0.001);
    const { write } = world.store;
    Object.assign(world.store, {
      write: async (...given: Parameters<typeof write>) => {
        const outcome = await write(...given);
        world.at('22:00', eve);
        return outcome;
      },
    });
    expect((await world.withdraw(id, 'k')).body).toMatchObject({ status: 'PENDING' });
    expect([world.bank.handed, world.waiting()]).toEqual([[], 1]);
  });
});

describe('a command after its deadline', () => {
  test('leaves the payment PENDING when the bank’s lookup shows it', async () => {
    const { id } = await world.lose.resend();
    world.bank.found = () => done;
    world.at('21:02');
    expect(await world.advance()).toMatchObject({ tooLate: 0, open: 0 });
    expect((await world.payment(id)).status).toBe('PENDING');
    expect([world.bank.handed, world.waiting()]).toEqual([[], 0]);
  });

  test('rejects the payment with the bank’s code when the bank’s lookup shows a refusal', async () => {
    const { id } = await world.lose.resend();
    world.bank.found = () => refused;
    world.at('21:02');
    expect(await world.advance()).toMatchObject({ tooLate: 0 });
    expect(await world.payment(id)).toMatchObject({ status: 'REJECTED', errorCode: 'AM09' });
  });

  test('is looked up again as long as the bank does not answer', async () => {
    const { id } = await world.lose.resend();
    world.bank.found = () => unknown;
    for (const time of ['21:02', '21:04', '23:00']) {
      world.at(time);
      expect(await world.advance()).toMatchObject({ tooLate: 0, open: 1 });
    }
    expect([(await world.payment(id)).status, world.waiting()]).toEqual(['PENDING', 1]);
    world.bank.found = () => neverSeen;
    world.at('09:00', '2026-01-21');
    expect(await world.advance()).toMatchObject({ tooLate: 1 });
    expect([(await world.payment(id)).errorCode, world.bank.handed]).toEqual(['DENC', []]);
  });

  test('stays open for two minutes, even when the bank never saw it, as a submission may be under way', async () => {
    const { id } = await world.lose.charge();
    world.at('00:00', '2026-01-21');
    expect(await world.advance()).toMatchObject({ tooLate: 0, open: 1 });
    world.at('00:01', '2026-01-21');
    expect(await world.advance()).toMatchObject({ tooLate: 0 });
    expect([(await world.payment(id)).status, world.bank.handed]).toEqual(['PENDING', []]);
  });
});

describe('a command at its deadline', () => {
  test('is not submitted when the deadline comes between the lookup and the submission', async () => {
    const { id } = await world.lose.charge();
    world.at('23:59');
    world.bank.found = () => {
      world.at('00:00', '2026-01-21');
      return neverSeen;
    };
    expect(await world.advance()).toMatchObject({ tooLate: 0, open: 1 });
    expect([world.bank.handed, (await world.payment(id)).status]).toEqual([[], 'PENDING']);
  });

  test('does not fail the payment when the bank accepts the payment meanwhile', async () => {
    const { id } = await world.lose.resend();
    world.bank.found = async () => {
      await world.force(id, 'ACCEPTED');
      return neverSeen;
    };
    world.at('21:02');
    expect(await world.advance()).toMatchObject({ tooLate: 0, due: { CHARGE_COMMAND: { failed: 0 } } });
    expect((await world.payment(id)).status).toBe('ACCEPTED');
  });

  test('fails the payment once when three workers run concurrently', async () => {
    const { id } = await world.lose.resend();
    world.at('21:02');
    const runs = await Promise.all([world.advance(), world.advance(), world.advance()]);
    expect(runs.reduce((sum, { tooLate }) => sum + tooLate, 0)).toBe(1);
    expect(world.told(id)).toEqual(['PENDING', 'ERROR']);
  });

  test('fails the payment in the next run when the process died before it wrote the status', async () => {
    const { id } = await world.lose.resend();
    const { write } = world.store;
    Object.assign(world.store, { write: () => Promise.reject(new Error('died')) });
    world.at('21:02');
    expect(await world.advance()).toMatchObject({ tooLate: 0, due: { CHARGE_COMMAND: { failed: 1 } } });
    Object.assign(world.store, { write });
    world.at('21:04');
    expect(await world.advance()).toMatchObject({ tooLate: 1 });
    expect(world.told(id)).toEqual(['PENDING', 'ERROR']);
  });
});
