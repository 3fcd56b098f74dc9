import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { ForceOrderStatus } from '../../functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '../../functions/order-tools/force-subscription-status/contract.ts';
import { GetPayIn } from '../../functions/pay-ins/get/contract.ts';
import { CreatePayout } from '../../functions/payouts/create/contract.ts';
import { GetPayout } from '../../functions/payouts/get/contract.ts';
import { CreateSubscription } from '../../functions/subscriptions/create/contract.ts';
import { GetSubscription } from '../../functions/subscriptions/get/contract.ts';
import type { Partner } from '../support/client.ts';
import { partnerOf } from '../support/client.ts';
import { needs } from '../support/environment.ts';
import type { LocalProcess } from '../support/environment-local.ts';
import { startLocalProcess } from '../support/environment-local.ts';
import type { Inbox } from '../support/receiver.ts';
import { balanceOf } from './money.ts';
import { isAbout } from './notifications.ts';
import { activeAccount, useReceiver } from './partners.ts';
import { journey3, payout } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-crash-'));
const inbox = useReceiver();
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
    const { orderId } = body.initialCharge!;
    await partner.call(ForceOrderStatus, { body: { id: orderId, status: 'PAID' } });
    seen.charged.push(orderId);
  }
}

test.for(['process', 'group'] as const)(
  'kill -9 of the whole %s in the middle of traffic loses nothing that was answered, and doubles nothing',
  { timeout: 120_000 },
  async (what, context) => {
    needs(context, 'crash', 'only a local environment is a process of ours that may be killed');
    const partner = await start();
    const account = activeAccount(partner).id;
    const events = inbox('crash');
    // Half of what is due at the crash is waiting for a retry then.
    events.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
    await sendEverythingTo(partner, events);
    const before = await balanceOf(partner, account);
    const seen: Traffic = { subscriptions: [], accepted: [], charged: [], payouts: [] };
    const partners = Array.from({ length: 6 }, () => traffic(partner, events, seen).catch(() => undefined));
    await sleep(2500);
    await local!.kill(what);
    await Promise.all(partners);
    expect(seen.charged.length).toBeGreaterThan(5);

    const again = await start();
    expect(again.clientSecret).toBe(partner.clientSecret);
    await everythingIsThere(again, seen);
    // Each acknowledged move is told, at last.
    for (const id of seen.accepted) await events.until(isAbout(id, 'SUBSCRIPTION.ACCEPTED'), 1, 60_000);
    for (const id of seen.charged) await events.until(isAbout(id, 'ORDER-PAYIN.PAID'), 1, 60_000);
    await nothingIsDoubled(again, account, before, seen);
    await local!.stop();
    local = undefined;
  },
);

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
  // A charge whose answer was lost may have been paid all the same: at most one a partner.
  expect(credited).toBeGreaterThanOrEqual(seen.charged.length);
  expect(credited).toBeLessThanOrEqual(seen.charged.length + 6);
  expect(Number.isInteger(credited)).toBe(true);
}
