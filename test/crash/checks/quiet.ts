import { setTimeout as sleep } from 'node:timers/promises';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { DeliveryEntry } from '#shared/webhooks/contract.ts';
import type { Violation } from '../journal.ts';
import { listAll } from './resources.ts';
import { deliveriesIn, dueIn, readItems } from './table.ts';

/** A command that a process left is due after two minutes, a message that it held after one and a half. */
const withinMs = 300_000;
const lookEveryMs = 1000;
const shown = 5;

/** Waits until no work is open except deliveries that wait for a reason visible to the partner. */
export async function awaitReasons(partner: Partner, deps: OperatorDependencies): Promise<readonly Violation[]> {
  return until('a waiting delivery shows its reason to the partner', () => withoutReason(partner, deps));
}

/** Then sets one working endpoint for all notifications, and waits until no delivery waits and no work is due. */
export async function awaitQuiet(
  partner: Partner,
  deps: OperatorDependencies,
  address: string,
): Promise<readonly Violation[]> {
  const events = webhookTypes.map((type) => ({ type, endpoint: address }));
  await partner.call(ReplaceWebhookSettings, { body: { events } });
  return until('without traffic nothing is due or stuck', async () => {
    const { now } = (await partner.call(GetClock)).body;
    const items = await readItems(deps, partner.companyId);
    const waiting = deliveriesIn(items).deliveries.filter(({ status }) => status === 'PENDING' || status === 'HELD');
    const due = dueIn(items, (isCompanyTime) => (isCompanyTime ? now : new Date().toISOString()));
    return [...waiting.map(({ id, status, resource }) => `delivery ${id} of ${resource.id} is ${status}`), ...due];
  });
}

async function withoutReason(partner: Partner, deps: OperatorDependencies): Promise<readonly string[]> {
  const listed = (status: string) => listAll(partner, ListDeliveries, DeliveryEntry, { query: { status } });
  const pending = await listed('PENDING');
  // Those that were held until they had an endpoint, which fails.
  const failing = new Set(
    (await listed('HELD')).flatMap(({ id, pausedReason }) => (pausedReason === 'ENDPOINT_FAILING' ? [id] : [])),
  );
  const { body } = await partner.call(GetWebhookSettings);
  const active = new Set(body.events.filter(({ status }) => status === 'ACTIVE').map(({ type }) => type));
  const { deliveries } = deliveriesIn(await readItems(deps, partner.companyId));
  return [
    ...pending
      .filter(({ pausedReason }) => pausedReason !== 'ENDPOINT_FAILING')
      .map(({ id, pausedReason = 'no reason' }) => `delivery ${id} is PENDING for ${pausedReason}`),
    ...deliveries
      .filter(
        ({ id, status, target }) =>
          status === 'HELD' && 'type' in target && active.has(target.type) && !failing.has(id),
      )
      .map(({ id }) => `delivery ${id} is HELD for an active endpoint`),
  ];
}

/** @returns a fault of what is still there when the time is over */
async function until(invariant: string, look: () => Promise<readonly string[]>): Promise<readonly Violation[]> {
  const endsAt = Date.now() + withinMs;
  for (;;) {
    const left = await look();
    if (left.length === 0) return [];
    if (Date.now() > endsAt) {
      const ids = left.flatMap((text) => [...text.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu)].map(([id]) => id));
      return [{ invariant, text: `${left.length}: ${left.slice(0, shown).join('; ')}`, ids: ids.slice(0, shown) }];
    }
    await sleep(lookEveryMs);
  }
}
