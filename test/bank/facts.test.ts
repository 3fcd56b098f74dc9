import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon, payInBody, payoutBody } from '../support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

/** What a bank says later, against one that does what banks do: it loses answers, it lags, and it pays late. */

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
});

type Body = { id: string; status: string; endToEndId?: string; paidAt?: string };
let keys = 0;
const asked = (body: object) => ({ companyId: companyOne, key: `k-${(keys += 1)}`, body });
const after = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const events = (): unknown[] => world.notifications().map(({ event }) => event);
const expectCreated = async (response: Promise<{ status: number; body: unknown }>): Promise<Body> => {
  const { status, body } = await response;
  expect(status).toBe(201);
  return body as Body;
};
const payIn = (more: Record<string, unknown> = {}) => expectCreated(world.createPayIn(asked(payInBody(more))));
const payout = (more: Record<string, unknown> = {}) => expectCreated(world.createPayout(asked(payoutBody(more))));
const payInOf = async ({ id }: Body) => (await world.getPayIn({ companyId: companyOne, params: { id } })).body as Body;
const payoutOf = async ({ id }: Body) =>
  (await world.getPayout({ companyId: companyOne, params: { id } })).body as Body;
const refundsOf = async ({ id }: Body) =>
  ((await world.listRefunds({ companyId: companyOne, params: { id } })).body as { data: { status: string }[] }).data;
const balance = async (accountId = account) =>
  (await world.getBalance({ companyId: companyOne, params: { accountId } })).body as Record<string, string>;
const kinds = (): unknown[] => world.items('LEDGER_ENTRY').map(({ kind }) => kind);
const unknown = { outcome: 'UNKNOWN' } as const;
const neverSeen = { outcome: 'NEVER_SEEN' } as const;
const endToEndId = (mark: string): string => `E60701190202601151500${mark.padEnd(11, 'x')}`;
const returnId = 'D60701190202601151500abcdefghijk';

describe('a refund whose answer is lost', () => {
  it('is found by the payment and its own id, and settles: "used already" does not fail it', async () => {
    const order = await payIn();
    await world.force(order.id, 'PAID');
    const { endToEndId: paid } = await payInOf(order);
    const known = new Map<string, RefundState>();
    world.bank.refunds.submit = (refund) => {
      // A bank that has it says that the id is used: by the port's rule that is unknown.
      known.set(`${refund.endToEndId}/${refund.reference}`, { status: 'SETTLED', returnId, at: noon });
      return Promise.resolve(unknown);
    };
    let lag = true;
    world.bank.refunds.find = (refund): Promise<FoundCommand<RefundState>> => {
      const state = lag ? undefined : known.get(`${refund.endToEndId}/${refund.reference}`);
      return Promise.resolve(state ? { outcome: 'DONE', state } : neverSeen);
    };
    await expectCreated(world.refundPayIn({ ...asked({}), params: { id: order.id } }));
    after(120);
    await world.submitCommands();
    expect(await refundsOf(order), 'its reserved amount is not released').toMatchObject([{ status: 'PENDING' }]);
    lag = false;
    after(120);
    await world.submitCommands();
    expect([...known.keys()]).toEqual([expect.stringMatching(`^${paid}/`)]);
    expect(await refundsOf(order)).toMatchObject([{ status: 'SETTLED' }]);
    expect(events()).toEqual(['ORDER-PAYIN.PAID', 'ORDER-PAYIN.REFUNDED']);
    checkOrders(world.items());
  });
});

describe('a payout whose answer is lost', () => {
  it('is PAID as the bank paid it, although its look-ups lag and a repetition is UNKNOWN', async () => {
    let state: PaymentState | undefined;
    let isSeen = false;
    world.bank.payouts.send.submit = () => {
      state = { status: 'PAID', returns: [], at: noon, endToEndId: endToEndId('a') };
      return Promise.resolve(unknown);
    };
    world.bank.payouts.send.find = () => Promise.resolve(state && isSeen ? { outcome: 'DONE', state } : neverSeen);
    const order = await payout();
    after(120);
    await world.submitPayouts();
    expect(await payoutOf(order)).toMatchObject({ status: 'PENDING' });
    isSeen = true;
    after(120);
    await world.submitPayouts();
    expect(await payoutOf(order)).toMatchObject({ status: 'PAID', paidAt: noon });
    expect(events()).toEqual(['ORDER-PAYOUT.PAID']);
    checkOrders(world.items());
  });
});

describe('a pay-in whose time is over', () => {
  const paidAt = plusSeconds(noon, 40);
  const stateOf = (status: ChargeState['status'], more: Partial<ChargeState> = {}): ChargeState => {
    return { txid: 'a'.repeat(32), location: 'pix.example/x', status, payments: [], ...more };
  };
  const paid = (mark = 'a', amount = 2500): ChargeState =>
    stateOf('PAID', { payments: [{ endToEndId: endToEndId(mark), amount: amount as never, at: paidAt, returns: [] }] });
  const removal = (submitted: CommandOutcome<ChargeState>, ...found: readonly FoundCommand<ChargeState>[]): void => {
    const left = [...found];
    world.bank.charges.remove.submit = () => Promise.resolve(submitted);
    world.bank.charges.remove.find = () => Promise.resolve(left.shift() ?? neverSeen);
  };

  it('is PAID by a payment of its 40th second that the look-up at the bank finds', async () => {
    const order = await payIn({ expiresInSeconds: 60 });
    removal(unknown, { outcome: 'DONE', state: paid() });
    after(61);
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
    expect(await payInOf(order)).toMatchObject({ status: 'PAID', paidAt });
    expect(events()).toEqual(['ORDER-PAYIN.PAID']);
    expect(await balance()).toMatchObject({ available: '100025.00' });
    checkOrders(world.items());
  });

  it('is PAID when the removal is refused because it was just paid', async () => {
    const order = await payIn({ expiresInSeconds: 60 });
    removal({ outcome: 'REFUSED', reason: 'Not active.' }, neverSeen, { outcome: 'DONE', state: paid() });
    after(61);
    await world.expirePayIns();
    expect(await payInOf(order)).toMatchObject({ status: 'PAID' });
  });

  it.each<[string, CommandOutcome<ChargeState>]>([
    ['does not respond', unknown],
    ['accepts no call now', { outcome: 'NOT_NOW', cause: 'Too many requests.' }],
    ['reports it as paid without its payment', { outcome: 'DONE', state: stateOf('PAID') }],
    ['still has its charge open', { outcome: 'DONE', state: stateOf('ACTIVE') }],
    ['refuses to remove its charge without naming a payment', { outcome: 'REFUSED', reason: 'Not active.' }],
  ])('stays PENDING and due while the bank %s', async (_name, submitted) => {
    const order = await payIn({ expiresInSeconds: 60 });
    removal(submitted);
    after(61);
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 1 });
    expect(await payInOf(order)).toMatchObject({ status: 'PENDING' });
    removal({ outcome: 'DONE', state: stateOf('REMOVED') });
    expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
    expect(await payInOf(order)).toMatchObject({ status: 'EXPIRED' });
  });

  it('is in error when the bank dropped its charge', async () => {
    const order = await payIn({ expiresInSeconds: 60 });
    removal(unknown, { outcome: 'DONE', state: stateOf('DROPPED') });
    after(61);
    await world.expirePayIns();
    expect(await payInOf(order)).toMatchObject({ status: 'ERROR' });
    expect(events()).toEqual(['ORDER-PAYIN.ERROR']);
  });

  it('is canceled by its partner only if it was not paid: then it is PAID', async () => {
    const order = await payIn();
    removal(unknown, { outcome: 'DONE', state: paid() });
    const response = await world.cancelPayIn({ companyId: companyOne, params: { id: order.id } });
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await payInOf(order)).toMatchObject({ status: 'PAID' });
  });

  it('has every further payment credited once, as unexpected money', async () => {
    const order = await payIn();
    const payments = [...paid('a').payments, ...paid('b').payments, ...paid('c', 100).payments];
    for (let times = 0; times < 2; times += 1) {
      removal(unknown, { outcome: 'DONE', state: stateOf('PAID', { payments }) });
      await world.cancelPayIn({ companyId: companyOne, params: { id: order.id } });
    }
    expect(await payInOf(order)).toMatchObject({ status: 'PAID', endToEndId: endToEndId('a') });
    expect(kinds().sort()).toEqual(['OPENING', 'PAY_IN', 'UNMATCHED_CREDIT', 'UNMATCHED_CREDIT']);
    expect(await balance()).toMatchObject({ available: '100051.00' });
    expect(events().toSorted()).toEqual(['CREDIT.RECEIVED', 'CREDIT.RECEIVED', 'ORDER-PAYIN.PAID']);
  });

  it.each(['PAID', 'REMOVED'] as const)(
    'becomes EXPIRED when its charge is %s with a payment of another amount',
    async (status) => {
      const order = await payIn({ expiresInSeconds: 60 });
      removal(unknown, { outcome: 'DONE', state: { ...paid('a', 2499), status } });
      after(61);
      expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
      expect(await payInOf(order)).toMatchObject({ status: 'EXPIRED' });
      expect(kinds()).toEqual(['OPENING', 'UNMATCHED_CREDIT']);
    },
  );
});

describe('a payout that the bank accepted', () => {
  it('is asked about after 4, 8, 15 and 30 minutes, then every hour, until it has ended', async () => {
    world.setCapabilities({ isPolled: true });
    let state: PaymentState = { status: 'ACCEPTED', returns: [] };
    const polls: number[] = [];
    world.bank.payouts.send.find = () => {
      polls.push((Date.parse(world.clock.now) - Date.parse(noon)) / 60_000);
      return Promise.resolve({ outcome: 'DONE', state });
    };
    const order = await payout();
    for (let minute = 1; minute <= 200; minute += 1) {
      after(60);
      await world.submitPayouts();
      expect(await world.poll()).toBe(0);
    }
    expect(polls).toEqual([2, 4, 8, 15, 30, 90, 150]);
    state = { status: 'PAID', returns: [], at: world.clock.now, endToEndId: endToEndId('a') };
    after(3600);
    await world.poll();
    expect(await payoutOf(order)).toMatchObject({ status: 'PAID' });
    after(36_000);
    await world.poll();
    expect(polls).toHaveLength(8);
    expect(events()).toEqual(['ORDER-PAYOUT.PAID']);
  });

  it('stays PENDING while it waits for a person at the bank', async () => {
    const state: PaymentState = { status: 'AWAITS_APPROVAL', returns: [] };
    world.bank.payouts.send.submit = () => Promise.resolve({ outcome: 'DONE', state });
    expect(await payoutOf(await payout())).toMatchObject({ status: 'PENDING' });
    expect(events()).toEqual([]);
  });

  it('stays PAID when money of it is returned, and the money is credited once', async () => {
    world.setCapabilities({ isPolled: true });
    const order = await payout();
    const returns = [{ returnId, amount: 400 as never, at: noon }];
    const state: PaymentState = { status: 'PAID', returns, at: noon, endToEndId: endToEndId('a') };
    world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'DONE', state });
    after(120);
    await world.submitPayouts();
    await world.submitPayouts();
    expect(await payoutOf(order)).toMatchObject({ status: 'PAID' });
    expect(kinds().sort()).toEqual(['OPENING', 'PAYOUT_PAID', 'PAYOUT_RESERVED', 'PAYOUT_RETURNED_LATE']);
    expect(await balance()).toMatchObject({ available: '99994.00', reserved: '0.00' });
  });
});

describe('the bank’s PAID or ERROR', () => {
  const receiving = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

  it('settles a payout, although the charge of the same company that it pays was booked first', async () => {
    await world.openAccount(0, { id: receiving });
    const charge = (await payIn({ accountId: receiving })) as Body & { qrcodeData: string };
    const amount = { currency: 'BRL', value: '25.00' };
    const order = await payout({ paymentData: { qrcodeData: charge.qrcodeData }, amount });
    await world.force(charge.id, 'PAID');
    const state: PaymentState = { status: 'PAID', returns: [], at: noon, endToEndId: order.endToEndId ?? '' };
    world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'DONE', state });
    after(120);
    await world.submitPayouts();
    expect(await payoutOf(order)).toMatchObject({ status: 'PAID' });
    expect(await balance()).toMatchObject({ available: '99975.00', reserved: '0.00' });
    expect(await balance(receiving), 'the second payment of the charge is in the account').toMatchObject({
      available: '50.00',
    });
    expect(kinds()).toContain('UNMATCHED_CREDIT');
    expect(events().sort()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID', 'ORDER-PAYOUT.PAID']);
  });

  it.each([
    ['PAID', 'ERROR'],
    ['ERROR', 'PAID'],
  ] as const)('is ignored when it contradicts the final status %s', async (status, reportedStatus) => {
    world.setCapabilities({ isPolled: true });
    const order = await payout();
    const paid: PaymentState = { status: 'PAID', returns: [], at: noon, endToEndId: order.endToEndId ?? '' };
    const state: PaymentState = reportedStatus === 'PAID' ? paid : { status: 'ERROR', returns: [], reason: 'No.' };
    world.bank.payouts.send.find = async () => {
      await world.force(order.id, status);
      return { outcome: 'DONE', state };
    };
    after(120);
    await world.submitPayouts();
    expect(await payoutOf(order)).toMatchObject({ status });
    expect(events()).toEqual([`ORDER-PAYOUT.${status}`]);
  });
});
