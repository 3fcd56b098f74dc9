import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, describe, test } from 'vitest';
import * as z from 'zod';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { needs } from '#test/support/environment.ts';
import { hang, megabytes, redirect, reset, slow } from '#test/support/misbehaving.ts';
import type { Inbox, Notification, Reply } from '@banking-order/partner-tools';
import { isAbout, SubscriptionNotification, verified } from '#test/acceptance/notifications.ts';
import { activeAccount, environment, eventually, first, useReceiver } from '#test/acceptance/partners.ts';
import { journey2 } from '#test/acceptance/samples.ts';

const inbox = useReceiver();
const fails: Reply = { kind: 'status', status: 500 };
const ok: Reply = { kind: 'ok' };
const Letter = z.object({ deliveryId: z.string() });

/** A receiver that answers like this, one notification for it, and its first attempt. */
async function notified(...replies: Reply[]): Promise<{ events: Inbox; first: Notification }> {
  const events = inbox('retries');
  events.reply(...replies);
  const created = await first.call(CreateSubscription, {
    body: journey2(activeAccount(first).id, { webhookUrl: events.url }),
  });
  const { id } = created.body;
  await first.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } });
  return { events, first: (await events.until(isAbout(id)))[0]! };
}

const delivery = async (id: string) => (await first.call(GetDelivery, { params: { id } })).body;
/** The delivery once nothing more will happen to it. */
const settled = (id: string) =>
  eventually(
    () => delivery(id),
    ({ status }) => status === 'DELIVERED' || status === 'FAILED',
  );

describe.concurrent('a delivery', () => {
  test('is made at once, signed, and recorded with the answer', async () => {
    const { first: call } = await notified(ok);
    verified(call, SubscriptionNotification, first.webhookSecret);
    const record = await settled(call.id);
    expect(record).toMatchObject({
      id: call.id,
      event: 'SUBSCRIPTION.REJECTED',
      status: 'DELIVERED',
      attemptsCount: 1,
      payload: call.body,
      attempts: [{ number: 1, outcome: 'DELIVERED', httpStatus: 200, returnCode: 'SUCCESS' }],
    });
    expect(Math.abs(Date.parse(record.attempts[0]!.at) - call.at)).toBeLessThan(60_000);
  });

  test.each([200, 201, 202, 204, 299])('is acknowledged by %i, with any body', async (status) => {
    const body = status === 204 ? '' : '<html>';
    const { first: call } = await notified({ kind: 'status', status, body });
    expect(await settled(call.id)).toMatchObject({ status: 'DELIVERED', attemptsCount: 1 });
  });

  test.each([2, 3, 5])('succeeds at attempt %i with the same bytes and id as the first', async (n) => {
    const { events, first: call } = await notified(...Array.from({ length: n - 1 }, () => fails), ok);
    const record = await settled(call.id);
    expect(record).toMatchObject({ status: 'DELIVERED', attemptsCount: n });
    expect(record.attempts.map(({ number, outcome }) => [number, outcome])).toEqual(
      Array.from({ length: n }, (_, at) => [at + 1, at + 1 === n ? 'DELIVERED' : 'FAILED']),
    );
    expect(events.received).toHaveLength(n);
    for (const again of events.received) {
      verified(again, SubscriptionNotification, first.webhookSecret);
      expect([again.id, again.raw]).toEqual([call.id, call.raw]);
    }
    // Each attempt has a signature of its own with a fresh timestamp.
    const stamps = events.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
  });

  test('waits between its attempts as long as it is configured to', async (context) => {
    needs(context, 'retry-timing', 'the waits of this environment are not known');
    const { events, first: call } = await notified(fails, fails, ok);
    await settled(call.id);
    const times = events.received.map(({ at }) => at);
    for (const [earlier, later] of [times.slice(0, 2), times.slice(1, 3)] as [number, number][]) {
      expect(later - earlier).toBeGreaterThanOrEqual(750);
      expect(later - earlier).toBeLessThan(60_000);
    }
  });

  test.each<[string, Reply, RegExp | number]>([
    ['a server error', fails, 500],
    ['a client error', { kind: 'status', status: 404 }, 404],
    ['410', { kind: 'status', status: 410 }, 410],
    ['a redirect, which it does not follow', redirect('/elsewhere'), 302],
    ['a broken connection', reset, /./],
    ['no response for ten seconds', hang, /./],
    ['a response after ten seconds', slow(11_000), /./],
  ])('is tried again after %s', async (behaviour, reply, shown) => {
    const { events, first: call } = await notified(reply, ok);
    const record = await settled(call.id);
    expect(record).toMatchObject({ status: 'DELIVERED', attemptsCount: 2 });
    const [failed] = record.attempts;
    expect(failed?.outcome).toBe('FAILED');
    if (typeof shown === 'number') expect(failed?.httpStatus).toBe(shown);
    else expect(failed?.error).toMatch(shown);
    if (behaviour.includes('ten seconds')) {
      expect(failed?.durationMs).toBeGreaterThanOrEqual(9500);
      expect(failed?.durationMs).toBeLessThan(40_000);
    }
    expect(events.received).toHaveLength(2);
  });

  test('does not follow a redirect to another address of ours', async () => {
    const elsewhere = inbox('elsewhere');
    const { first: call } = await notified(redirect(elsewhere.url), ok);
    await settled(call.id);
    expect(elsewhere.received).toHaveLength(0);
  });

  test('reads no more of a long answer than it needs', async () => {
    const { first: call } = await notified(megabytes(300));
    const record = await settled(call.id);
    expect(record).toMatchObject({ status: 'DELIVERED', attemptsCount: 1 });
    expect(record.attempts[0]?.durationMs).toBeLessThan(9500);
  });

  test('ends FAILED after exactly five attempts', async () => {
    const { events, first: call } = await notified(fails);
    const record = await settled(call.id);
    expect(record).toMatchObject({ status: 'FAILED', attemptsCount: 5 });
    expect(record.attempts.map(({ number, outcome, httpStatus }) => [number, outcome, httpStatus])).toEqual(
      [1, 2, 3, 4, 5].map((number) => [number, 'FAILED', 500]),
    );
    expect(record.nextAttemptAt).toBeNull();
    expect(events.received).toHaveLength(5);
  });
});

/** The sweep hides what it looks at for a minute, in every tenth minute of the hour. */
const letterSeenWithinMs = 90_000;

test('every delivery that failed leaves one dead letter, and none that was delivered', async (context) => {
  needs(context, 'dead-letters', 'only the queue itself has its dead letters');
  const notifiedCalls = await Promise.all([notified(fails), notified(fails), notified(fails), notified(fails, ok)]);
  const records = await Promise.all(notifiedCalls.map(({ first: call }) => settled(call.id)));
  expect(records.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED', 'DELIVERED']);
  const letters = async () => {
    const found = await deadLetters();
    return notifiedCalls.map(({ first: call }) => found.filter((id) => id === call.id).length);
  };
  const oneEach = [1, 1, 1, 0];
  const isOneEach = (counts: readonly number[]): boolean => isDeepStrictEqual(counts, oneEach);
  expect(await eventually(letters, isOneEach, letterSeenWithinMs)).toEqual(oneEach);
  // Another letter of theirs would have come before one of a delivery that failed later, and would stay.
  const { first: later } = await notified(fails);
  await settled(later.id);
  expect(await eventually(deadLetters, (found) => found.includes(later.id), letterSeenWithinMs)).toContain(later.id);
  expect(await eventually(letters, isOneEach, letterSeenWithinMs)).toEqual(oneEach);
  expect(notifiedCalls.map(({ events }) => events.received.length)).toEqual([5, 5, 5, 2]);
});

/**
 * Deliveries of the letters in the dead-letter queue, one for each letter. Those of other tests lie there too, and the
 * sweep hides what it looks at: a look may miss some, and only the letters of one's own mean anything.
 */
async function deadLetters(): Promise<readonly string[]> {
  const { endpoint, region, queueUrl } = environment.deadLetters!;
  const client = new SQSClient({ endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
  const found = new Map<string, string>();
  try {
    for (let seen = -1; seen < found.size;) {
      seen = found.size;
      const hidden = { VisibilityTimeout: 2, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
      const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, ...hidden }));
      for (const { MessageId = '', Body = '' } of Messages)
        found.set(MessageId, Letter.parse(JSON.parse(Body)).deliveryId);
    }
  } finally {
    client.destroy();
  }
  // Until they can be seen again.
  await sleep(2000);
  return [...found.values()];
}
