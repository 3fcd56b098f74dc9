import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { activeAccount, environment, eventually, first, second } from './partners.ts';
import { journey2 } from './samples.ts';

beforeEach((context) => {
  needs(context, 'beside-the-api', 'a deployed stack has no receiver');
});

type Received = {
  readonly call: number;
  readonly verified: boolean;
  readonly company: unknown;
  readonly signatures: unknown;
  readonly body: string;
  readonly webhookId: string;
};

/** An inbox of the environment's own receiver, with these responses. */
async function inboxWith(...replies: unknown[]) {
  const url = `${environment.baseUrl}/receiver/${randomUUID()}`;
  const response = await fetch(url, { method: 'PUT', body: JSON.stringify({ replies }) });
  expect(response.status).toBe(200);
  const received = async () => ((await (await fetch(url)).json()) as { received: Received[] }).received;
  return { url, until: (count: number) => eventually(received, (all) => all.length >= count) };
}

/** A subscription whose events go there, and its first one. */
async function notify(partner: Partner, webhookUrl: string): Promise<string> {
  const { id } = (await partner.call(CreateSubscription, { body: journey2(activeAccount(partner).id, { webhookUrl }) }))
    .body;
  const { description } = (await partner.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } })).body;
  // What a bank of its own did comes by its callback.
  if (!description.includes('the bank did')) expect(description).toContain(`is queued for ${webhookUrl}.`);
  return id;
}

test('the environment’s receiver replies to notifications in the order of its script, and verifies each', async () => {
  const inbox = await inboxWith({ status: 503 }, { reset: true }, { status: 202 });
  const id = await notify(first, inbox.url);
  const received = await inbox.until(3);
  expect(received.map(({ call, verified, company }) => [call, verified, company])).toEqual(
    [1, 2, 3].map((call) => [call, true, { companyId: first.companyId, name: first.name }]),
  );
  expect(new Set(received.map(({ webhookId, body }) => webhookId + body)).size).toBe(1);
  expect(JSON.parse(received[0]!.body)).toMatchObject({ event: 'SUBSCRIPTION.REJECTED', data: { id } });
});

test('the environment’s receiver verifies with a new secret as soon as it signs, and with the previous one', async () => {
  const inbox = await inboxWith({ status: 200 });
  await notify(second, inbox.url);
  await inbox.until(1);
  await second.call(RotateWebhookSecret, { body: {} });
  await notify(second, inbox.url);
  const [, later] = await inbox.until(2);
  expect(later).toMatchObject({
    verified: true,
    signatures: { 'X-Signature-SHA256': 'VALID', 'X-Signature-SHA256-Previous': 'VALID', 'webhook-signature': 'VALID' },
  });
});
