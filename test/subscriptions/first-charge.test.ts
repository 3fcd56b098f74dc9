import { beforeEach, describe, expect, test } from 'vitest';
import { keys } from '#shared/platform/table/keys.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { account, companyOne, otherCompany } from '../support/bank-world.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

const tomorrow = '2026-01-16T15:00:00.000Z';
let world: SubscriptionWorld;
let created: CreatedSubscription;
let orderId: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  created = await world.created(compositeBody());
  orderId = created.initialCharge?.orderId ?? '';
});

const events = () => world.notified().map(({ event }) => event);
const subscription = async () => (await world.get(created.id)).body as Readonly<Record<string, unknown>>;
const payInStatus = async () => {
  const { body } = await world.getPayIn({ companyId: companyOne, params: { id: orderId } });
  return (body as { readonly status: string }).status;
};
const both = async () => [await payInStatus(), (await subscription())['status']];

describe('a first charge that ends unpaid', () => {
  test('rejects the subscription that waits for it when its time is over, in one transaction', async () => {
    world.clock.now = tomorrow;
    expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
    expect(await both()).toEqual(['EXPIRED', 'REJECTED']);
    expect(events()).toEqual(['ORDER-PAYIN.EXPIRED', 'SUBSCRIPTION.REJECTED']);
    expect((await subscription())['updatedAt']).toBe(tomorrow);
  });

  test('rejects it when the bank drops the charge, however often that is heard', async () => {
    const context = {
      ...{ store: world.store, ids: world.ids, at: tomorrow, realNow: () => tomorrow, companyId: companyOne },
      ...{ requestId: 'r', alsoEnds: endWaitingSubscription },
    };
    const state = { status: 'DROPPED', payments: [] } as const;
    await applyChargeState(context, orderId, state);
    await applyChargeState(context, orderId, state);
    expect(await both()).toEqual(['ERROR', 'REJECTED']);
    expect(events()).toEqual(['ORDER-PAYIN.ERROR', 'SUBSCRIPTION.REJECTED']);
  });

  test('cancels it when the partner cancels the charge, without a request of its own', async () => {
    const cancel = () => world.cancelPayIn({ companyId: companyOne, params: { id: orderId } });
    expect((await cancel()).status).toBe(200);
    expect((await cancel()).status).toBe(200);
    expect(await both()).toEqual(['CANCELED', 'CANCELED']);
    expect((await subscription())['cancellations']).toEqual([]);
    expect(events()).toEqual(['ORDER-PAYIN.CANCELED', 'SUBSCRIPTION.CANCELED']);
  });

  test.each([
    ['ACCEPTED', ['ACCEPTED']],
    ['REJECTED', ['REJECTED']],
    ['CANCELED', ['ACCEPTED', 'CANCELED']],
  ])('does not change a subscription that is already %s', async (status, moves) => {
    for (const move of moves) await world.forceSubscription(created.id, move);
    const before = await subscription();
    world.clock.now = tomorrow;
    await world.expirePayIns();
    expect(await payInStatus()).toBe('EXPIRED');
    expect(await subscription()).toEqual(before);
    expect(before['status']).toBe(status);
  });

  test('ends no other subscription, and an order of none alone', async () => {
    const other = await world.created(
      compositeBody({ debtor: { name: 'Ana', document: { type: 'CPF', number: '11144477735' } } }),
    );
    await world.cancelPayIn({ companyId: companyOne, params: { id: orderId } });
    expect((await world.get(other.id)).body).toMatchObject({ status: 'PENDING_AUTHORIZATION' });
  });

  test('is decided about again when its subscription is authorized meanwhile', async () => {
    world.clock.now = tomorrow;
    let isFirst = true;
    const racing = {
      ...world.store,
      write: async (...args: Parameters<typeof world.store.write>) => {
        if (isFirst) {
          isFirst = false;
          await world.forceSubscription(created.id, 'ACCEPTED');
        }
        return world.store.write(...args);
      },
    };
    expect(await world.expirePayIns(racing)).toEqual({ expired: 1, failed: 0 });
    expect(await both()).toEqual(['EXPIRED', 'ACCEPTED']);
    expect(events()).toEqual(['SUBSCRIPTION.ACCEPTED', 'ORDER-PAYIN.EXPIRED']);
  });
});

describe('the simulation tools', () => {
  test.each(['CANCELED', 'EXPIRED', 'ERROR', 'PAID'])(
    'change only the first charge when they set it to %s',
    async (status) => {
      await world.force(orderId, status);
      expect(await both()).toEqual([status, 'PENDING_AUTHORIZATION']);
      expect((await world.forceSubscription(created.id, 'ACCEPTED')).status).toBe(200);
      expect(await both()).toEqual([status, 'ACCEPTED']);
    },
  );

  test.each(['ACCEPTED', 'REJECTED'])(
    'change only the subscription when they set it to %s, and the charge later',
    async (status) => {
      await world.forceSubscription(created.id, status);
      expect(await both()).toEqual(['PENDING', status]);
      expect((await world.force(orderId, 'PAID')).status).toBe(200);
      expect(await both()).toEqual(['PAID', status]);
    },
  );
});

describe('an acceptance with its first charge', () => {
  const accept = (more: object = {}, companyId = companyOne) =>
    world.subscriptionTool({ id: created.id, status: 'ACCEPTED', withFirstCharge: true, ...more }, companyId);

  test('pays and authorizes in one transaction, the payment first, from one payer', async () => {
    const commits: string[][] = [];
    const { write } = world.store;
    world.deps.store = {
      ...world.store,
      write: (writes, ...more) => {
        commits.push(
          writes.flatMap((one) => ('put' in one && typeof one.put['entity'] === 'string' ? [one.put['entity']] : [])),
        );
        return write(writes, ...more);
      },
    };
    const response = await accept();
    expect(response.status).toBe(200);
    expect(response.text).toContain('first charge PENDING → PAID; status PENDING_AUTHORIZATION → ACCEPTED. ');
    expect(await both()).toEqual(['PAID', 'ACCEPTED']);
    expect(events()).toEqual(['ORDER-PAYIN.PAID', 'SUBSCRIPTION.ACCEPTED']);
    const [balance] = await world.store.read([keys.balance(companyOne, account)]);
    expect(balance).toMatchObject({ available: 1990 });
    const moving = commits.filter((entities) => entities.includes('PAY_IN') || entities.includes('SUBSCRIPTION'));
    // More than one only where another booking of the account came between.
    expect(moving).not.toEqual([]);
    for (const entities of moving) expect(entities).toEqual(expect.arrayContaining(['PAY_IN', 'SUBSCRIPTION']));
  });

  test('without it, or with false, leaves the charge', async () => {
    expect((await accept({ withFirstCharge: false })).status).toBe(200);
    expect(await both()).toEqual(['PENDING', 'ACCEPTED']);
  });

  test.each(['PAID', 'EXPIRED', 'CANCELED', 'ERROR'])(
    'is refused, and changes neither, when the charge is %s',
    async (status) => {
      await world.force(orderId, status);
      const response = await accept();
      refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
      expect(await both()).toEqual([status, 'PENDING_AUTHORIZATION']);
    },
  );

  test('is refused whole when the subscription waits no more', async () => {
    await world.forceSubscription(created.id, 'REJECTED');
    const response = await accept();
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await both()).toEqual(['PENDING', 'REJECTED']);
  });

  test.each(['REJECTED', 'CANCELED', 'CANCELLATION_REJECTED'])('is refused with the status %s', async (status) => {
    const response = await accept({ status });
    refused(response, 400, ['withFirstCharge:INVALID_VALUE']);
  });

  test('needs a first charge', async () => {
    const { id } = await world.created(subscriptionBody());
    const response = await accept({ id });
    refused(response, 409, ['withFirstCharge:INVALID_VALUE']);
    expect((await world.get(id)).body).toMatchObject({ status: 'PENDING_AUTHORIZATION' });
  });

  test("is not another company's", async () => {
    refused(await accept({}, otherCompany), 404);
  });
});
