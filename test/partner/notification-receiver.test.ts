import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '#infra/partner/receiver/receiver.ts';
import { startReceiver } from '#infra/partner/receiver/receiver.ts';
import type { Hearing } from '#infra/partner/scenarios/notification-receiver.ts';
import { hearAtReceiver } from '#infra/partner/scenarios/notification-receiver.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { signatureHeaders } from '#shared/webhooks/signature.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const event = 'ORDER-PAYOUT.PAID';
const paid = {
  event,
  id: '0b9cf5a5-2f0d-4a0c-9f39-3f6ad0a8a100',
  code: 'story-1',
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

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

let hearings = 0;
function newHearing(): Hearing {
  hearings += 1;
  return hearAtReceiver(receiver.inbox(`hearing-${hearings}`), secret);
}

async function send(hearing: Hearing, id: string, body: object, signed = secret): Promise<void> {
  const text = JSON.stringify(body);
  const headers = signatureHeaders({
    id,
    at: instantFromEpochMs(Date.now()),
    body: text,
    secrets: { current: signed },
  });
  await fetch(hearing.url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: text });
}

test('a notification that is signed and has its layout is heard once, however often it is called', async () => {
  const hearing = newHearing();
  hearing.inbox?.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  await send(hearing, 'one', paid);
  await send(hearing, 'one', paid);
  const { attempts, body } = await hearing.hear(event, paid.id);
  expect(attempts.map(({ status }) => status)).toEqual([500, 200]);
  expect(body).toEqual(paid);
  expect(await hearing.surplus([paid.id])).toEqual([]);
});

test('the same event under another webhook-id is surplus, that of another resource is not', async () => {
  const hearing = newHearing();
  await send(hearing, 'one', paid);
  await send(hearing, 'two', paid);
  await send(hearing, 'three', { ...paid, id: 'another' });
  await hearing.hear(event, paid.id);
  expect(await hearing.surplus([paid.id])).toEqual([`${event} (two)`]);
});

test.each([
  ['a wrong secret', { body: paid, signed: other }, 'every attempt is signed in both ways: this does not hold'],
  ['a field too many', { body: { ...paid, surprise: 1 } }, 'has not the promised layout'],
])('%s is a breach', async (_name, { body, signed = secret }: { body: object; signed?: string }, message) => {
  const hearing = newHearing();
  await send(hearing, 'one', body, signed);
  await expect(hearing.hear(event, paid.id)).rejects.toThrow(message);
});

test('other bytes at a later attempt are a breach', async () => {
  const hearing = newHearing();
  hearing.inbox?.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  await send(hearing, 'one', paid);
  await send(hearing, 'one', { ...paid, message: 'Paid!' });
  await expect(hearing.hear(event, paid.id)).rejects.toThrow('Attempt 2 of one carries other bytes');
});

test('a notification is right under any secret that has signed since the story began', async () => {
  const hearing = newHearing();
  await send(hearing, 'one', paid, other);
  hearing.secrets.push(other);
  expect((await hearing.hear(event, paid.id)).id).toBe('one');
});
