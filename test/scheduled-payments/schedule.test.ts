import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { testClient } from '#test/support/api.ts';
import { account, companyOne, holder, otherCompany } from '#test/support/bank-world.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { refused } from '#test/support/refusals.ts';

/** Monthly from 15 January 2026, the day of the test: a Thursday at noon. */
let world: PaymentWorld;
beforeEach(async () => {
  world = await paymentWorld();
});

describe('a payment that is scheduled', () => {
  test('is returned as its record, without the fields that are not set', async () => {
    const response = await world.schedule(paymentBody({ externalId: 'jan', description: 'Janeiro' }));
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(String) as string,
      externalId: 'jan',
      subscriptionId: world.subscriptionId,
      status: 'PENDING',
      statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status, createdAt: world.clock.now })),
      amount: { currency: 'BRL', value: '49.90' },
      dueDate: '2026-01-20',
      settlementDate: '2026-01-20',
      description: 'Janeiro',
      purpose: 'FIRST_ATTEMPT',
      endToEndId: expect.stringMatching(/^E99999004202601151500[A-Za-z0-9]{11}$/u) as string,
      createdAt: world.clock.now,
      updatedAt: world.clock.now,
    });
    const { id } = response.body as PaymentRecord;
    expect(await world.payment(id)).toEqual({ ...(response.body as object), createdBy: testClient });
    expect(world.notified().at(-1)).toMatchObject({
      event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING',
      resource: { type: 'SCHEDULED_PAYMENT', id },
      target: { endpoint: 'http://127.0.0.1:9/hook' },
      data: { occurredAt: world.clock.now, data: response.body },
    });
  });

  test('is created once, and its current record returned, when the same request comes again', async () => {
    const body = paymentBody();
    const { id } = await world.scheduled(body);
    await world.forced(id, 'ACCEPTED');
    const again = await world.schedule({ ...body, amount: { currency: 'BRL', value: 49.9 } });
    expect(again.status).toBe(200);
    expect({ ...(again.body as object), createdBy: testClient }).toEqual(await world.payment(id));
    expect(await world.all()).toHaveLength(1);
  });

  test('is created once when the same request comes 20 times concurrently', async () => {
    const body = paymentBody();
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.schedule(body)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(responses.map((response) => (response.body as PaymentRecord).id)).size).toBe(1);
    expect(world.items('SCHEDULED_PAYMENT')).toHaveLength(1);
    expect(world.told((responses[0]?.body as PaymentRecord).id)).toEqual(['PENDING']);
  });

  test('is refused when it has the externalId of another request', async () => {
    const body = paymentBody();
    await world.scheduled(body);
    refused(await world.schedule({ ...body, dueDate: '2026-01-21' }), 409, ['externalId:ALREADY_EXISTS']);
    const other = await world.accepted({});
    refused(await world.schedule(body, other), 409, ['externalId:ALREADY_EXISTS']);
  });
});

describe('the subscription', () => {
  test('must be there, of this company, and accepted', async () => {
    refused(await world.schedule(paymentBody(), world.ids.uuid()), 404, []);
    refused(await world.schedule(paymentBody(), world.subscriptionId, otherCompany), 404);
    await world.forceSubscription(world.subscriptionId, 'CANCELED');
    refused(await world.schedule(paymentBody()), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('gets no payment when it is canceled between reading and writing', async () => {
    let isCanceled = false;
    const racing = await paymentWorld({
      wrap: (memory) => ({
        ...memory,
        write: async (writes, token) => {
          if (!isCanceled && writes.some((write) => 'put' in write && write.put['entity'] === 'SCHEDULED_PAYMENT')) {
            isCanceled = true;
            await racing.forceSubscription(racing.subscriptionId, 'CANCELED');
          }
          return memory.write(writes, token);
        },
      }),
    });
    refused(await racing.schedule(paymentBody()), 409);
    expect(racing.items('SCHEDULED_PAYMENT')).toHaveLength(0);
  });

  test('bounds the due date', async () => {
    const id = await world.accepted({ startDate: '2026-02-01', endDate: '2026-03-31' });
    refused(await world.schedule(paymentBody({ dueDate: '2026-01-31' }), id), 400, ['dueDate:OUT_OF_RANGE']);
    refused(await world.schedule(paymentBody({ dueDate: '2026-04-01' }), id), 400, ['dueDate:OUT_OF_RANGE']);
    expect((await world.schedule(paymentBody({ dueDate: '2026-03-31' }), id)).status).toBe(201);
  });

  test('with a fixed amount needs none and takes no other; without one it is required', async () => {
    const id = await world.accepted({ fixedAmount: { currency: 'BRL', value: '10.00' } });
    expect((await world.scheduled(paymentBody({ amount: undefined }), id)).amount.value).toBe('10.00');
    const february = { dueDate: '2026-02-20' };
    refused(await world.schedule(paymentBody(february), id), 400, ['amount.value:INVALID_VALUE']);
    refused(await world.schedule(paymentBody({ amount: undefined })), 400, ['amount:REQUIRED']);
  });

  test('settles a payment due on Saturday on the Monday when it allows adjustment to business days', async () => {
    const id = await world.accepted({ allowAdjustToBusinessDay: true });
    const { dueDate, settlementDate } = await world.scheduled(paymentBody({ dueDate: '2026-01-17' }), id);
    expect([dueDate, settlementDate]).toEqual(['2026-01-17', '2026-01-19']);
  });
});

describe('the window', () => {
  test('for today ends at 21:00 in Brasilia', async () => {
    world.clock.now = instantAt('2026-01-15', '20:59');
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-15' }))).status).toBe(201);
    const other = await world.accepted({});
    world.clock.now = instantAt('2026-01-15', '21:00');
    refused(await world.schedule(paymentBody({ dueDate: '2026-01-15' }), other), 409, ['dueDate:OUTSIDE_WINDOW']);
  });

  test('holds a payment in INITIAL in production, without notification, and opens on the tenth day before', async () => {
    const production = await paymentWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
    refused(await production.schedule(paymentBody({ dueDate: '2026-01-16' })), 400);
    const { id, status, endToEndId } = await production.scheduled(paymentBody({ dueDate: '2026-02-10' }));
    expect([status, endToEndId?.length]).toEqual(['INITIAL', 32]);
    expect(production.told(id)).toEqual([]);

    production.clock.now = instantAt('2026-01-30', '23:59');
    expect(await production.advance()).toMatchObject({ released: 0 });
    production.clock.now = instantAt('2026-01-31', '00:00');
    expect(await production.advance()).toMatchObject({ released: 1 });
    expect(await production.advance()).toMatchObject({ released: 0 });
    const { statusHistory } = await production.payment(id);
    expect(statusHistory.map((entry) => entry.status)).toEqual(['INITIAL', 'PENDING']);
    expect(statusHistory.at(-1)?.createdAt).toBe(production.clock.now);
    expect(production.told(id)).toEqual(['PENDING']);
  });

  test('does not hold a payment when it is already open at the creation of the payment', async () => {
    const production = await paymentWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
    expect((await production.scheduled(paymentBody({ dueDate: '2026-01-25' }))).status).toBe('PENDING');
  });
});

describe('a cycle', () => {
  test('has one live first attempt', async () => {
    await world.scheduled(paymentBody({ dueDate: '2026-02-14' }));
    refused(await world.schedule(paymentBody({ dueDate: '2026-01-20' })), 409, ['dueDate:ALREADY_EXISTS']);
    expect((await world.schedule(paymentBody({ dueDate: '2026-02-15' }))).status).toBe(201);
  });

  test('gets one first attempt when ten are scheduled concurrently', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, day) => world.schedule(paymentBody({ dueDate: `2026-01-2${day}` }))),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect(world.items('SCHEDULED_PAYMENT')).toHaveLength(1);
  });

  test.each([
    ['REJECTED', ['REJECTED'], 201],
    ['CANCELED', ['CANCELED'], 201],
    ['ERROR', ['ERROR'], 201],
    ['COMPLETED', ['ACCEPTED', 'COMPLETED'], 409],
    ['CANCELED_INSUFFICIENT_BALANCE', ['ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE'], 409],
  ])('whose first attempt is %s accepts or refuses another first attempt', async (_name, moves, status) => {
    const { id } = await world.scheduled(paymentBody());
    await world.forced(id, ...moves);
    const response = await world.schedule(paymentBody({ dueDate: '2026-01-25' }));
    expect(response.status).toBe(status);
    if (status === 409) refused(response, 409, ['dueDate:ALREADY_EXISTS']);
  });
});

test('a payment of another subscription, or another company, is not found', async () => {
  const { id } = await world.scheduled(paymentBody());
  const other = await world.accepted({});
  const read = (subscriptionId: string, companyId = companyOne) =>
    world.readPayment({ companyId, params: { id: subscriptionId, paymentId: id } });
  expect((await read(world.subscriptionId)).status).toBe(200);
  refused(await read(other), 404);
  refused(await read(world.subscriptionId, otherCompany), 404);
  refused(await world.force(id, 'ACCEPTED', otherCompany), 404);
});

test('a payment is submitted to the bank immediately, and is REJECTED with the bank’s code when the bank refuses it', async () => {
  const given: unknown[] = [];
  world.bank.recurringCharges.schedule.submit = (order, context) => {
    given.push(order);
    return world.simulated.recurringCharges.schedule.submit(order, context);
  };
  const { id, endToEndId } = await world.scheduled(paymentBody());
  expect(given).toEqual([
    {
      reference: id.replaceAll('-', ''),
      adjustsToBusinessDay: false,
      kind: 'FIRST_ATTEMPT',
      charge: id.replaceAll('-', ''),
      receiver: expect.objectContaining({ id: account, document: holder.document.number }) as object,
      recurrenceId: expect.stringMatching(/^RN/u) as string,
      endToEndId,
      amount: 4990,
      settlementDate: '2026-01-20',
    },
  ]);
  const refusedBody = paymentBody({ dueDate: '2026-02-20', description: 'refused@bank.example' });
  const other = await world.scheduled(refusedBody);
  expect(await world.payment(other.id)).toMatchObject({ status: 'REJECTED', errorCode: 'AB10' });
  expect(world.told(other.id)).toEqual(['PENDING', 'REJECTED']);
});
