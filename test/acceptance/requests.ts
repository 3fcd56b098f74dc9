import { randomUUID } from 'node:crypto';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { routes } from '#functions/routes.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ResendDeliveries } from '#functions/webhooks/resend-deliveries/contract.ts';
import type { AnyRequest, Partner } from '@banking-order/partner-tools';
import { exampleOf } from '#tools/docs/operation.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { activeAccount } from './partners.ts';
import { brl, journey3, keyOfNobody, payout, scheduledPayment } from './samples.ts';

/** Resources that a request can name, as examples do. */
export type Named = Readonly<Record<keyof typeof exampleIds, string>>;

/** What a test cannot send as the example says, by the operation. */
const own: Readonly<Record<string, () => AnyRequest>> = {
  createPixKey: () => ({ body: keyOfNobody() }),
  resendWebhookDeliveries: () => ({ body: justNow() }),
  // The clock that a test turns is turned for those beside it.
  setClock: () => ({ body: { advanceSeconds: 0 } }),
  // A bank that is narrow for a test refuses what those beside it ask for.
  setBankProfile: () => ({ body: {} }),
};

/**
 * How a route is called so that it accepts the request: as its example says, with the ids of these resources, and with
 * identifiers of the partner's own that were never used.
 */
function askAsExample(contract: Contract, named: Named): AnyRequest {
  const { request } = exampleOf(contract);
  const ids = Object.entries(exampleIds).map(([name, id]) => [id, named[name as keyof Named]] as const);
  const text = ids.reduce(
    (all, [id, real]) => all.replaceAll(id, real),
    JSON.stringify({ ...request, ...own[contract.operationId]?.() }),
  );
  return JSON.parse(text, (name, value: unknown) => (name === 'externalId' ? randomUUID() : value)) as AnyRequest;
}

/** Whether a request names a resource: a list may be filtered by one, and then is empty. */
function namesResource(contract: Contract): boolean {
  const { params = {}, body = {} } = exampleOf(contract).request;
  const text = JSON.stringify({ params, body });
  return Object.values(exampleIds).some((id) => text.includes(id));
}

/** Every route with a request that it accepts, and whether the request names a resource. */
export function everyRoute(): readonly { contract: Contract; names: boolean; ask: (named: Named) => AnyRequest }[] {
  return routes.map(({ contract }) => ({
    contract,
    names: namesResource(contract),
    ask: (named) => askAsExample(contract, named),
  }));
}

/** A resend that finds hardly anything: other tests look at what failed and what is held. */
function justNow(): { createdFrom: string } {
  return { createdFrom: new Date(Date.now() - 1).toISOString() };
}

/** Ids of no resource. */
export function unknownIds(): Named {
  return {
    accountId: randomUUID(),
    subscriptionId: randomUUID(),
    paymentId: randomUUID(),
    payInId: randomUUID(),
    refundId: randomUUID(),
    payoutId: randomUUID(),
    deliveryId: randomUUID(),
    validationId: randomUUID(),
    resendId: randomUUID(),
    creditId: randomUUID(),
    disputeId: randomUUID(),
  };
}

/** One resource of each kind, made for a company. */
export async function makeOneOfEach(partner: Partner): Promise<Named> {
  const accountId = activeAccount(partner).id;
  const { body: subscription } = await partner.call(CreateSubscription, { body: journey3(accountId) });
  await partner.call(ForceSubscriptionStatus, { body: { id: subscription.id, status: 'ACCEPTED' } });
  const { body: payment } = await partner.call(CreateScheduledPayment, {
    params: { id: subscription.id },
    body: scheduledPayment(),
  });
  const { body: createdPayout } = await partner.call(CreatePayout, { body: payout(accountId) });
  const { body: deliveries } = await partner.call(ListDeliveries, {
    query: { resourceId: subscription.id, limit: '1' },
  });
  const { body: validation } = await partner.call(CreateKey, { params: { accountId }, body: keyOfNobody() });
  const credited = await partner.call(ReceiveCredit, { body: { accountId, amount: brl('1.00') } });
  const { id: creditId } = credited.body;
  const payInId = subscription.initialCharge!.orderId!;
  await partner.call(ForceOrderStatus, { body: { id: payInId, status: 'PAID' } });
  const part = { params: { id: payInId }, body: { amount: brl('0.01') } };
  return {
    accountId,
    validationId: validation.validationId,
    subscriptionId: subscription.id,
    paymentId: payment.id,
    payInId,
    refundId: (await partner.call(RefundPayIn, part)).body.refundId,
    payoutId: createdPayout.id,
    deliveryId: deliveries.data[0]!.id,
    creditId,
    disputeId: (await partner.call(ForceDisputeStatus, { body: { creditId, status: 'OPEN' } })).body.id,
    resendId: (await partner.call(ResendDeliveries, { body: justNow() })).body.id,
  };
}
