import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import type { Inbox, Notification } from '@banking-order/partner-tools';
import { hexMatches, readResponse, signatureErrors, standardErrors } from '@banking-order/partner-tools';
import { isAbout } from './notifications.ts';
import { activeAccount, eventually, second, useReceiver } from './partners.ts';
import { journey2 } from './samples.ts';
import { refused } from '../support/refusals.ts';

const inbox = useReceiver();

async function rotate(overlapSeconds?: number) {
  const { body } = await second.call(RotateWebhookSecret, {
    body: overlapSeconds === undefined ? {} : { overlapSeconds },
  });
  return body;
}

/** Rotates among others at the same time: after a 503 with the same key again, as a partner does. */
async function rotateAtLast() {
  const ask = { body: {}, key: randomUUID() };
  let response = await second.answer(RotateWebhookSecret, ask);
  for (let calls = 1; response.status === 503 && calls < 20; calls += 1)
    response = await second.answer(RotateWebhookSecret, ask);
  return readResponse(RotateWebhookSecret, response, 'CLOSED').body;
}

/** Causes one notification and gives its first attempt, or a later one. */
async function notification(events: Inbox = inbox('secret'), call = 1): Promise<Notification> {
  const created = await second.call(CreateSubscription, {
    body: journey2(activeAccount(second).id, { webhookUrl: events.url }),
  });
  const { id } = created.body;
  await second.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } });
  return (await events.until((one) => isAbout(id)(one) && one.call === call))[0]!;
}

const previous = ({ headers }: Notification): string => String(headers['x-signature-sha256-previous'] ?? '');
const signatures = ({ headers }: Notification): number => String(headers['webhook-signature']).split(' ').length;

describe('a new secret', () => {
  test('is shown once, as whsec_ and 32 random bytes, and signs everything from then on', async () => {
    const from = Date.now();
    const { secret, createdAt } = await rotate(0);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(from - 1000);
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now() + 1000);
    const received = await notification();
    expect(signatureErrors(received, secret)).toEqual([]);
    expect(previous(received)).toBe('');
    expect(signatures(received)).toBe(1);
  });

  test('leaves the one before valid for a day, unless said otherwise', async () => {
    const body = await rotate();
    const overlap = Date.parse(body.previousSecretExpiresAt) - Date.parse(body.createdAt);
    expect(overlap).toBe(86_400_000);
  });

  test('and the one before both verify during the overlap', async () => {
    const old = (await rotate(0)).secret;
    const current = (await rotate(3600)).secret;
    const received = await notification();
    expect(signatureErrors(received, current)).toEqual([]);
    expect(hexMatches(received.raw, previous(received), old)).toBe(true);
    expect(standardErrors(received.raw, received.headers, old)).toEqual([]);
    expect(signatures(received)).toBe(2);
  });

  test('within an overlap drops the oldest', async () => {
    const oldest = (await rotate(0)).secret;
    const old = (await rotate(3600)).secret;
    const current = (await rotate(3600)).secret;
    const received = await notification();
    expect(signatureErrors(received, current)).toEqual([]);
    expect(hexMatches(received.raw, previous(received), old)).toBe(true);
    expect(standardErrors(received.raw, received.headers, oldest)).not.toEqual([]);
  });

  test('is used by the attempts that come after it', async () => {
    const old = (await rotate(0)).secret;
    const events = inbox('between');
    events.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
    const before = await notification(events);
    const current = (await rotate(3600)).secret;
    const [after] = await events.until(({ call }) => call === 2);
    expect(signatureErrors(before, old)).toEqual([]);
    expect(signatureErrors(after!, current)).toEqual([]);
    expect(hexMatches(after!.raw, previous(after!), old)).toBe(true);
    expect(after!.raw.equals(before.raw)).toBe(true);
    expect(after!.id).toBe(before.id);
  });

  test('stands alone when the overlap is over', async () => {
    await rotate(0);
    const current = (await rotate(1)).secret;
    const received = await eventually(
      () => notification(),
      (one) => previous(one) === '',
    );
    expect(signatureErrors(received, current)).toEqual([]);
    expect([previous(received), signatures(received)]).toEqual(['', 1]);
  });

  test('is shown again to the same key until it is replaced, and twenty rotations at once all succeed', async () => {
    const key = randomUUID();
    const rotation = () => second.call(RotateWebhookSecret, { body: {}, key });
    const [once, again] = [await rotation(), await rotation()];
    expect(again.body).toEqual(once.body);
    const received = await notification();
    expect(signatureErrors(received, once.body.secret)).toEqual([]);
    const all = await Promise.all(Array.from({ length: 20 }, rotateAtLast));
    expect(new Set(all.map(({ secret }) => secret)).size).toBe(20);
    const replaced = await second.refused(RotateWebhookSecret, { body: {}, key });
    refused(replaced, 409, ['idempotency-key:EXPIRED']);
  });

  test.each([
    [-1, 'OUT_OF_RANGE'],
    [604_801, 'OUT_OF_RANGE'],
    [1.5, 'INVALID_TYPE'],
    ['60', 'INVALID_TYPE'],
  ])('is not created when its overlap is %j', async (overlapSeconds, issue) => {
    refused(await second.refused(RotateWebhookSecret, { body: { overlapSeconds } }), 400, [`overlapSeconds:${issue}`]);
  });
});
