import { beforeEach, describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { brl } from '#shared/contract/examples.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { connectionId } from '../support/connected-items.ts';
import { e2e, rtrId } from './bank-events-world.ts';
import { useClaimsWorld } from './claims-world.ts';

const tested = useClaimsWorld();
/** The pay-in that payment 1 paid. */
let orderId: string;

const warned = () => tested.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe('a claim of a paid pay-in that the bank lists as OPEN', () => {
  it('a claim opens a dispute with its words, blocks the money, and notifies the partner once', async () => {
    orderId = await tested.paid(1, 10_000);
    const words = { kind: 'OPERATIONAL_ERROR', reason: 'Sent twice.', details: 'GOLPE. Said so.' } as const;
    tested.claims(1, 1, { ...words, amount: centavos(4000) });
    expect(await tested.readHour()).toMatchObject({ failed: 0, missed: 0 });
    expect(tested.dispute()).toMatchObject({
      ...{ ...words, orderId, accountId: account, endToEndId: e2e(1), status: 'OPEN', connection: connectionId },
      ...{ claimId: 'claim-1', claimedAt: '2026-01-15T15:00:30.000Z', dueAt: '2026-01-22T15:00:00.000Z' },
      ...{ amount: 4000, blockedAmount: 4000, returnedAmount: 0 },
    });
    expect(await tested.calls.balance()).toEqual(['60.00', '0.00', '40.00']);
    const told = tested.world.notifications().filter(({ event }) => event === 'DISPUTE.OPENED');
    expect(told).toMatchObject([{ data: { ...words, orderId, amount: brl('40.00'), blockedAmount: brl('40.00') } }]);
    expect(told[0]!['data']).toEqual(await tested.calls.record(tested.dispute().id));
    await tested.unchanged(tested.readHour);
    expect(await tested.difference()).toBe(0);
  });

  it.each([
    ['is of more than was paid', async () => Promise.resolve(), centavos(1_000_000), '100.00'],
    [
      'is of more than a refund left',
      () =>
        tested.world.refundPayIn({
          companyId: companyOne,
          key: 'r',
          params: { id: orderId },
          body: { amount: brl('30.00') },
        }),
      centavos(8000),
      '70.00',
    ],
  ])('a claim takes what is left of the payment when it %s', async (_what, before, amount, claimed) => {
    orderId = await tested.paid(1, 10_000);
    await before();
    tested.claims(1, 1, { amount });
    await tested.readClaims();
    expect(await tested.calls.record(tested.dispute().id)).toMatchObject({
      amount: brl(claimed),
      blockedAmount: brl(claimed),
    });
  });

  it('a claim blocks what is available when the account has less than the claim', async () => {
    await tested.paid(1, 10_000);
    await tested.world.createPayout({ companyId: companyOne, key: 'out', body: payoutBody({ amount: brl('85.00') }) });
    tested.claims(1, 1);
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ amount: 10_000, blockedAmount: 1500 });
  });

  it('a claim of a credit opens a dispute of the credit', async () => {
    const creditId = await tested.credited(1, 5000);
    tested.claims(1, 1, { amount: centavos(5000) });
    await tested.readHour();
    expect(tested.dispute()).toMatchObject({ creditId, amount: 5000, blockedAmount: 5000, claimId: 'claim-1' });
    expect(tested.dispute()).not.toHaveProperty('orderId');
    await tested.unchanged(tested.readHour);
  });

  it('a claim of an assigned credit opens a dispute of its pay-in', async () => {
    const creditId = await tested.credited(1, 5000);
    const orderId = await tested.credits.payIn({ amount: brl('50.00') });
    expect((await tested.credits.assign(creditId, orderId)).status).toBe(200);
    tested.claims(1, 1, { amount: centavos(5000) });
    await tested.readHour();
    expect(tested.dispute()).toMatchObject({ orderId, amount: 5000 });
  });

  it('a claim of an unknown payment changes no record, logs a warning, and opens a dispute once the payment is known', async () => {
    tested.claims(1, 1);
    await tested.unchanged(async () => {
      expect(await tested.readClaims()).toMatchObject({ failed: 0 });
    });
    expect(warned()).toEqual(['List contained a claim of an unknown payment']);
    await tested.paid(1, 10_000);
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'OPEN', amount: 10_000 });
  });

  it('a claim is one dispute when several workers read the list at once', async () => {
    await tested.paid(1, 10_000);
    tested.claims(1, 1);
    await Promise.all([tested.readClaims(), tested.readClaims(), tested.readClaims()]);
    expect(tested.dispute()).toMatchObject({ status: 'OPEN', blockedAmount: 10_000 });
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
    expect(tested.calls.entries()).toHaveLength(1);
    await tested.unchanged(tested.readClaims);
  });

  it.each(['DEFENDED', 'REJECTED', 'CANCELED', 'ACCEPTED'] as const)(
    'a claim that becomes %s decides its dispute once when two workers read it at once',
    async (status) => {
      await tested.paid(1, 10_000);
      tested.claims(1, 1);
      await tested.readClaims();
      tested.claims(1, 1, { status });
      if (status === 'ACCEPTED') tested.takesBack(1, 1, 10_000);
      await Promise.all([tested.readHour(), tested.readHour()]);
      await tested.readHour();
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', `DISPUTE.${status}`]);
      expect(tested.dispute()).toMatchObject({ status });
      await tested.unchanged(tested.readClaims);
    },
  );

  it('a claim opens no dispute when all of the payment went back before, and is not looked at again', async () => {
    const id = await tested.paid(1, 10_000);
    await tested.world.refundPayIn({ companyId: companyOne, key: 'r', params: { id }, body: {} });
    tested.claims(1, 1);
    expect(await tested.readClaims()).toMatchObject({ failed: 0 });
    expect(tested.disputes()).toEqual([]);
    await tested.unchanged(tested.readClaims);
  });

  it('a claim opens a dispute when the refund that took all of the payment fails later', async () => {
    const id = await tested.paid(1, 10_000);
    await tested.world.refundPayIn({ companyId: companyOne, key: 'r', params: { id }, body: {} });
    tested.claims(1, 1);
    await tested.readClaims();
    const refundId = tested.world.items('REFUND')[0]?.['id'] as string;
    tested.bank.known.refunds.set(refundId, { status: 'FAILED', reason: 'Blocked.' });
    await tested.bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id: refundId });
    expect(tested.world.items('REFUND')[0]).toMatchObject({ status: 'FAILED' });
    await tested.readClaims();
    expect(tested.disputes()).toMatchObject([{ status: 'OPEN', blockedAmount: 10_000 }]);
  });

  it.each(['a charge', 'the account'])(
    'a claim of a payment from another account of the service to %s opens no dispute, and does not fail',
    async (to) => {
      const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
      await tested.world.openAccount(100_000, {
        ...{
          id: other,
          document: { type: 'CPF', number: '39053344705' },
          email: 'j@example.com',
          phone: '+5511900000102',
        },
        bankAccountData: {
          ...{ ispb: '60701190', branchNumber: '0012', accountNumber: '0034567-8', accountType: 'CHECKING_ACCOUNT' },
          createdAt: '2026-01-02T00:00:00.000Z',
        },
      });
      const created = await tested.world.createPayIn({ companyId: companyOne, key: 'in', body: payInBody() });
      const { qrcodeData } = created.body as { readonly qrcodeData: string };
      const paymentData = to === 'a charge' ? { qrcodeData } : { pixKey: account };
      const more = { accountId: other, paymentData, amount: brl('25.00') };
      const sent = await tested.world.createPayout({ companyId: companyOne, key: 'out', body: payoutBody(more) });
      expect(sent.status, sent.text).toBe(201);
      const paid = await tested.world.forceOrder((sent.body as { readonly id: string }).id, 'PAID');
      expect(paid.status, paid.text).toBe(200);
      const [received] = tested.world.items('RECEIVED_PIX');
      expect(received).toMatchObject({ accountId: account, amount: 2500 });
      const endToEndId = received?.['endToEndId'] as string;
      for (const status of each(['OPEN', 'DEFENDED', 'ACCEPTED', 'REJECTED'] as const)) {
        tested.claims(1, 1, { endToEndId, status });
        expect(await tested.readClaims(), status).toMatchObject({ failed: 0 });
      }
      tested.bank.known.received.set(endToEndId, {
        ...{ endToEndId, amount: centavos(2500), at: tested.world.clock.now },
        returns: [{ returnId: rtrId(1), amount: centavos(2500), at: tested.world.clock.now, claim: 'FRAUD' }],
      });
      tested.claims(1, 1, { endToEndId, status: 'ACCEPTED' });
      expect(await tested.readHour()).toMatchObject({ failed: 0 });
      expect(tested.disputes()).toEqual([]);
      expect(tested.calls.told()).toEqual([]);
    },
  );
});

describe('a claim that the bank decides', () => {
  beforeEach(async () => {
    orderId = await tested.paid(1, 10_000);
  });

  it('a claim DEFENDED in the app of the bank keeps the money blocked, and notifies the partner', async () => {
    tested.claims(1, 1);
    await tested.readClaims();
    tested.claims(1, 1, { status: 'DEFENDED', isDefended: true, defence: 'It was delivered.' });
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'DEFENDED', blockedAmount: 10_000 });
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
    await tested.unchanged(tested.readClaims);
    tested.claims(1, 1, { status: 'REJECTED', isDefended: true });
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'REJECTED', blockedAmount: 0 });
  });

  it('a claim opens a DEFENDED dispute when it is first seen as DEFENDED', async () => {
    tested.claims(1, 1, { status: 'DEFENDED', isDefended: true });
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'DEFENDED', blockedAmount: 10_000 });
    expect(tested.dispute().statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED']);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
    await tested.unchanged(tested.readClaims);
  });

  it.each(['REJECTED', 'CANCELED'] as const)(
    'a claim that is %s releases the money, and notifies the partner once',
    async (status) => {
      tested.claims(1, 1);
      await tested.readClaims();
      tested.claims(1, 1, { status });
      await tested.readClaims();
      expect(tested.dispute()).toMatchObject({ status, blockedAmount: 0, returnedAmount: 0 });
      expect(await tested.calls.balance()).toEqual(['100.00', '0.00', '0.00']);
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', `DISPUTE.${status}`]);
      await tested.unchanged(tested.readHour);
      expect((await tested.calls.record(tested.dispute().id)).status).toBe(status);
    },
  );

  it.each(['REJECTED', 'CANCELED'] as const)('a claim opens no dispute when it is first seen as %s', async (status) => {
    tested.claims(1, 1, { status });
    await tested.readHour();
    expect(tested.disputes()).toEqual([]);
    expect(tested.calls.told()).toEqual([]);
    await tested.unchanged(tested.readHour);
  });

  it('the dispute stays open with its block while an ACCEPTED claim has no return, and ends when it has one', async () => {
    tested.claims(1, 1);
    await tested.readClaims();
    tested.claims(1, 1, { status: 'ACCEPTED' });
    await tested.unchanged(tested.readClaims);
    await tested.unchanged(tested.readClaims);
    expect(tested.dispute()).toMatchObject({ status: 'OPEN', blockedAmount: 10_000 });
    expect(warned()).toEqual(['Accepted claim has no return yet', 'Accepted claim has no return yet']);
    tested.takesBack(1, 1, 10_000);
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: 10_000, blockedAmount: 0 });
    await tested.unchanged(tested.readClaims);
  });

  it('an ACCEPTED claim whose return takes all makes the pay-in REFUNDED, and the entries equal the money of the bank', async () => {
    tested.claims(1, 1);
    await tested.readClaims();
    tested.takesBack(1, 1, 10_000);
    tested.claims(1, 1, { status: 'ACCEPTED' });
    await tested.readClaims();
    expect(await tested.credits.payInRecord(orderId)).toMatchObject({ status: 'REFUNDED' });
    expect(tested.calls.entries()).toEqual([
      ['MED_BLOCKED', -10_000, 10_000],
      ['MED_RETURNED', 0, -10_000],
    ]);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.ACCEPTED']);
    expect(await tested.difference()).toBe(0);
  });

  it('an ACCEPTED claim whose return takes a part releases the rest, and leaves the pay-in PAID', async () => {
    tested.claims(1, 1);
    await tested.readClaims();
    tested.takesBack(1, 1, 3000);
    tested.claims(1, 1, { status: 'ACCEPTED' });
    await tested.readHour();
    expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: 3000, blockedAmount: 0 });
    expect(await tested.calls.balance()).toEqual(['70.00', '0.00', '0.00']);
    expect(await tested.credits.payInRecord(orderId)).toMatchObject({ status: 'PAID', refundedAmount: brl('30.00') });
    expect(await tested.difference()).toBe(0);
    await tested.unchanged(tested.readHour);
  });

  it.each([
    ['a callback', () => tested.callsBack(1, 1)],
    ['the list of payments', () => tested.readPayments()],
  ])(
    'the dispute is accepted once, with the same money, when %s has the return before the claim is ACCEPTED',
    async (_what, tells) => {
      tested.claims(1, 1);
      await tested.readClaims();
      tested.takesBack(1, 1, 10_000);
      await tells();
      expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: 10_000 });
      tested.claims(1, 1, { status: 'ACCEPTED' });
      await tested.readHour();
      await tells();
      await tested.unchanged(tested.readHour);
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.ACCEPTED']);
      expect(await tested.difference()).toBe(0);
      expect(tested.world.items('FOREIGN_RETURN')).toEqual([]);
    },
  );

  it('a return of more than was claimed is booked whole, when it is no more than was paid', async () => {
    tested.claims(1, 1, { amount: centavos(4000) });
    await tested.readClaims();
    tested.takesBack(1, 1, 7000);
    await tested.readPayments();
    expect(tested.dispute()).toMatchObject({
      status: 'ACCEPTED',
      amount: 7000,
      returnedAmount: 7000,
      blockedAmount: 0,
    });
    expect(await tested.calls.balance()).toEqual(['30.00', '0.00', '0.00']);
    expect(await tested.difference()).toBe(0);
  });

  it('a return is booked below zero when the account has no money any more', async () => {
    await tested.world.createPayout({ companyId: companyOne, key: 'out', body: payoutBody({ amount: brl('90.00') }) });
    tested.claims(1, 1);
    await tested.readClaims();
    tested.takesBack(1, 1, 10_000);
    await tested.readHour();
    expect(await tested.calls.balance()).toEqual(['-90.00', '90.00', '0.00']);
    expect(tested.dispute()).toMatchObject({ status: 'ACCEPTED', returnedAmount: 10_000 });
  });
});

describe('a second claim of a payment', () => {
  beforeEach(async () => {
    orderId = await tested.paid(1, 10_000);
    tested.claims(1, 1, { amount: centavos(4000) });
    await tested.readClaims();
    tested.claims(2, 1, { amount: centavos(5000) });
    await tested.unchanged(tested.readClaims);
  });

  it('a second claim waits while the first is open, and opens a dispute of its own after that', async () => {
    expect(tested.dispute()).toMatchObject({ claimId: 'claim-1' });
    tested.claims(1, 1, { status: 'REJECTED' });
    await tested.readClaims();
    await tested.readClaims();
    expect(tested.disputes()).toMatchObject([
      { claimId: 'claim-1', status: 'REJECTED', blockedAmount: 0 },
      { claimId: 'claim-2', status: 'OPEN', blockedAmount: 5000 },
    ]);
  });

  it.each(['REJECTED', 'CANCELED'] as const)(
    'a second claim that is %s does not end the dispute of the first',
    async (status) => {
      tested.claims(2, 1, { status });
      await tested.readClaims();
      expect(tested.dispute()).toMatchObject({ claimId: 'claim-1', status: 'OPEN', blockedAmount: 4000 });
      await tested.unchanged(tested.readClaims);
    },
  );

  it('a second claim that is DEFENDED does not defend the dispute of the first', async () => {
    tested.claims(2, 1, { status: 'DEFENDED', isDefended: true });
    await tested.readClaims();
    expect(tested.dispute()).toMatchObject({ claimId: 'claim-1', status: 'OPEN' });
  });

  it('each of two claims takes its money once when both are accepted', async () => {
    tested.claims(1, 1, { status: 'ACCEPTED', amount: centavos(4000) });
    tested.claims(2, 1, { status: 'ACCEPTED', amount: centavos(5000) });
    tested.takesBack(1, 1, 4000);
    await tested.readHour();
    tested.takesBack(2, 1, 5000);
    await tested.readHour();
    expect(tested.disputes().map(({ status, returnedAmount }) => [status, returnedAmount])).toEqual([
      ['ACCEPTED', 4000],
      ['ACCEPTED', 5000],
    ]);
    expect(await tested.calls.balance()).toEqual(['10.00', '0.00', '0.00']);
    expect(await tested.difference()).toBe(0);
    await tested.unchanged(tested.readHour);
  });

  it('a second claim leaves no money blocked when its return ended the dispute of the first', async () => {
    tested.takesBack(1, 1, 5000);
    await tested.readPayments();
    await tested.readClaims();
    tested.claims(1, 1, { status: 'REJECTED', amount: centavos(4000) });
    tested.claims(2, 1, { status: 'ACCEPTED', amount: centavos(5000) });
    await tested.readHour();
    await tested.readHour();
    expect(await tested.calls.balance()).toEqual(['50.00', '0.00', '0.00']);
  });
});
