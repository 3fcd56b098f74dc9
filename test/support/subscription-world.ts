import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { forceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/handler.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { cancelSubscription } from '#functions/subscriptions/cancel/handler.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { createSubscription } from '#functions/subscriptions/create/handler.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { getSubscription } from '#functions/subscriptions/get/handler.ts';
import { schemaOf } from '@banking-order/partner-tools';
import type { Answer } from './api.ts';
import { caller } from './api.ts';
import { account, bankWorld, companyOne, receiver } from './bank-world.ts';

export type SubscriptionWorld = ReturnType<typeof subscriptionWorld>;

/** The service around subscriptions, beside that around orders, on one store. */
export function subscriptionWorld(options: Parameters<typeof bankWorld>[0] = {}) {
  const world = bankWorld(options);
  const { deps } = world;
  const tool = caller(ForceSubscriptionStatus, forceSubscriptionStatus, deps);
  const read = caller(GetSubscription, getSubscription, deps);
  const create = caller(CreateSubscription, createSubscription, deps);
  const send = (body: Record<string, unknown>, key?: string): Promise<Answer> =>
    create({ companyId: companyOne, body, ...(key !== undefined && { key }) });
  return {
    ...world,
    create,
    /** Asks for a subscription of the first company, with an idempotency key or without. */
    send,
    /** The same, for a request that must be accepted. */
    created: async (body: Record<string, unknown>, key?: string): Promise<CreatedSubscription> => {
      const response = await send(body, key);
      if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
      return response.body as CreatedSubscription;
    },
    cancel: caller(CancelSubscription, cancelSubscription, deps),
    get: (id: string, companyId = companyOne) => read({ companyId, params: { id } }),
    forceSubscription: (id: string, status: string, companyId = companyOne) =>
      tool({ companyId, body: { id, status } }),
    /** The simulation tool with a body of its own. */
    subscriptionTool: (body: unknown, companyId = companyOne) => tool({ companyId, body }),
    /** Every notification that was promised so far, each as its own schema reads it. */
    notified: () =>
      world.items('DELIVERY').map(({ id, event, resource, target, PK }) => {
        const body = world.items('DELIVERY_BODY').find((item) => item.PK === PK)?.['body'];
        if (typeof event !== 'string' || typeof body !== 'string') throw new Error('A delivery without event or body.');
        return { id, event, resource, target, data: schemaOf(event).parse(JSON.parse(body)) };
      }),
  };
}

export type CreatedSubscription = {
  readonly id: string;
  readonly status: string;
  readonly qrcodeImageBase64: string;
  readonly qrcodeData: string;
  readonly providerId: string;
  readonly externalId: string;
  readonly initialCharge?: {
    readonly orderId: string;
    readonly amount: unknown;
    readonly conciliationId: string;
    readonly expireDateTime: string;
  };
};

let sequence = 0;

/** A subscription of journey 2 that is accepted as it stands; `more` replaces fields. */
export function subscriptionBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  sequence += 1;
  return {
    accountId: account,
    type: 'AUTHORIZATION_QRCODE',
    externalId: `subscription-${sequence}`,
    webhookUrl: 'http://127.0.0.1:9/hook',
    frequencyType: 'MONTHLY',
    startDate: '2026-01-15',
    debtor: receiver,
    ...more,
  };
}

/** The same of journey 3. */
export function compositeBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const initialCharge = { amount: { currency: 'BRL', value: '19.90' } };
  return subscriptionBody({ type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT', initialCharge, ...more });
}
