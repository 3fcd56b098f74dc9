import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '#partner-tools/receiver/receiver.ts';
import { startReceiver } from '#partner-tools/receiver/receiver.ts';
import type { NotificationReceiver } from '#partner-tools/scenarios/notification-receiver.ts';
import { receiveAtInbox } from '#partner-tools/scenarios/notification-receiver.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { creditNotification, creditReturnNotification } from '#shared/webhooks/notification-examples.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const event = 'ORDER-PAYOUT.PAID';
const paid = {
  event,
  id: '0b9cf5a5-2f0d-4a0c-9f39-3f6ad0a8a100',
  code: 'scenario-1',
  type: 'PAY-OUT',
  status: 'PAID',
  paidAt: '2026-01-15T12:00:00.000Z',
  updatedAt: '2026-01-15T12:00:00.000Z',
  endToEndId: null,
  controlNumber: null,
  message: 'Paid.',
  amount: { currency: 'BRL', value: '7.25' },
  receiver: { name: 'Maria', document: { type: 'CPF', number: '52998224725' } },
};

let server: Receiver;
beforeAll(async () => {
  server = await startReceiver();
});
afterAll(() => server.stop());

let receivers = 0;
function newReceiver(): NotificationReceiver {
  receivers += 1;
  return receiveAtInbox(server.inbox(`receiver-${receivers}`), secret);
}

async function send(receiver: NotificationReceiver, id: string, body: object, signed = secret): Promise<void> {
  const text = JSON.stringify(body);
  const headers = signatureHeaders({
    id,
    at: instantFromEpochMs(Date.now()),
    body: text,
    secrets: { current: signed },
  });
  await fetch(receiver.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: text,
  });
}

test('a notification that is signed and has its layout is received once, however often it is called', async () => {
  const receiver = newReceiver();
  receiver.inbox?.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  await send(receiver, 'one', paid);
  await send(receiver, 'one', paid);
  const { attempts, body } = await receiver.receive(event, paid.id);
  expect(attempts.map(({ status }) => status)).toEqual([500, 200]);
  expect(body).toEqual(paid);
  expect(await receiver.unexpected([paid.id])).toEqual([]);
});

test('the same event under another webhook-id is surplus, that of another resource is not', async () => {
  const receiver = newReceiver();
  await send(receiver, 'one', paid);
  await send(receiver, 'two', paid);
  await send(receiver, 'three', { ...paid, id: 'another' });
  await receiver.receive(event, paid.id);
  expect(await receiver.unexpected([paid.id])).toEqual([`${event} (two)`]);
});

test.each([
  ['a wrong secret', { body: paid, signed: other }, 'An attempt is not signed in both ways'],
  ['an amount that is a number', { body: { ...paid, amount: 7.25 } }, 'does not have the documented layout'],
])('%s is a breach', async (_name, { body, signed = secret }: { body: object; signed?: string }, message) => {
  const receiver = newReceiver();
  await send(receiver, 'one', body, signed);
  await expect(receiver.receive(event, paid.id)).rejects.toThrow(message);
});

test('the notifications of a credit are received by its id, in `data` or in `data.credit`', async () => {
  const receiver = newReceiver();
  const { id } = creditNotification.data;
  await send(receiver, 'one', creditNotification);
  await send(receiver, 'two', creditReturnNotification);
  expect((await receiver.receive('CREDIT.RECEIVED', id)).body).toEqual(creditNotification);
  expect(await receiver.unexpected([id])).toEqual(['CREDIT.RETURNED (two)']);
  expect((await receiver.receive('CREDIT.RETURNED', id)).body).toEqual(creditReturnNotification);
  expect(await receiver.unexpected([id])).toEqual([]);
});

test('a field that a later release adds is received', async () => {
  const receiver = newReceiver();
  await send(receiver, 'one', { ...paid, surprise: 1 });
  expect((await receiver.receive(event, paid.id)).body).toMatchObject({ surprise: 1 });
});

test('other bytes at a later attempt are a breach', async () => {
  const receiver = newReceiver();
  receiver.inbox?.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  await send(receiver, 'one', paid);
  await send(receiver, 'one', { ...paid, message: 'Paid!' });
  await expect(receiver.receive(event, paid.id)).rejects.toThrow('Attempt 2 of one has other bytes');
});

test('a notification is right under any secret that has signed since the scenario began', async () => {
  const receiver = newReceiver();
  await send(receiver, 'one', paid, other);
  receiver.secrets.push(other);
  expect((await receiver.receive(event, paid.id)).id).toBe('one');
});
