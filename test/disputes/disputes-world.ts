import { expect } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { isUndecided } from '#shared/disputes/model.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { accountBalances } from '../support/account-balances.ts';
import type { Answer } from '../support/api.ts';
import { account, bankWorld, companyOne } from '../support/bank-world.ts';
import { creditCalls } from '../support/credits.ts';
import { disputeCalls } from '../support/disputes.ts';

type Transaction = Parameters<Store['write']>[0];

/** A world of disputes whose table can be interrupted: by a rival, or by the death of the process. */
export function disputesWorld() {
  const hook: { beforeWrite?: ((writes: Transaction) => Promise<void> | void) | undefined } = {};
  const world = bankWorld({
    wrap: (memory) => {
      const interrupted = async (writes: Transaction): Promise<void> => {
        const { beforeWrite } = hook;
        if (beforeWrite !== undefined) await beforeWrite(writes);
      };
      const write: Store['write'] = async (writes, token, options) => {
        await interrupted(writes);
        return memory.write(writes, token, options);
      };
      const writeOne: Store['writeOne'] = async (one) => {
        await interrupted([one]);
        return memory.writeOne(one);
      };
      return { ...memory, write, writeOne };
    },
  });
  const calls = disputeCalls(world);
  const credits = creditCalls(world);
  const passes = (seconds: number): void => {
    world.clock.now = plusSeconds(world.clock.now, seconds);
  };
  let keys = 0;
  const spend = async (value: string): Promise<Answer> => {
    keys += 1;
    const body = {
      ...{ externalId: `spend-${keys}`, accountId: account, paymentMethod: 'PIX', amount: brl(value) },
      ...{ description: 'Compra', paymentData: { pixKey: 'maria@example.com' } },
    };
    return world.createPayout({ companyId: companyOne, key: `spend-${keys}`, body });
  };
  const refund = (orderId: string, value?: string): Promise<Answer> => {
    const body = value === undefined ? {} : { amount: brl(value) };
    return world.refundPayIn({ companyId: companyOne, key: `refund-${(keys += 1)}`, params: { id: orderId }, body });
  };
  return {
    world,
    calls,
    credits,
    passes,
    spend,
    /** What was spent is gone for good. */
    spent: async (value: string): Promise<void> => {
      const response = await spend(value);
      expect(response.status, response.text).toBe(201);
      expect((await world.force((response.body as { id: string }).id, 'PAID')).status).toBe(200);
    },
    refund,
    refunded: async (orderId: string, value?: string): Promise<string> => {
      const response = await refund(orderId, value);
      expect(response.status, response.text).toBe(201);
      return (response.body as { refundId: string }).refundId;
    },
    /** A pay-in that was paid, a minute ago. */
    paid: async (value: string): Promise<string> => {
      const id = await credits.payIn({ amount: brl(value) });
      expect((await world.force(id, 'PAID')).status).toBe(200);
      passes(60);
      return id;
    },
    open: (orderId: string, value?: string): Promise<Answer> =>
      calls.ask({ orderId, status: 'OPEN', ...(value !== undefined && { amount: brl(value) }) }),
    openOfCredit: async (creditId: string, value?: string): Promise<string> => {
      const response = await calls.ask({
        ...{ creditId, status: 'OPEN' },
        ...(value !== undefined && { amount: brl(value) }),
      });
      expect(response.status, response.text).toBe(200);
      return (response.body as { id: string }).id;
    },
    /** Does something once, before the next transaction that one of `entities` is written in. */
    rival: (entity: string, act: () => Promise<unknown>): void => {
      hook.beforeWrite = async (writes) => {
        if (!writes.some((write) => 'put' in write && write.put['entity'] === entity)) return;
        hook.beforeWrite = undefined;
        await act();
      };
    },
    /** The process dies before its write of this number, counted from now; no write of it comes after. */
    diesBefore: (count: number): void => {
      let left = count;
      hook.beforeWrite = () => {
        left -= 1;
        if (left < 1) throw new StoreUnavailable('The process died.');
      };
    },
    livesAgain: (): void => {
      hook.beforeWrite = undefined;
    },
    blockedOf: async (ids: readonly string[]): Promise<readonly string[]> =>
      Promise.all(ids.map(async (id) => (await calls.record(id)).blockedAmount.value)),
    disputes: (): readonly Dispute[] => world.items('DISPUTE').map(parseDispute),
    runs: async (): Promise<void> => {
      expect((await world.runDisputeJobs()).failed).toBe(0);
    },
    /** The balance is the sum of its entries, and what is blocked is that of the disputes, oldest first. */
    consistent: (): void => {
      const disputes = world
        .items('DISPUTE')
        .map(parseDispute)
        .toSorted((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
      const undecided = disputes.filter(isUndecided);
      for (const { accountId, available, reserved, blocked, entries } of accountBalances(world.items())) {
        const sum = (part: 'available' | 'reserved' | 'blocked'): number =>
          entries.reduce((total, entry) => total + entry[part], 0);
        expect([sum('available'), sum('reserved'), sum('blocked')], 'the sum of the entries').toEqual([
          ...[available, reserved, blocked],
        ]);
        const own = undecided.filter((dispute) => dispute.accountId === accountId);
        expect(blocked, 'what is blocked').toBe(own.reduce((total, { blockedAmount }) => total + blockedAmount, 0));
        const firstShort = own.findIndex(({ amount, blockedAmount }) => blockedAmount < amount);
        const younger = firstShort === -1 ? [] : own.slice(firstShort + 1);
        expect(
          younger.filter(({ blockedAmount }) => blockedAmount > 0),
          'disputes served before an older one',
        ).toEqual([]);
        for (const dispute of disputes.filter((one) => one.accountId === accountId)) {
          const moves = entries.filter(({ disputeId }) => disputeId === dispute.id);
          expect(moves.reduce((total, entry) => total + entry.blocked, 0)).toBe(dispute.blockedAmount);
          expect(moves.reduce((total, entry) => total - entry.available - entry.blocked, 0)).toBe(
            dispute.returnedAmount,
          );
          expect(dispute.blockedAmount).toBeLessThanOrEqual(dispute.amount);
        }
      }
      const short = undecided.filter(({ amount, blockedAmount }) => blockedAmount < amount).map(({ id }) => id);
      expect(
        world
          .items('SHORT_DISPUTE')
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(short.toSorted());
    },
  };
}
