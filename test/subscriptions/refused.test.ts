import { beforeEach, describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { otherCompany } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { faultsOf, refused } from '../support/refusals.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
});

describe('the creation of a subscription', () => {
  const amount = { currency: 'BRL', value: '1.00' };
  test.each([
    [
      'both amounts',
      subscriptionBody({ fixedAmount: amount, maxAmountFloor: amount }),
      ['fixedAmount:MUTUALLY_EXCLUSIVE', 'maxAmountFloor:MUTUALLY_EXCLUSIVE'],
    ],
    [
      'journey 3 without a first charge',
      subscriptionBody({ type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' }),
      ['initialCharge:REQUIRED'],
    ],
    ['journey 2 with a first charge', compositeBody({ type: 'AUTHORIZATION_QRCODE' }), ['initialCharge:INVALID_VALUE']],
    ['an end date before the start date', subscriptionBody({ endDate: '2026-01-14' }), ['endDate:OUT_OF_RANGE']],
    ['a start date in the past', subscriptionBody({ startDate: '2026-01-14' }), ['startDate:OUT_OF_RANGE']],
    ['an unknown field', subscriptionBody({ fixedAmmount: amount }), ['fixedAmmount:UNKNOWN_FIELD']],
    [
      'a webhook to a private host',
      subscriptionBody({ webhookUrl: 'http://10.0.0.1/hook' }),
      ['webhookUrl:INVALID_VALUE'],
    ],
    [
      'a document with a wrong check digit',
      subscriptionBody({ debtor: { name: 'M', document: { type: 'CPF', number: '52998224724' } } }),
      ['debtor.document.number:INVALID_FORMAT'],
    ],
  ])('refuses %s with 400, and writes no item', async (_name, body, expected) => {
    const before = world.items().length;
    const response = await world.send(body, 'k');
    refused(response, 400, expected);
    expect(world.items()).toHaveLength(before);
  });

  test.each([
    ['without a key', undefined],
    ['with a key', 'k'],
  ])('reports the issues of clock and settings with all other issues, %s', async (_what, key) => {
    const { debtor: _debtor, ...body } = subscriptionBody({
      startDate: '2026-01-14',
      endDate: '2026-01-13',
      webhookUrl: 'https://user:secret@partner.example/',
      frequencyType: 'DAILY',
    });
    expect(faultsOf(refused(await world.send(body, key), 400)).toSorted()).toEqual([
      'debtor:REQUIRED',
      'endDate:OUT_OF_RANGE',
      'frequencyType:INVALID_VALUE',
      'startDate:OUT_OF_RANGE',
      'webhookUrl:INVALID_VALUE',
    ]);
    const good = { ...subscriptionBody(), startDate: '2026-01-14', webhookUrl: 'http://10.0.0.1/' };
    refused(await world.send(good, key), 400, ['startDate:OUT_OF_RANGE', 'webhookUrl:INVALID_VALUE']);
  });

  test('reports one issue a field, that of its format when the format is wrong', async () => {
    const body = subscriptionBody({ startDate: '2025-02-30', webhookUrl: `http://10.0.0.1/${'a'.repeat(2048)}` });
    refused(await world.send(body), 400, ['webhookUrl:TOO_LONG', 'startDate:INVALID_FORMAT']);
  });

  test('returns its first response again when the start date is past meanwhile', async () => {
    const body = subscriptionBody({ startDate: '2026-01-15' });
    const first = await world.send(body, 'k');
    world.clock.now = '2026-01-17T15:00:00.000Z';
    const again = await world.send(body, 'k');
    expect([again.status, again.text]).toEqual([201, first.text]);
    refused(await world.send({ ...body, externalId: 'other' }, 'new'), 400, ['startDate:OUT_OF_RANGE']);
    const reused = await world.send({ ...body, externalId: 'other' }, 'k');
    refused(reused, 422);
  });

  test('checks rules between fields beside the issues of single fields', async () => {
    const { debtor: _debtor, ...body } = subscriptionBody({
      fixedAmount: amount,
      maxAmountFloor: { ...amount, value: 'x' },
      more: 1,
    });
    expect(faultsOf(refused(await world.send(body), 400)).toSorted()).toEqual([
      'debtor:REQUIRED',
      'fixedAmount:MUTUALLY_EXCLUSIVE',
      'maxAmountFloor.value:INVALID_FORMAT',
      'maxAmountFloor:MUTUALLY_EXCLUSIVE',
      'more:UNKNOWN_FIELD',
    ]);
  });

  test.each([{}, { fixedAmount: amount }, { maxAmountFloor: amount }, { endDate: '2026-01-15' }])(
    'accepts %j',
    async (more) => {
      const { id } = await world.created(subscriptionBody(more));
      expect((await world.get(id)).body).toMatchObject(more);
    },
  );

  test('is 404 when the account is unknown or of another company', async () => {
    await world.openAccount(0, { companyId: otherCompany, id: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb' });
    for (const accountId of ['bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', 'cccccccc-cccc-4ccc-8ccc-cccccccccccc']) {
      const response = await world.send(subscriptionBody({ accountId }));
      refused(response, 404, []);
    }
  });

  test.each(['INACTIVE', 'CLOSED'] as const)('is 409 when the account is %s', async (status) => {
    await world.setAccountStatus('ACTIVE', status);
    const response = await world.send(subscriptionBody());
    refused(response, 409, ['accountId:INVALID_VALUE']);
  });

  test('is 409 when the holder of the account is no taxpayer of Brazil', async () => {
    const id = 'dddddddd-dddd-4ddd-8ddd-dddddddddddd';
    await world.openAccount(0, { id, document: { type: 'PASSPORT', number: 'X1' } });
    refused(await world.send(subscriptionBody({ accountId: id })), 409);
  });
});

describe('a start date', () => {
  test.each([
    ['2026-01-15T02:59:59.999Z', '2026-01-14'],
    ['2026-01-15T03:00:00.000Z', '2026-01-15'],
    ['2026-01-16T02:59:59.999Z', '2026-01-15'],
  ])(
    'is accepted at %s when it is %s, today in Brasilia, and refused when it is the day before',
    async (now, today) => {
      world.clock.now = now;
      await world.created(subscriptionBody({ startDate: today }));
      const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
      refused(await world.send(subscriptionBody({ startDate: yesterday })), 400, ['startDate:OUT_OF_RANGE']);
    },
  );

  test('is accepted exactly if it is not before today in Brasilia, which is three hours behind UTC', async () => {
    const minutes = fc.integer({ min: -240, max: 240 });
    await fc.assert(
      fc.asyncProperty(minutes, fc.integer({ min: -1, max: 1 }), async (offset, day) => {
        const at = Date.parse('2026-01-15T03:00:00.000Z') + offset * 60_000;
        world.clock.now = new Date(at).toISOString();
        const today = new Date(at - 3 * 3_600_000).toISOString().slice(0, 10);
        const startDate = new Date(Date.parse(today) + day * 86_400_000).toISOString().slice(0, 10);
        expect((await world.send(subscriptionBody({ startDate }))).status).toBe(day < 0 ? 400 : 201);
      }),
      { numRuns: 60 },
    );
  });
});
