import { randomUUID } from 'node:crypto';
import { ForceSubscriptionStatus } from '../../functions/order-tools/force-subscription-status/contract.ts';
import { CreatePayout } from '../../functions/payouts/create/contract.ts';
import { routes } from '../../functions/routes.ts';
import { CreateSubscription } from '../../functions/subscriptions/create/contract.ts';
import { ListDeliveries } from '../../functions/webhooks/list-deliveries/contract.ts';
import type { Contract } from '../../shared/contracts/contract.ts';
import type { AnyAsk, Partner } from '../support/client.ts';
import { activeAccount } from './partners.ts';
import { journey3, payIn, payout } from './samples.ts';

/** Resources that a request can name. */
export type Named = {
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly payInId: string;
  readonly payoutId: string;
  readonly deliveryId: string;
};

/**
 * How each route is called so that it accepts the request, and whether the request names a resource. A route that is
 * missing here fails the tests: whoever adds one says how it is called.
 */
const requests: Readonly<Record<string, { readonly ask: (named: Named) => AnyAsk; readonly names: boolean }>> = {
  createSubscription: { names: true, ask: ({ accountId }) => ({ body: journey3(accountId) }) },
  getSubscription: { names: true, ask: ({ subscriptionId: id }) => ({ params: { id } }) },
  cancelSubscription: {
    names: true,
    ask: ({ subscriptionId: id }) => ({ params: { id }, body: { reason: 'REQUESTED_BY_RECEIVER' } }),
  },
  createPayIn: { names: true, ask: ({ accountId }) => ({ body: payIn(accountId) }) },
  getPayIn: { names: true, ask: ({ payInId: id }) => ({ params: { id } }) },
  refundPayIn: { names: true, ask: ({ payInId: id }) => ({ params: { id }, body: {} }) },
  createPayout: { names: true, ask: ({ accountId }) => ({ body: payout(accountId) }) },
  getPayout: { names: true, ask: ({ payoutId: id }) => ({ params: { id } }) },
  getBalance: { names: true, ask: ({ accountId }) => ({ params: { accountId } }) },
  listAccounts: { names: false, ask: () => ({ query: { limit: '5', sort: 'asc' } }) },
  getWebhookSettings: { names: false, ask: () => ({}) },
  replaceWebhookSettings: {
    names: false,
    ask: () => ({ body: { events: [{ type: 'PAYIN', endpoint: 'https://partner.example.com/pay-ins' }] } }),
  },
  rotateWebhookSecret: { names: false, ask: () => ({ body: { overlapSeconds: 60 } }) },
  testWebhook: { names: false, ask: () => ({ body: { type: 'PAYIN' } }) },
  listWebhookDeliveries: { names: false, ask: () => ({ query: { status: 'HELD', limit: '5' } }) },
  getWebhookDelivery: { names: true, ask: ({ deliveryId: id }) => ({ params: { id } }) },
  resendWebhookDelivery: { names: true, ask: ({ deliveryId: id }) => ({ params: { id }, body: {} }) },
  forceSubscriptionStatus: { names: true, ask: ({ subscriptionId: id }) => ({ body: { id, status: 'ACCEPTED' } }) },
  forceOrderStatus: { names: true, ask: ({ payInId: id }) => ({ body: { id, status: 'PAID' } }) },
};

/** Every route with a request that it accepts. */
export function everyRoute(): readonly { contract: Contract; names: boolean; ask: (named: Named) => AnyAsk }[] {
  return routes.map(({ contract }) => {
    const request = requests[contract.operationId];
    if (request === undefined) throw new Error(`requests.ts does not say how ${contract.operationId} is called.`);
    return { contract, ...request };
  });
}

/** Ids that nobody has. */
export function unknownIds(): Named {
  return {
    accountId: randomUUID(),
    subscriptionId: randomUUID(),
    payInId: randomUUID(),
    payoutId: randomUUID(),
    deliveryId: randomUUID(),
  };
}

/** One resource of each kind, made for a company. */
export async function makeOneOfEach(partner: Partner): Promise<Named> {
  const accountId = activeAccount(partner).id;
  const { body: subscription } = await partner.call(CreateSubscription, { body: journey3(accountId) });
  await partner.call(ForceSubscriptionStatus, { body: { id: subscription.id, status: 'ACCEPTED' } });
  const { body: made } = await partner.call(CreatePayout, { body: payout(accountId) });
  const { body: deliveries } = await partner.call(ListDeliveries, {
    query: { event: 'SUBSCRIPTION.ACCEPTED', limit: '1' },
  });
  return {
    accountId,
    subscriptionId: subscription.id,
    payInId: subscription.initialCharge!.orderId,
    payoutId: made.id,
    deliveryId: deliveries.data[0]!.id,
  };
}
