import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { companyOne } from '#test/support/bank-world.ts';
import { collectErrors } from '#test/support/logged.ts';
import { fc } from '#test/support/properties.ts';
import type { CreatedSubscription, SubscriptionWorld } from '#test/support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '#test/support/subscription-world.ts';

type Said = RecurrenceState['history'][number]['status'];
type SubscriptionRecord = {
  readonly status: string;
  readonly statusHistory: readonly { readonly status: string; readonly createdAt: string }[];
  readonly cancellations: readonly {
    readonly status: string;
    readonly reason: string;
    readonly statusHistory: readonly object[];
    readonly customer: { readonly document: { readonly number: string } };
  }[];
  readonly payer?: object;
};

const payer = { document: { type: 'CPF', number: '52998224725' } } as const;
/** The hours of the day at which a recurrence got its statuses. */
const times: Readonly<Record<Said, string>> = {
  CREATED: '2026-01-15T15:00:01.000Z',
  APPROVED: '2026-01-15T16:00:00.000Z',
  REJECTED: '2026-01-15T16:00:00.000Z',
  CANCELED: '2026-01-15T17:00:00.000Z',
  EXPIRED: '2026-01-15T17:00:00.000Z',
};
const stateOf = (statuses: readonly Said[], more: Partial<RecurrenceState> = {}): RecurrenceState => ({
  history: statuses.map((status) => ({ status, at: times[status] })),
  payer,
  ...more,
});

let world: SubscriptionWorld;
let created: CreatedSubscription;
let errors: ReturnType<typeof collectErrors>;
afterEach(() => {
  vi.restoreAllMocks();
});
beforeEach(async () => {
  errors = collectErrors();
  world = subscriptionWorld();
  await world.openAccount(0);
  created = await world.created(subscriptionBody());
  world.clock.now = '2026-01-15T20:00:00.000Z';
});
const hear = (statuses: readonly Said[], more: Partial<RecurrenceState> = {}, { id } = created) =>
  applyRecurrenceState(
    { ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' },
    id,
    stateOf(statuses, more),
  );
const read = async ({ id } = created): Promise<SubscriptionRecord> => (await world.get(id)).body as SubscriptionRecord;
const readNotifiedEvents = () => world.notified().map(({ event }) => event);

/** The transitions of a subscription to each status before the event of the bank. */
const transitionsTo: Readonly<Record<string, () => Promise<unknown>>> = {
  PENDING_AUTHORIZATION: () => Promise.resolve(),
  ACCEPTED: () => world.forceSubscription(created.id, 'ACCEPTED'),
  REJECTED: () => world.forceSubscription(created.id, 'REJECTED'),
  CANCELED: async () => {
    await world.forceSubscription(created.id, 'ACCEPTED');
    await world.forceSubscription(created.id, 'CANCELED');
  },
};

describe('a subscription', () => {
  test.each<[our: string, said: Said, moves: readonly string[], isReported?: boolean]>([
    ['PENDING_AUTHORIZATION', 'CREATED', []],
    ['PENDING_AUTHORIZATION', 'APPROVED', ['ACCEPTED']],
    ['PENDING_AUTHORIZATION', 'REJECTED', ['REJECTED']],
    ['PENDING_AUTHORIZATION', 'CANCELED', ['CANCELED']],
    ['PENDING_AUTHORIZATION', 'EXPIRED', ['CANCELED']],
    ['ACCEPTED', 'CREATED', []],
    ['ACCEPTED', 'APPROVED', []],
    ['ACCEPTED', 'REJECTED', [], true],
    ['ACCEPTED', 'CANCELED', ['CANCELED']],
    ['ACCEPTED', 'EXPIRED', ['CANCELED']],
    ['REJECTED', 'CREATED', []],
    ['REJECTED', 'APPROVED', []],
    ['REJECTED', 'REJECTED', []],
    ['REJECTED', 'CANCELED', [], true],
    ['REJECTED', 'EXPIRED', [], true],
    ['CANCELED', 'CREATED', []],
    ['CANCELED', 'APPROVED', []],
    ['CANCELED', 'REJECTED', [], true],
    ['CANCELED', 'CANCELED', []],
    ['CANCELED', 'EXPIRED', []],
  ])(
    'in %s makes the transitions listed for the bank status %s once, and logs a contradiction of a final status',
    async (our, reportedStatus, moves, isReported?: boolean) => {
      await transitionsTo[our]?.();
      const before = await read();
      const toldBefore = readNotifiedEvents().length;
      for (const _time of [1, 2]) await hear([reportedStatus]);
      const after = await read();
      expect(after.statusHistory.slice(before.statusHistory.length)).toEqual(
        moves.map((status) => ({ status, createdAt: times[reportedStatus] })),
      );
      expect(readNotifiedEvents().slice(toldBefore)).toEqual(moves.map((status) => `SUBSCRIPTION.${status}`));
      const where = { companyId: companyOne, subscriptionId: created.id, said: reportedStatus };
      const line = { level: 'error', message: 'Bank event contradicts a final status', ...where };
      expect(errors, 'each time that it was heard').toEqual(isReported === true ? [line, line] : []);
    },
  );

  test('goes through every status of the bank’s history, with the payer that the bank names', async () => {
    expect(await hear(['CREATED', 'APPROVED', 'CANCELED'], { endedBy: 'PAYER' })).toBe('CANCELED');
    const record = await read();
    expect(record.statusHistory.slice(2)).toEqual([
      { status: 'ACCEPTED', createdAt: times.APPROVED },
      { status: 'CANCELED', createdAt: times.CANCELED },
    ]);
    expect(record.payer).toEqual(payer);
    expect(readNotifiedEvents()).toEqual(['SUBSCRIPTION.ACCEPTED', 'SUBSCRIPTION.CANCELED']);
    expect(world.items('PAYMENT_SWEEP'), 'its payments end with it').toHaveLength(1);
  });
});

describe('a recurrence that is canceled or expired at the bank', () => {
  const receiver = '11444777000161';
  test.each<readonly [name: string, more: Partial<RecurrenceState>, records: readonly object[]]>([
    [
      'the payer that canceled it',
      { endedBy: 'PAYER' },
      [{ reason: 'REQUESTED_BY_PAYER', number: payer.document.number }],
    ],
    ['the receiver that canceled it', { endedBy: 'RECEIVER' }, [{ reason: 'REQUESTED_BY_RECEIVER', number: receiver }]],
    [
      'a bank that reports its reason',
      { endedBy: 'BANK', endReason: 'PAYER_DECEASED' },
      [{ reason: 'PAYER_DECEASED', number: payer.document.number }],
    ],
    ['no party when the bank reports no reason', { endedBy: 'BANK' }, []],
    ['no party when the bank reports no party', {}, []],
  ])('has the cancellation record of %s', async (_name, more, records) => {
    await hear(['CREATED', 'CANCELED'], more);
    const { status, cancellations } = await read();
    expect(status).toBe('CANCELED');
    expect(
      cancellations.map(({ reason, customer }) => ({ reason, number: customer.document.number })),
      'a record when a party requested it',
    ).toEqual(records);
    for (const { status: end } of cancellations) expect(end).toBe('ACCEPTED');
  });

  test('has no cancellation record when it expired', async () => {
    await hear(['EXPIRED'], { endedBy: 'PAYER' });
    expect(await read()).toMatchObject({ status: 'CANCELED', cancellations: [] });
  });

  test('answers the open request of the partner', async () => {
    await world.forceSubscription(created.id, 'ACCEPTED');
    const body = { reason: 'FRAUD_SUSPICION' };
    await world.cancel({ companyId: companyOne, key: 'k', params: { id: created.id }, body });
    await hear(['APPROVED', 'CANCELED'], { endedBy: 'RECEIVER' });
    const [request] = (await read()).cancellations;
    expect(request).toMatchObject({ status: 'ACCEPTED', reason: 'FRAUD_SUSPICION' });
    expect(request?.statusHistory, 'never before its creation').toEqual(
      ['INITIAL', 'PENDING', 'ACCEPTED'].map((status) => ({ status, createdAt: world.clock.now })),
    );
  });
});

test('a request that the bank carries out at once is accepted within the request, its payments end with it', async () => {
  await world.forceSubscription(created.id, 'ACCEPTED');
  world.bank.recurrences.cancel.submit = () => Promise.resolve({ outcome: 'DONE', state: stateOf(['CANCELED']) });
  world.clock.now = '2026-01-15T16:30:00.000Z';
  const body = { reason: 'REQUESTED_BY_RECEIVER' };
  const response = await world.cancel({ companyId: companyOne, key: 'k', params: { id: created.id }, body });
  expect(response).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  expect(await read()).toMatchObject({
    status: 'CANCELED',
    cancellations: [
      { status: 'ACCEPTED', statusHistory: [{ status: 'INITIAL' }, { status: 'PENDING' }, { status: 'ACCEPTED' }] },
    ],
  });
  expect(world.items('PAYMENT_SWEEP'), 'swept within the request').toEqual([]);
  expect(world.items('CANCELLATION').filter((item) => 'GSI3PK' in item)).toEqual([]);
});

describe('a first charge that is still pending', () => {
  let orderId: string;
  let composite: CreatedSubscription;
  beforeEach(async () => {
    world.clock.now = '2026-01-15T15:00:00.000Z';
    composite = await world.created(compositeBody());
    orderId = composite.initialCharge?.orderId ?? '';
  });
  const charge = async () => (await world.getPayIn({ companyId: companyOne, params: { id: orderId } })).body;

  test.each(['CANCELED', 'EXPIRED'] as const)(
    'is canceled when the bank reports its recurrence as %s',
    async (reportedStatus) => {
      await hear(['CREATED', reportedStatus], {}, composite);
      expect(await charge()).toMatchObject({ status: 'CANCELED' });
      expect(readNotifiedEvents()).toEqual(['SUBSCRIPTION.CANCELED', 'ORDER-PAYIN.CANCELED']);
    },
  );

  const body = { reason: 'REQUESTED_BY_RECEIVER' };
  test.each<[how: string, run: () => Promise<unknown>]>([
    ['the bank cancels its recurrence', () => hear(['CREATED', 'CANCELED'], {}, composite)],
    [
      'the partner cancels its subscription',
      () => world.cancel({ companyId: companyOne, key: 'k', params: { id: composite.id }, body }),
    ],
  ])('is PAID, not canceled, when the bank has its payment and %s', async (_name, how) => {
    const endToEndId = 'E6070119020260115150012345678901';
    const payment = { endToEndId, amount: 1990, at: times.APPROVED, returns: [] };
    const state = { txid: composite.initialCharge?.conciliationId ?? '', location: 'pix.bank.example/c/1' };
    const paid = { outcome: 'DONE', state: { ...state, status: 'PAID', payments: [payment] } } as never;
    world.bank.charges.remove.find = () => Promise.resolve(paid);
    await how();
    expect(await charge()).toMatchObject({ status: 'PAID', endToEndId });
    expect(await read(composite)).toMatchObject({ status: 'CANCELED' });
  });

  test('keeps the subscription waiting while the bank does not remove it', async () => {
    world.bank.charges.remove.find = () => Promise.resolve({ outcome: 'UNKNOWN' });
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    await expect(hear(['CREATED', 'CANCELED'], {}, composite)).rejects.toThrow('is unknown');
    expect(await read(composite)).toMatchObject({ status: 'PENDING_AUTHORIZATION' });
    expect(await charge()).toMatchObject({ status: 'PENDING' });
  });

  test('stays when the recurrence is rejected: order and subscription move on their own', async () => {
    await hear(['CREATED', 'REJECTED'], {}, composite);
    expect(await charge()).toMatchObject({ status: 'PENDING' });
  });
});

test('a bank history in parts, in any order, repeated or concurrent, gives the same statuses and notifications', async () => {
  const whole = fc.constantFrom<readonly Said[]>(
    ['CREATED', 'APPROVED', 'CANCELED'],
    ['CREATED', 'APPROVED', 'EXPIRED'],
    ['CREATED', 'CANCELED'],
    ['CREATED', 'REJECTED'],
    ['CREATED', 'APPROVED'],
  );
  const ends = { endedBy: 'PAYER' } as const;
  await fc.assert(
    fc.asyncProperty(whole, fc.array(fc.nat(3), { maxLength: 6 }), fc.boolean(), async (history, cuts, isAtOnce) => {
      const again = subscriptionWorld();
      await again.openAccount(0);
      world = again;
      created = await again.created(subscriptionBody());
      const expected = history.flatMap((reportedStatus) => {
        if (reportedStatus === 'CREATED') return [];
        return [
          {
            status:
              reportedStatus === 'APPROVED' ? 'ACCEPTED' : reportedStatus === 'EXPIRED' ? 'CANCELED' : reportedStatus,
            at: times[reportedStatus],
          },
        ];
      });
      const receivedHistories = [...cuts.map((cut) => history.slice(0, cut)), history, history];
      if (isAtOnce) await Promise.all(receivedHistories.map((part) => hear(part, ends)));
      else for (const part of receivedHistories) await hear(part, ends);
      for (const cut of cuts) await hear(history.slice(0, cut), ends);
      const { statusHistory } = await read();
      expect(statusHistory.slice(2)).toEqual(expected.map(({ status, at }) => ({ status, createdAt: at })));
      expect(readNotifiedEvents()).toEqual(expected.map(({ status }) => `SUBSCRIPTION.${status}`));
      expect(errors).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
