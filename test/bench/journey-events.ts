import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { brasiliaDate, plusDays } from '#shared/core/brasilia-time.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { Answer } from '../support/api.ts';
import { eventOf } from '../support/api.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { memoryStore } from '../support/memory-store.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { compositeBody, subscriptionBody } from '../support/subscription-world.ts';

/** Functions that journeys pass through, by their bundles. */
export type InvokedName =
  | 'payouts-create'
  | 'pay-ins-create'
  | 'subscriptions-create'
  | 'scheduled-payments-create'
  | 'order-tools-force-order-status'
  | 'order-tools-force-subscription-status'
  | 'order-tools-force-scheduled-payment-status'
  | 'workers-relay-deliveries'
  | 'workers-deliver-notification';
type FunctionEvents = Readonly<Record<InvokedName, readonly unknown[]>>;

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

/** What each function is invoked with, `count` times, and in the table everything that it is about. */
export async function eventsOn(
  store: Store,
  { count, webhookUrl }: { readonly count: number; readonly webhookUrl: string },
): Promise<FunctionEvents> {
  const now = new Date().toISOString();
  const today = brasiliaDate(now);
  const accountId = crypto.randomUUID();
  const since = { startDate: today, webhookUrl, accountId };
  const world = await paymentWorld(
    { wrap: () => store, known: memoryStore(), seed: crypto.randomUUID(), now, accountId },
    { frequencyType: 'WEEKLY', ...since },
  );
  const fund = crypto.randomUUID();
  await world.openAccount(10_000_000_000, { id: fund });
  await putSettings(store, now, webhookUrl);
  const times = <T>(make: (place: number) => T): T[] => Array.from({ length: count }, (_, place) => make(place));
  const created = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body, text } = await answer;
    if (status !== 201) throw new Error(`${status} ${text}`);
    return (body as { id: string }).id;
  };
  const asked = (body: object) => ({ companyId: companyOne, body, key: crypto.randomUUID() });
  const ask = (contract: Contract, body: object, params: Record<string, string> = {}) =>
    eventOf(contract, { ...asked(body), params });
  const weekly = (place: number) => paymentBody({ dueDate: plusDays(today, 7 * (place + 1)) });
  const forced = async (contract: Contract, status: string, id: () => Promise<string>): Promise<unknown[]> => {
    const events: unknown[] = [];
    for (let made = 0; made < count; made += 1) events.push(ask(contract, { id: await id(), status }));
    return events;
  };
  let week = 0;
  const accepted = async (): Promise<string> => {
    const { id } = await world.scheduled(weekly((week += 1)));
    await world.forced(id, 'ACCEPTED');
    return id;
  };
  const other = await world.accepted({ frequencyType: 'WEEKLY', ...since });
  return {
    'payouts-create': times(() => ask(CreatePayout, payoutBody({ accountId: fund }))),
    'pay-ins-create': times(() => ask(CreatePayIn, payInBody({ accountId: fund }))),
    'subscriptions-create': times(() => ask(CreateSubscription, compositeBody(since))),
    'scheduled-payments-create': times((place) => ask(CreateScheduledPayment, weekly(place), { id: other })),
    'order-tools-force-order-status': await forced(ForceOrderStatus, 'PAID', () =>
      created(world.createPayout(asked(payoutBody({ accountId: fund })))),
    ),
    'order-tools-force-subscription-status': await forced(ForceSubscriptionStatus, 'ACCEPTED', async () => {
      return (await world.created(subscriptionBody(since))).id;
    }),
    'order-tools-force-scheduled-payment-status': await forced(ForceScheduledPaymentStatus, 'COMPLETED', accepted),
    'workers-relay-deliveries': times(() => inserted(crypto.randomUUID())),
    'workers-deliver-notification': await deliveries(store, count),
  };
}

/** One endpoint for payouts, and a secret to sign with. */
export async function putSettings(store: Store, at: string, url: string): Promise<void> {
  const none = newWebhookSettings({ id: crypto.randomUUID(), companyId: companyOne, organizationId: companyOne, at });
  const payouts = { type: 'PAYOUT', endpoint: url, status: 'ACTIVE', createdAt: at, updatedAt: at } as const;
  const items = [
    webhookSettingsItem({ ...none, events: [payouts] }),
    webhookSecretItem({ companyId: companyOne, current: secret, createdAt: at, version: 1 }),
  ];
  for (const put of items) await store.write([{ put }], crypto.randomUUID());
}

/** What the stream says of a new delivery. */
function inserted(id: string): unknown {
  const { PK, SK } = keys.delivery(companyOne, id);
  const dynamodb = { Keys: { PK: { S: PK }, SK: { S: SK } }, SequenceNumber: '1' };
  return { Records: [{ eventID: id, eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }] };
}

/** Deliveries about payouts in the table, and the messages that carry them. */
async function deliveries(store: Store, count: number): Promise<unknown[]> {
  const events: unknown[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = crypto.randomUUID();
    const createdAt = new Date().toISOString();
    const told = {
      id,
      event: 'ORDER-PAYOUT.PAID',
      resource: { type: 'PAYOUT' as const, id },
      requestId: id,
      createdAt,
    };
    const body = JSON.stringify({ event: 'ORDER-PAYOUT.PAID', text: 'x'.repeat(900) });
    await store.write(deliveryInserts(companyOne, { ...told, target: { type: 'PAYOUT' }, body }), crypto.randomUUID());
    events.push({
      Records: [
        {
          messageId: id,
          receiptHandle: id,
          attributes: { ApproximateReceiveCount: '1' },
          body: JSON.stringify({ companyId: companyOne, deliveryId: id, dispatch: 1 }),
        },
      ],
    });
  }
  return events;
}
