import { ForceSubscriptionStatus } from '../../functions/order-tools/force-subscription-status/contract.ts';
import { forceSubscriptionStatus } from '../../functions/order-tools/force-subscription-status/handler.ts';
import { CancelSubscription } from '../../functions/subscriptions/cancel/contract.ts';
import { cancelSubscription } from '../../functions/subscriptions/cancel/handler.ts';
import { CreateSubscription } from '../../functions/subscriptions/create/contract.ts';
import { createSubscription } from '../../functions/subscriptions/create/handler.ts';
import { GetSubscription } from '../../functions/subscriptions/get/contract.ts';
import { getSubscription } from '../../functions/subscriptions/get/handler.ts';
import { centavos } from '../../shared/domain/money.ts';
import type { Store } from '../../shared/persistence/store.ts';
import { caller, type Answer } from '../support/api.ts';
import { ACCOUNT, bankWorld, COMPANY, payInBody, payoutBody } from '../support/bank-world.ts';

/** `read`: one call. `change`: at most one read call and one transaction. `other`: only measured. */
export type Measured = {
  readonly name: string;
  readonly kind: 'read' | 'change' | 'other';
  readonly run: () => Promise<unknown>;
};

const DEBTOR = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } };
const RECURRENCE = {
  ...{ accountId: ACCOUNT, webhookUrl: 'https://127.0.0.1:9/events', description: 'Plano anual de entregas' },
  ...{ frequencyType: 'MONTHLY', startDate: '2026-02-10', debtor: DEBTOR },
};
const JOURNEY_3 = {
  type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  initialCharge: { amount: { currency: 'BRL', value: '29.90' } },
};

/** Every operation with what it needs already in place; in this order. */
export async function measuredOperations(store: Store): Promise<readonly Measured[]> {
  const world = bankWorld({ wrap: () => store, seed: 'measured' });
  await world.openAccount(centavos(1_000_000_000));
  const create = caller(CreateSubscription, createSubscription, world.deps);
  const get = caller(GetSubscription, getSubscription, world.deps);
  const cancel = caller(CancelSubscription, cancelSubscription, world.deps);
  const tool = caller(ForceSubscriptionStatus, forceSubscriptionStatus, world.deps);

  let made: Record<string, string> = {};
  const kept = async (name: string, answer: Promise<Answer>): Promise<void> => {
    const { status, body } = await answer;
    if (status > 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    made = { ...made, [name]: (body as { id: string }).id };
  };
  const id = (name: string): string => made[name] ?? 'none';
  let keys = 0;
  const asked = (body: object) => ({ companyId: COMPANY, body, key: `key-${(keys += 1)}` });
  const subscribe = (type: object) =>
    create(asked({ ...RECURRENCE, type: 'AUTHORIZATION_QRCODE', ...type, externalId: `s-${keys}` }));
  const ok = async (answer: Promise<Answer>): Promise<void> => {
    const { status, body } = await answer;
    if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const by = (name: string) => ({ companyId: COMPANY, params: { id: id(name) } });
  const change = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'change', run });
  const read = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'read', run });

  return [
    change('Create subscription, journey 2', () => kept('j2', subscribe({}))),
    change('Create subscription, journey 3', () => kept('j3', subscribe(JOURNEY_3))),
    read('Get subscription', () => ok(get(by('j3')))),
    change('Force subscription status', () =>
      ok(tool({ companyId: COMPANY, body: { id: id('j3'), status: 'ACCEPTED' } })),
    ),
    change('Request cancellation', () => ok(cancel({ ...by('j3'), ...asked({ reason: 'REQUESTED_BY_RECEIVER' }) }))),
    change('Create pay-in', () => kept('payIn', world.createPayIn(asked(payInBody())))),
    read('Get pay-in by id', () => ok(world.getPayIn(by('payIn')))),
    change('Force pay-in to PAID', () => ok(world.force(id('payIn'), 'PAID'))),
    change('Request refund', () => ok(world.refundPayIn({ ...by('payIn'), ...asked({}) }))),
    change('Force pay-in to REFUNDED', () => ok(world.force(id('payIn'), 'REFUNDED'))),
    change('Create payout', () => kept('payout', world.createPayout(asked(payoutBody())))),
    read('Get payout', () => ok(world.getPayout(by('payout')))),
    change('Force payout to PAID', () => ok(world.force(id('payout'), 'PAID'))),
    change('Create batch of 20', () => kept('batch', world.createPayout(asked(batchBody('300000.00'))))),
    read('Get batch of 20', () => ok(world.getPayout(by('batch')))),
    change('Force one payment of a batch', () => ok(world.force(childOf(id('batch'), 1), 'PAID'))),
    change('Force batch of 20 as a whole', () => ok(world.force(id('batch'), 'PAID'))),
    change('Create batch of 90', () => kept('most', world.createPayout(asked(batchBody('1350000.00'))))),
    change('Force batch of 90 as a whole', () => ok(world.force(id('most'), 'ERROR'))),
    read('Get balance', () => ok(world.getBalance({ companyId: COMPANY, params: { accountId: ACCOUNT } }))),
  ];
}

function batchBody(value: string): Record<string, unknown> {
  return payoutBody({ amount: { currency: 'BRL', value } });
}

function childOf(orderId: string, sequence: number): string {
  return `${orderId.slice(0, -2)}${sequence.toString(16).padStart(2, '0')}`;
}
