import { beforeAll, describe, expect, test } from 'vitest';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { testClient } from '#test/support/api.ts';
import { companyOne, otherCompany } from '#test/support/bank-world.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { fc } from '#test/support/properties.ts';
import { refused } from '#test/support/refusals.ts';

type Page = { readonly data: readonly PaymentRecord[]; readonly hasNext: boolean; readonly nextCursor: string | null };
const count = 23;
let world: PaymentWorld;
let payments: readonly PaymentRecord[];

/** Weekly charges, made in an order of their own. */
beforeAll(async () => {
  world = await paymentWorld({}, { frequencyType: 'WEEKLY' });
  const weeks = Array.from({ length: count }, (_, week) => (week * 7) % count);
  const all: PaymentRecord[] = [];
  for (const week of weeks) all.push(await world.scheduled(paymentBody({ dueDate: plusDays('2026-01-15', week * 7) })));
  payments = all
    .map((payment) => ({ ...payment, createdBy: testClient }))
    .toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1));
});
const page = async (query: Record<string, string>): Promise<Page> => (await world.list(query)).body as Page;

describe('the list of a subscription’s payments', () => {
  test('is by due date, the first one first unless asked otherwise, as they are read one by one', async () => {
    expect((await page({ limit: '100' })).data).toEqual(payments);
    expect((await page({ limit: '100', sort: 'asc' })).data).toEqual(payments);
    expect((await page({ limit: '100', sort: 'desc' })).data).toEqual(payments.toReversed());
  });

  test('has pages that hold everything once, whatever their length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: count + 1 }), fc.constantFrom('asc', 'desc'), async (limit, sort) => {
        const seen: PaymentRecord[] = [];
        let cursor: string | null = null;
        do {
          const one: Page = await page({ limit: String(limit), sort, ...(cursor !== null && { cursor }) });
          expect(one.hasNext).toBe(one.nextCursor !== null);
          expect(one.data.length).toBe(one.hasNext ? limit : one.data.length);
          seen.push(...one.data);
          cursor = one.nextCursor;
        } while (cursor !== null);
        expect(seen).toEqual(sort === 'asc' ? payments : payments.toReversed());
      }),
      { numRuns: 20 },
    );
  });

  test('has cursors for itself alone', async () => {
    const { nextCursor } = await page({ limit: '2' });
    const cursor = nextCursor ?? '';
    const other = await world.accepted({});
    for (const response of [
      await world.list({ limit: '2', sort: 'desc', cursor }),
      await world.list({ cursor }, other),
    ])
      refused(response, 400, ['cursor:INVALID_VALUE']);
  });

  test('is empty without payments, and not found without the subscription', async () => {
    const other = await world.accepted({});
    expect(await world.list({}, other)).toMatchObject({
      status: 200,
      body: { data: [], hasNext: false, nextCursor: null },
    });
    refused(await world.list({}, world.ids.uuid()), 404);
    refused(await world.list({}, world.subscriptionId, otherCompany), 404);
  });
});

test('reading the subscription reads none of its payments', async () => {
  let items = 0;
  const counting = await paymentWorld({
    wrap: (memory) => ({
      ...memory,
      query: async (query) => {
        const found = await memory.query(query);
        items += found.items.length;
        return found;
      },
    }),
  });
  await counting.scheduled(paymentBody());
  items = 0;
  expect((await counting.get(counting.subscriptionId, companyOne)).status).toBe(200);
  expect(items).toBe(1);
});
