import { expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { PaymentRecord } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { repeated } from '../support/repeated.ts';
import { onEveryStore } from '../support/stores.ts';

const day = '2026-01-20';

/** The decisions of the engine's conditions: of concurrent requests one is created or applied. */
onEveryStore((store) => {
  const worldOf = async () => {
    const seed = randomIds.uuid();
    const more = { allowChargeAfterDueDate: true, externalId: seed };
    const world = await paymentWorld({ wrap: store, seed, accountId: seed }, more);
    return Object.assign(world, { schedule: repeated(world.schedule), force: repeated(world.force) });
  };
  const body = (more: Record<string, unknown> = {}) =>
    paymentBody({ externalId: randomIds.uuid(), dueDate: day, ...more });
  const statusesOf = (responses: readonly { readonly status: number }[]) =>
    responses.map(({ status }) => status).toSorted();
  const oneOf = (count: number, first: number, rest: number) =>
    [first, ...Array<number>(count - 1).fill(rest)].toSorted();

  test('one request ten times at once makes one payment', async () => {
    const world = await worldOf();
    const one = body();
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.schedule(one)));
    expect(statusesOf(responses)).toEqual(oneOf(10, 201, 200));
    expect(new Set(responses.map((response) => (response.body as PaymentRecord).id)).size).toBe(1);
    expect(await world.all()).toHaveLength(1);
  });

  test('ten first attempts of one cycle at once: one is made', async () => {
    const world = await worldOf();
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.schedule(body())));
    expect(statusesOf(responses)).toEqual(oneOf(10, 201, 409));
    expect(await world.all()).toHaveLength(1);
  });

  test('a first attempt and a new attempt after an error at once: one is made', async () => {
    const world = await worldOf();
    const { id } = await world.scheduled(body());
    await world.forced(id, 'ERROR');
    const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: id, dueDate: '2026-01-22' };
    const responses = await Promise.all(
      [body({ dueDate: '2026-01-25' }), body(again)].map((one) => world.schedule(one)),
    );
    expect(statusesOf(responses)).toEqual([201, 409]);
  });

  test('a subscription that is canceled while payments are made has none left open', async () => {
    const world = await worldOf();
    const dueDates = ['2026-01-20', '2026-02-20', '2026-03-20', '2026-04-20', '2026-05-20'];
    const [, ...responses] = await Promise.all([
      world.forceSubscription(world.subscriptionId, 'CANCELED'),
      ...dueDates.map((dueDate) => world.schedule(body({ dueDate }))),
    ]);
    await world.advance();
    const payments = await world.all();
    expect(payments).toHaveLength(responses.filter(({ status }) => status === 201).length);
    expect(new Set(payments.map(({ status }) => status)).difference(new Set(['CANCELED'])).size).toBe(0);
  });

  test('five runs at once make one resend, and ten settlements of it pay once', async () => {
    const world = await worldOf();
    const { id } = await world.scheduled(body());
    world.clock.now = instantAt(day, '10:00');
    await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
    await Promise.all(Array.from({ length: 5 }, () => world.resend()));
    const [resend, ...others] = (await world.all()).filter((one) => one.id !== id);
    expect(others).toEqual([]);
    await world.forced(resend?.id ?? '', 'ACCEPTED');
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.force(resend?.id ?? '', 'COMPLETED')));
    expect(statusesOf(responses)).toEqual(oneOf(10, 200, 409));
    const { orderId } = await world.payment(resend?.id ?? '');
    expect((await world.getPayIn({ companyId: world.companyId, params: { id: orderId ?? '' } })).body).toMatchObject({
      status: 'PAID',
    });
  });
});
