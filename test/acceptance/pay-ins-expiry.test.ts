import { expect, test } from 'vitest';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { PayInNotification } from './notifications.ts';
import { environment, eventually, first } from './partners.ts';
import { brl } from './samples.ts';

const { id, expireDateTime } = environment.expiring;
const minuteOrSoMs = 75_000;

/** The expiries in the delivery log that tell of this pay-in. */
async function notifications() {
  const { body } = await first.call(ListDeliveries, { query: { resourceId: id } });
  const expiries = body.data.filter(({ event }) => event === 'ORDER-PAYIN.EXPIRED');
  const records = await Promise.all(expiries.map((entry) => first.call(GetDelivery, { params: { id: entry.id } })));
  return records.map((record) => record.body);
}

test('an unpaid pay-in expires by itself within about a minute, and the partner is notified once', async () => {
  const read = async () => (await first.call(GetPayIn, { params: { id } })).body;
  const patience = Date.parse(expireDateTime) + 200_000 - Date.now();
  const record = await eventually(read, ({ status }) => status !== 'PENDING', patience);
  expect(record).toMatchObject({ status: 'EXPIRED', amount: brl('1.23') });
  const late = Date.parse(record.expiredAt!) - Date.parse(expireDateTime);
  expect(late).toBeGreaterThanOrEqual(0);
  // An emulator that starts a process for each function takes its time.
  if (environment.capabilities.includes('latency')) expect(late).toBeLessThan(minuteOrSoMs);

  const received = await eventually(notifications, (found) => found.length > 0);
  expect(received).toHaveLength(1);
  expect(PayInNotification.parse(received[0]?.payload)).toMatchObject({
    status: 'EXPIRED',
    updatedAt: record.expiredAt,
  });
});
