import { caller } from '../support/api.ts';
import { companyOne, receiver } from '../support/bank-world.ts';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { cancelScheduledPayment } from '#functions/scheduled-payments/cancel/handler.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { createScheduledPayment } from '#functions/scheduled-payments/create/handler.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { cancelSubscription } from '#functions/subscriptions/cancel/handler.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { createSubscription } from '#functions/subscriptions/create/handler.ts';
import type { Draws } from './bank-books.ts';
import type { Intent, PartnerMemory } from './bank-partner.ts';

export type SubscriptionAnswer = {
  readonly id: string;
  readonly status: string;
  readonly providerId: string;
  readonly initialCharge?: { readonly orderId?: string; readonly conciliationId: string };
};

/** Requests about subscriptions, by chance. */
export function nextSubscriptionIntent(draws: Draws, accountId: string, memory: PartnerMemory): Intent {
  memory.count += 1;
  const key = `s-${memory.count}`;
  const { subscriptions, scheduled } = memory;
  const choice = draws.between(0, 100);
  if (subscriptions.length === 0 || choice < 30) {
    const isComposite = draws.chance(0.5);
    const body = {
      ...{ accountId, externalId: `subscription-${key}`, webhookUrl: 'http://127.0.0.1:9/hook' },
      ...{ frequencyType: 'WEEKLY', startDate: '2026-01-15', debtor: receiver },
      type: isComposite ? 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' : 'AUTHORIZATION_QRCODE',
      ...(isComposite && { initialCharge: { amount: { currency: 'BRL', value: '19.90' } } }),
    };
    return {
      name: `subscription ${key}`,
      send: (deps) => caller(CreateSubscription, createSubscription, deps)({ companyId: companyOne, key, body }),
    };
  }
  const { id } = draws.one(subscriptions);
  if (choice < 80 || scheduled.length === 0) {
    const body = {
      ...{ externalId: `charge-${key}`, amount: { currency: 'BRL', value: '49.90' } },
      dueDate: draws.one(['2026-01-16', '2026-01-19', '2026-01-20', '2026-01-22']),
    };
    return {
      name: `charge ${key}`,
      send: (deps) =>
        caller(CreateScheduledPayment, createScheduledPayment, deps)({ companyId: companyOne, params: { id }, body }),
    };
  }
  if (choice < 90) {
    const body = { reason: 'REQUESTED_BY_RECEIVER' };
    return {
      name: `end ${key}`,
      send: (deps) =>
        caller(CancelSubscription, cancelSubscription, deps)({ companyId: companyOne, params: { id }, key, body }),
    };
  }
  const payment = draws.one(scheduled);
  const params = { id: payment.subscriptionId, paymentId: payment.id };
  return {
    name: `withdraw ${key}`,
    send: (deps) =>
      caller(CancelScheduledPayment, cancelScheduledPayment, deps)({ companyId: companyOne, params, key, body: {} }),
  };
}
