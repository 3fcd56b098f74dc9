import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { forceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/handler.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { cancelSubscription } from '#functions/subscriptions/cancel/handler.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { createSubscription } from '#functions/subscriptions/create/handler.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { getSubscription } from '#functions/subscriptions/get/handler.ts';
import { UpdateSubscription } from '#functions/subscriptions/update/contract.ts';
import { updateSubscription } from '#functions/subscriptions/update/handler.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  holder,
  noon,
  otherCompany,
  payInBody,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { payingBankOf } from '#functions/banks.ts';
import { memoryStore } from '../support/memory-store.ts';

/**
 * `read`: one call. `change`: at most one read call and one transaction. `tool`: the same, and behind it what a tool
 * reads to say what becomes of the notifications: the settings, and the lines of at most two addresses. `command`: as
 * a change, and one write when the bank has taken what was owed to it. `other`: only measured.
 */
export type Measured = {
  readonly name: string;
  readonly kind: 'read' | 'change' | 'tool' | 'command' | 'counted change' | 'other';
  readonly run: () => Promise<unknown>;
};

const debtor = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } };
const recurrence = {
  ...{ accountId: account, webhookUrl: 'https://127.0.0.1:9/events', description: 'Plano anual de entregas' },
  ...{ frequencyType: 'MONTHLY', startDate: '2026-02-10', debtor: debtor },
};
const journey3 = {
  type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  initialCharge: { amount: { currency: 'BRL', value: '29.90' } },
};

const sibling = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver: receiver };
const key = { type: 'CNPJ', key: holder.document.number } as const;
const asking = { companyId: companyOne, connection: undefined, at: noon };

/** Every operation with what it needs already in place; in this order. */
export async function measuredOperations(store: Store): Promise<readonly Measured[]> {
  // What the simulated bank looks up is not the service's: a real one asks a directory of its own.
  const world = bankWorld({ wrap: () => store, seed: 'measured', known: memoryStore() });
  const simulated = payingBankOf(store, world.deps.settings, world.ids);
  await world.openAccount(centavos(1_000_000_000));
  const create = caller(CreateSubscription, createSubscription, world.deps);
  const get = caller(GetSubscription, getSubscription, world.deps);
  const cancel = caller(CancelSubscription, cancelSubscription, world.deps);
  const update = caller(UpdateSubscription, updateSubscription, world.deps);
  const tool = caller(ForceSubscriptionStatus, forceSubscriptionStatus, world.deps);

  let createdIds: Record<string, string> = {};
  const kept = async (name: string, response: Promise<Answer>): Promise<void> => {
    const { status, body } = await response;
    if (status > 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    const { id = '', refundId = id } = body as { readonly id?: string; readonly refundId?: string };
    createdIds = { ...createdIds, [name]: refundId };
  };
  const id = (name: string): string => createdIds[name] ?? 'none';
  let keys = 0;
  const asked = (body: object) => ({ companyId: companyOne, body, key: `key-${(keys += 1)}` });
  const subscribe = (type: object) =>
    create(asked({ ...recurrence, type: 'AUTHORIZATION_QRCODE', ...type, externalId: `s-${keys}` }));
  const ok = async (response: Promise<Answer>): Promise<void> => {
    const { status, body } = await response;
    if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const by = (name: string) => ({ companyId: companyOne, params: { id: id(name) } });
  const change = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'change', run });
  const byTool = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'tool', run });
  const command = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'command', run });
  const requested = (name: string) => ok(cancel({ ...by(name), ...asked({ reason: 'REQUESTED_BY_RECEIVER' }) }));
  const forced = (name: string, status: string) => ok(tool({ companyId: companyOne, body: { id: id(name), status } }));
  const other = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'other', run });
  const read = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'read', run });

  // The company's own accounts and charges, for payouts that the simulated bank knows to lead there.
  const inside = bankWorld({ wrap: () => store, seed: 'inside' });
  await inside.openAccount(100_000, { companyId: otherCompany });
  await inside.openAccount(0, { id: sibling, companyId: otherCompany });
  const askedInside = (body: object) => ({ ...asked(body), companyId: otherCompany });
  const pay = (name: string, paymentData: object, value: string) =>
    kept(name, inside.createPayout(askedInside(payoutBody({ paymentData, amount: { currency: 'BRL', value } }))));
  const charge = await inside.createPayIn(askedInside(payInBody({ accountId: sibling })));
  await pay('ofCharge', { qrcodeData: (charge.body as { qrcodeData: string }).qrcodeData }, '25.00');
  await pay('toSibling', { pixKey: sibling }, '10.00');

  return [
    change('Create subscription, journey 2', () => kept('j2', subscribe({}))),
    change('Create subscription, journey 3', () => kept('j3', subscribe(journey3))),
    read('Get subscription', () => ok(get(by('j3')))),
    byTool('Force subscription status', () => forced('j3', 'ACCEPTED')),
    {
      name: 'Give a subscription another address',
      kind: 'other',
      run: () => ok(update({ ...by('j3'), body: { webhookUrl: 'https://127.0.0.1:9/other' } })),
    },
    command('Request cancellation', () => requested('j3')),
    change('Create pay-in', () => kept('payIn', world.createPayIn(asked(payInBody())))),
    read('Get pay-in by id', () => ok(world.getPayIn(by('payIn')))),
    change('Create pay-in that the bank refuses', () =>
      ok(world.createPayIn(asked(payInBody({ description: 'refused@bank.example' })))),
    ),
    change('Create another pay-in', () => kept('unwanted', world.createPayIn(asked(payInBody())))),
    change('Cancel it', () => ok(world.cancelPayIn(by('unwanted')))),
    byTool('Force pay-in to PAID', () => ok(world.force(id('payIn'), 'PAID'))),
    command('Request refund', () => kept('refund', world.refundPayIn({ ...by('payIn'), ...asked({}) }))),
    read('List refunds', () => ok(world.listRefunds(by('payIn')))),
    byTool('Force pay-in to REFUNDED', () => ok(world.force(id('payIn'), 'REFUNDED'))),
    other('Get certificate of a refund', () => {
      const params = { id: id('payIn'), refundId: id('refund') };
      return ok(world.getRefundCertificate({ companyId: companyOne, params }));
    }),
    change('Create payout', () => kept('payout', world.createPayout(asked(payoutBody())))),
    read('Get payout', () => ok(world.getPayout(by('payout')))),
    byTool('Force payout to PAID', () => ok(world.force(id('payout'), 'PAID'))),
    other('Get certificate of a payout', () => ok(world.getPayoutCertificate(by('payout')))),
    change('Create batch of 20', () => kept('batch', world.createPayout(asked(batchBody('300000.00'))))),
    read('Get batch of 20', () => ok(world.getPayout(by('batch')))),
    byTool('Force one payment of a batch', () => ok(world.force(childOf(id('batch'), 1), 'PAID'))),
    byTool('Force batch of 20 as a whole', () => ok(world.force(id('batch'), 'PAID'))),
    change('Create batch of 90', () => kept('most', world.createPayout(asked(batchBody('1350000.00'))))),
    byTool('Force batch of 90 as a whole', () => ok(world.force(id('most'), 'ERROR'))),
    change('Create TED', () => kept('ted', world.createPayout(asked(payoutBody(ted))))),
    byTool('Force TED to PAID', () => ok(world.force(id('ted'), 'PAID'))),
    byTool('Force payout to another account to PAID', () => ok(inside.force(id('toSibling'), 'PAID', otherCompany))),
    {
      name: 'Force payout of a charge to PAID',
      kind: 'other',
      run: () => ok(inside.force(id('ofCharge'), 'PAID', otherCompany)),
    },
    {
      name: 'Simulated bank: whose key is it',
      kind: 'other',
      run: () => simulated.directory.resolveKey({ key, accountId: key.key }, asking),
    },
    read('Get balance', () => ok(world.getBalance({ companyId: companyOne, params: { accountId: account } }))),
    other('A minute without due work, each family', () => world.expirePayIns()),
    other('The same with one pay-in that expires', () => {
      // The first charge of the subscription is the only pay-in that is still open.
      world.clock.now = plusSeconds(world.clock.now, 86_400);
      return world.expirePayIns();
    }),
  ];
}

function batchBody(value: string): Record<string, unknown> {
  return payoutBody({ amount: { currency: 'BRL', value } });
}

function childOf(orderId: string, sequence: number): string {
  return `${orderId.slice(0, -2)}${sequence.toString(16).padStart(2, '0')}`;
}
