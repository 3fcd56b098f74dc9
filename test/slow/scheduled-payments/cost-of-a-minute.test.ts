import { expect, test } from 'vitest';
import { instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import type { ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { scheduledPaymentUpdate } from '#shared/scheduled-payments/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { companyOne } from '#test/support/bank-world.ts';
import { aPayment } from '#test/support/charges.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';

/** Bytes that DynamoDB reads for one unit, eventually consistent; a query takes half a unit at least. */
const unitBytes = 8192;

/** Payments that are not due, of every kind: held, open, paid, and canceled by a settlement error without a debt. */
const notDue: readonly Partial<ScheduledPayment>[] = [
  { status: 'INITIAL', releaseAt: instantAt('2026-02-01', '00:00') },
  { status: 'PENDING', pendingCommands: ['SCHEDULE'], updatedAt: instantAt('2026-01-20', '09:59') },
  { status: 'ACCEPTED' },
  { status: 'COMPLETED' },
  { status: 'CANCELED' },
];

/** Query calls and units of a run of each worker, one resend being owed, beside so many payments that are not due. */
async function minuteBeside(payments: number) {
  const count = { queries: 0, units: 0, read: 0 };
  let isCounting = false;
  const world = await paymentWorld({
    wrap: (memory) => ({
      ...memory,
      query: async (query) => {
        const page = await memory.query(query);
        const bytes = page.items.reduce((sum: number, item: Item) => sum + JSON.stringify(item).length, 0);
        if (isCounting) count.queries += 1;
        if (isCounting) count.units += Math.max(0.5, Math.ceil(bytes / unitBytes) / 2);
        return page;
      },
      read: (keys) => {
        // How the bank is reached is read once in some seconds, beside however many payments.
        if (isCounting) count.read += keys.filter(({ SK }) => SK !== 'BANK').length;
        return memory.read(keys);
      },
    }),
  });
  const { id } = await world.scheduled(paymentBody({ dueDate: '2026-01-20' }));
  world.clock.now = instantAt('2026-01-20', '10:00');
  await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
  for (let number = 0; number < payments; number += 1) {
    const one = aPayment({ ...notDue[number % notDue.length], id: `payment-${number}` });
    const dueDate = plusDays('2026-01-20', number % 300);
    const { put } = scheduledPaymentUpdate(companyOne, one, { ...one, dueDate, settlementDate: dueDate });
    await world.store.writeOne({ put });
  }
  isCounting = true;
  expect(await world.resend()).toMatchObject({ resent: 1, missed: 0 });
  expect(await world.advance()).toMatchObject({ released: 0, canceled: 0, open: 0 });
  return count;
}

test('a minute costs the same beside 10, 1 000 and 100 000 payments that are not due', async () => {
  const few = await minuteBeside(10);
  expect(few.units).toBe(few.queries * 0.5);
  expect(await minuteBeside(1000)).toEqual(few);
  expect(await minuteBeside(100_000)).toEqual(few);
});
