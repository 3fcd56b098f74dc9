import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import type { Partner } from '#infra/partner/api/client.ts';
import { partnerOf } from '#test/support/client.ts';
import { needs } from '#test/support/environment.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';
import type { Inbox } from '#infra/partner/receiver/receiver.ts';
import { balanceOf } from '#test/acceptance/money.ts';
import { isAbout } from '#test/acceptance/notifications.ts';
import { activeAccount, eventually, useReceiver } from '#test/acceptance/partners.ts';
import { journey3, payout } from '#test/acceptance/samples.ts';
import { sendEverythingTo } from '#test/acceptance/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-crash-'));
const inbox = useReceiver();
const partnersAtOnce = 6;
/** Charges that are answered before each crash. */
const charges = 20;
/** A message that a dead worker held comes back when its time is over, or with the sweep of the next minute. */
const toldWithinMs = 100_000;
let local: LocalProcess | undefined;
const start = async (): Promise<Partner> => {
  local = await startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1' });
  return partnerOf(local.sandbox, local.sandbox.companies[0]);
};
afterAll(async () => {
  await local?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What was acknowledged before the crash, and what was asked for without an answer. */
type Traffic = {
  readonly subscriptions: string[];
  readonly accepted: string[];
  readonly charged: string[];
  readonly payouts: { readonly key: string; readonly body: ReturnType<typeof payout>; readonly text?: string }[];
};

/** One partner after another until the environment is gone: whatever was answered is written down. */
async function traffic(partner: Partner, events: Inbox, seen: Traffic): Promise<void> {
  const accountId = activeAccount(partner).id;
  for (;;) {
    const ask = { key: randomUUID(), body: payout(accountId) };
    const unanswered = seen.payouts.push(ask) - 1;
    const paid = await partner.call(CreatePayout, ask);
    seen.payouts[unanswered] = { ...ask, text: paid.received.text };
    const { body } = await partner.call(CreateSubscription, { body: journey3(accountId, { webhookUrl: events.url }) });
    seen.subscriptions.push(body.id);
    await partner.call(ForceSubscriptionStatus, { body: { id: body.id, status: 'ACCEPTED' } });
    seen.accepted.push(body.id);
    const orderId = body.initialCharge!.orderId!;
    await partner.call(ForceOrderStatus, { body: { id: orderId, status: 'PAID' } });
    seen.charged.push(orderId);
  }
}

/** Traffic until enough was answered, then `kill -9` at any moment. */
async function crash(what: 'process' | 'group', partner: Partner, events: Inbox, seen: Traffic): Promise<void> {
  const enough = seen.charged.length + charges;
  const partners = Array.from({ length: partnersAtOnce }, () => traffic(partner, events, seen).catch(() => undefined));
  const charged = () => Promise.resolve(seen.charged.length);
  await eventually(charged, (count) => count >= enough, 60_000);
  await sleep(Math.random() * 50);
  await local!.kill(what);
  await Promise.all(partners);
  expect(seen.charged.length).toBeGreaterThanOrEqual(enough);
}

test('kill -9 in the middle of traffic loses nothing that was answered, and doubles nothing', async (context) => {
  needs(context, 'crash', 'only a local environment is a process of ours that may be killed');
  const partner = await start();
  const account = activeAccount(partner).id;
  const events = inbox('crash');
  // What is due at a crash is on its first way, or waits for its second attempt.
  events.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  await sendEverythingTo(partner, events);
  const before = await balanceOf(partner, account);
  const seen: Traffic = { subscriptions: [], accepted: [], charged: [], payouts: [] };
  // First the service alone dies, then its database with it.
  await crash('process', partner, events, seen);
  await crash('group', await start(), events, seen);

  const again = await start();
  expect(again.clientSecret).toBe(partner.clientSecret);
  await everythingIsThere(again, seen);
  for (const id of seen.accepted) await toldOnce(events, id, 'SUBSCRIPTION.ACCEPTED');
  for (const id of seen.charged) await toldOnce(events, id, 'ORDER-PAYIN.PAID');
  await nothingIsDoubled(again, account, before, seen);
}, 240_000);

/** The notification was taken in the end, and all its attempts were of one delivery. */
async function toldOnce(events: Inbox, id: string, event: string): Promise<void> {
  const fits = isAbout(id, event);
  await events.until((one) => fits(one) && one.call > 1, 1, toldWithinMs);
  expect(new Set(events.received.filter(fits).map((one) => one.id)).size).toBe(1);
}

async function everythingIsThere(partner: Partner, seen: Traffic): Promise<void> {
  for (const id of seen.subscriptions) {
    const { body } = await partner.call(GetSubscription, { params: { id } });
    if (seen.accepted.includes(id)) expect(body.status).toBe('ACCEPTED');
  }
  for (const id of seen.charged) {
    const { body } = await partner.call(GetPayIn, { params: { id } });
    expect(body.status).toBe('PAID');
  }
  // Repeated with its key, a payout gives its first answer; one that was never answered is made now or was made then.
  for (const { key, body, text } of seen.payouts) {
    const { received } = await partner.call(CreatePayout, { key, body });
    if (text !== undefined) {
      expect(received.text).toBe(text);
      expect(received.headers['idempotent-replayed']).toBe('true');
    }
    const { id } = JSON.parse(received.text) as { id: string };
    expect((await partner.call(GetPayout, { params: { id } })).body.status).toBe('PENDING');
  }
}

/** Balance and notifications: one payout a key, one credit a charge, one `webhook-id` a move. */
async function nothingIsDoubled(
  partner: Partner,
  account: string,
  before: { available: number; reserved: number },
  seen: Traffic,
): Promise<void> {
  const reserved = seen.payouts.length * 725;
  const now = await balanceOf(partner, account);
  expect(now.reserved - before.reserved).toBe(reserved);
  const credited = (now.available - before.available + reserved) / 2990;
  // A charge whose answer was lost may have been paid all the same: at most one a partner and crash.
  expect(credited).toBeGreaterThanOrEqual(seen.charged.length);
  expect(credited).toBeLessThanOrEqual(seen.charged.length + 2 * partnersAtOnce);
  expect(Number.isInteger(credited)).toBe(true);
}
