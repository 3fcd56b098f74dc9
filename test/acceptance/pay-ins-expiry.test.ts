import { expect, test } from 'vitest';
import { CreatePayIn } from '../../functions/pay-ins/create/contract.ts';
import { GetPayIn } from '../../functions/pay-ins/get/contract.ts';
import { isAbout, PayInNotification, verified } from './notifications.ts';
import { activeAccount, eventually, first, useReceiver } from './partners.ts';
import { payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();

test(
  'a pay-in that nobody pays expires by itself within a minute or so, and tells the partner',
  { timeout: 180_000 },
  async () => {
    const events = inbox('expiry');
    await sendEverythingTo(first, events);
    const { body } = await first.call(CreatePayIn, { body: payIn(activeAccount(first).id, { expiresInSeconds: 60 }) });
    const { id, expireDateTime } = body;
    expect(Date.parse(expireDateTime) - Date.parse(body.createdAt)).toBe(60_000);
    const read = async () => (await first.call(GetPayIn, { params: { id } })).body;
    const record = await eventually(read, ({ status }) => status !== 'PENDING', 140_000);
    expect(record.status).toBe('EXPIRED');
    expect(Date.parse(record.expiredAt!)).toBeGreaterThanOrEqual(Date.parse(expireDateTime));
    expect(Date.parse(record.expiredAt!) - Date.parse(expireDateTime)).toBeLessThan(75_000);
    const [notification] = await events.until(isAbout(id));
    expect(verified(notification!, PayInNotification, first.webhookSecret)).toMatchObject({
      event: 'ORDER-PAYIN.EXPIRED',
    });
    expect(events.received.filter(isAbout(id))).toHaveLength(1);
  },
);
