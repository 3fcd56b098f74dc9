import { beforeEach, describe, expect, it } from 'vitest';
import { decideDispute, disputeReturnWrites, openDispute } from '#shared/bank-events/disputes.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { companyOne } from '../support/bank-world.ts';
import { rtrId } from './bank-events-world.ts';
import { useClaimsWorld } from './claims-world.ts';

/** Claims of the list beside what an operator did after the bank's mail. */

const tested = useClaimsWorld();
let orderId: string;
beforeEach(async () => {
  orderId = await tested.paid(1, 10_000);
});

describe('a dispute that an operator opened before', () => {
  beforeEach(async () => {
    const at = tested.world.clock.now;
    const claim = { kind: 'FRAUD', reason: 'By mail.', dueAt: plusSeconds(at, 86_400) } as const;
    await openDispute({ ...(await tested.context()), at }, { orderId: orderId }, claim);
    tested.passes(60);
  });

  it('a dispute of an operator gets the claim of the list, without a second notification', async () => {
    tested.claims(1, 1);
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({
      claimId: 'claim-1',
      claimedAt: '2026-01-15T15:00:30.000Z',
      status: 'OPEN',
    });
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
    await tested.unchanged(tested.readClaims);
  });

  it.each(['DEFENDED', 'REJECTED', 'CANCELED'] as const)(
    'a dispute of an operator moves when the claim is first seen as %s',
    async (status) => {
      tested.claims(1, 1, { status });
      await tested.readClaims();
      expect(tested.dispute()).toMatchObject({ claimId: 'claim-1', status });
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', `DISPUTE.${status}`]);
      await tested.unchanged(tested.readClaims);
    },
  );

  it('a dispute of an operator is accepted by the return when the claim is first seen as ACCEPTED', async () => {
    tested.claims(1, 1, { status: 'ACCEPTED' });
    tested.takesBack(1, 1, 10_000);
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: 10_000 });
    await tested.unchanged(tested.readHour);
  });
});

describe('a dispute that an operator decided before', () => {
  beforeEach(async () => {
    tested.claims(1, 1);
    await tested.readClaims();
  });
  const decided = async (amount: number): Promise<void> => {
    const event = { outcome: 'ACCEPTED', amount: centavos(amount) } as const;
    const at = tested.world.clock.now;
    const { id } = tested.dispute();
    await decideDispute({ ...(await tested.context()), at }, id, event, () =>
      disputeReturnWrites(companyOne, rtrId(1), id),
    );
  };

  it.each([10_000, 4000])(
    'a dispute that an operator ACCEPTED with %i is not booked again by the list',
    async (amount) => {
      await decided(amount);
      tested.takesBack(1, 1, amount);
      await tested.readHour();
      tested.claims(1, 1, { status: 'ACCEPTED' });
      await tested.readHour();
      await tested.unchanged(tested.readHour);
      expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: amount });
      expect(tested.world.items('FOREIGN_RETURN')).toEqual([]);
      expect(await tested.difference()).toBe(0);
    },
  );

  it('a dispute that an operator CANCELED stays so when the list shows another status', async () => {
    await decideDispute({ ...(await tested.context()), at: tested.world.clock.now }, tested.dispute().id, {
      outcome: 'CANCELED',
    });
    tested.claims(1, 1, { status: 'REJECTED' });
    expect(await tested.readHour()).toMatchObject({ failed: 0 });
    expect(tested.dispute()).toMatchObject({ status: 'CANCELED' });
    await tested.unchanged(tested.readHour);
  });
});
