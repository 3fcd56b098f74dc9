import { expect, test } from 'vitest';
import { expiredPayIn, expiryDeliveries } from './expiring.ts';
import { PayInNotification } from './notifications.ts';
import { environment } from './partners.ts';
import { brl } from './samples.ts';

const minuteOrSoMs = 75_000;

test('an unpaid pay-in expires by itself within about a minute, and the partner is notified once', async () => {
  const record = await expiredPayIn();
  expect(record).toMatchObject({ status: 'EXPIRED', amount: brl('1.23') });
  const late = Date.parse(record.expiredAt!) - Date.parse(environment.expiring.expireDateTime);
  expect(late).toBeGreaterThanOrEqual(0);
  // An emulator that starts a process for each function takes its time.
  if (environment.capabilities.includes('latency')) expect(late).toBeLessThan(minuteOrSoMs);

  const received = await expiryDeliveries();
  expect(received).toHaveLength(1);
  expect(PayInNotification.parse(received[0]?.payload)).toMatchObject({
    status: 'EXPIRED',
    updatedAt: record.expiredAt,
  });
});
