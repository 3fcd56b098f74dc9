import { beforeEach, describe, expect, it } from 'vitest';
import { returnUnmatched, showUnmatched } from '#infra/operator/bank.ts';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { submitDueReturn } from '#shared/credits/return.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import type { World } from '../support/bank-world.ts';
import { creditOf } from '../support/credits.ts';
import { account, bankWorld, companyOne, noon, otherCompany, payInBody } from '../support/bank-world.ts';

/** A second payment of a charge, and its return by an operator. */

const endToEndId = 'E60701190202601151500abcdefghijk';
const returnId = 'D60701190202601151500abcdefghijk';
let world: World;
let payInId: string;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_00);
  const { body } = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
  payInId = (body as { id: string }).id;
  await world.force(payInId, 'PAID');
  await hear();
});

const context = () => {
  const { store, ids, clock } = world;
  return {
    store,
    ids,
    at: clock.now,
    now: () => clock.now,
    realNow: () => clock.now,
    companyId: companyOne,
    requestId: 'r',
    alsoEnds: endWaitingSubscription,
  };
};
const hear = () =>
  applyChargeState(context(), payInId, {
    ...{ txid: 'a'.repeat(32), location: 'pix.example/x', status: 'PAID' },
    payments: [{ endToEndId, amount: 2500 as never, at: noon, returns: [] }],
  });
const listed = () => showUnmatched({ store: world.store }, { companyId: companyOne });
const send = (companyId = companyOne) => returnUnmatched(context(), { companyId, endToEndId });
const balance = async () =>
  (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body as Record<string, string>;
const jobId = async (): Promise<string> => {
  const { credit, returns } = await creditOf(world.store, companyOne, endToEndId);
  return `${credit.id}#${returns[0]?.id ?? ''}`;
};
const later = async (): Promise<void> => {
  world.clock.now = plusSeconds(world.clock.now, 3600);
  await world.poll();
};
const bankSays = (outcome: CommandOutcome<RefundState>): void => {
  world.bank.refunds.submit = () => Promise.resolve(outcome);
};

describe('money that no charge expected', () => {
  it('is in the account and in the operator’s list, once, however often it is heard', async () => {
    await hear();
    expect(await balance()).toMatchObject({ available: '150.00' });
    expect(await listed()).toMatchObject([
      { endToEndId, accountId: account, amount: '25.00', orderId: payInId, state: 'OPEN' },
    ]);
  });

  it('goes back to its payer: reserved at once, by one refund, whatever is repeated or lost', async () => {
    const references = new Set<string>();
    bankSays({ outcome: 'UNKNOWN' });
    expect(await send()).toMatchObject({ state: 'OPEN' });
    expect(await send()).toMatchObject({ state: 'OPEN' });
    expect((await creditOf(world.store, companyOne, endToEndId)).returns).toHaveLength(1);
    expect(await balance()).toMatchObject({ available: '125.00', reserved: '25.00' });
    await later();
    world.bank.refunds.submit = (order) => {
      references.add(`${order.endToEndId}/${order.reference}`);
      return Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
    };
    await later();
    expect(references.size).toBe(1);
    world.bank.refunds.find = () =>
      Promise.resolve({ outcome: 'DONE', state: { status: 'SETTLED', returnId, at: noon } });
    await later();
    await later();
    expect(await balance()).toMatchObject({ available: '125.00', reserved: '0.00' });
    expect(await listed()).toEqual([]);
    await expect(send()).rejects.toThrow('the status is RETURNED');
  });

  it('goes back by one of two workers at once, whatever the bank shows', async () => {
    let submitted = 0;
    let asked = 0;
    world.bank.refunds.find = async () => {
      asked += 1;
      if (asked === 1)
        await submitDueReturn({ ...context(), bank: world.bank, remainingMs: () => 10_000 }, await jobId());
      return { outcome: 'NEVER_SEEN' };
    };
    world.bank.refunds.submit = () => {
      submitted += 1;
      return Promise.resolve({ outcome: 'UNKNOWN' });
    };
    await send();
    await later();
    expect(submitted).toBe(1);
  });

  it('stays when the bank refuses its return, and can be sent once more', async () => {
    bankSays({ outcome: 'REFUSED', reason: 'Too old.' });
    await send();
    await later();
    expect(await balance()).toMatchObject({ available: '150.00', reserved: '0.00' });
    expect(await listed()).toMatchObject([{ state: 'OPEN' }]);
    bankSays({ outcome: 'DONE', state: { status: 'SETTLED', returnId, at: noon } });
    await send();
    await later();
    expect(await balance()).toMatchObject({ available: '125.00', reserved: '0.00' });
  });

  it('is not found by another company, and not for a payment that a charge expected', async () => {
    await expect(send(otherCompany)).rejects.toThrow();
    const paid = (await world.getPayIn({ companyId: companyOne, params: { id: payInId } })).body as {
      endToEndId: string;
    };
    await expect(returnUnmatched(context(), { companyId: companyOne, endToEndId: paid.endToEndId })).rejects.toThrow();
  });
});
