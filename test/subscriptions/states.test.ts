import { describe, expect, test } from 'vitest';
import { RequestError } from '#shared/core/errors.ts';
import type { Cancellation, SubscriptionWithCancellations } from '#shared/subscriptions/model.ts';
import type { RecurrenceEvent } from '#shared/subscriptions/states.ts';
import { cancellationAsCreated, subscriptionStatuses } from '#shared/subscriptions/model.ts';
import { decideSubscription, newStatusHistory, requestCancellation } from '#shared/subscriptions/states.ts';
import { fc } from '../support/properties.ts';
import { aCancellation, aSubscription, debtor, later, receiverDocument } from '../support/builders.ts';
import { each } from '../support/each.ts';

const namedPayer = { name: 'João Souza', document: { type: 'CPF', number: '11144477735' } } as const;
const now = { at: later, id: 'cccccccc-0000-4000-8000-00000000000f' };
const bankData = { ispb: '60701190', branchNumber: '0001', accountNumber: '12345678' };
const acceptedFacts = { outcome: 'ACCEPTED', payer: { ...debtor, bankData } } as const;
const withStatus = (status: (typeof subscriptionStatuses)[number], cancellations: readonly Cancellation[] = []) => ({
  subscription: aSubscription({ status }),
  cancellations,
});
const accepted = (cancellations: readonly Cancellation[] = []) => withStatus('ACCEPTED', cancellations);

function errorOf(work: () => unknown): RequestError {
  try {
    work();
  } catch (error) {
    if (error instanceof RequestError) return error;
  }
  throw new Error('It was not refused.');
}

describe('an acceptance', () => {
  test('makes the person whom the bank names the payer, with their account', () => {
    const facts = { outcome: 'ACCEPTED', payer: { ...namedPayer, bankData } } as const;
    const { subscription, event, cancellation } = decideSubscription(withStatus('PENDING_AUTHORIZATION'), facts, now);
    expect(subscription).toMatchObject({ status: 'ACCEPTED', updatedAt: later, version: 2 });
    expect(subscription.payer).toEqual({ ...namedPayer, bankData });
    expect([event, cancellation]).toEqual(['SUBSCRIPTION.ACCEPTED', undefined]);
  });

  test('sets no payer when the bank names none, even when one was expected', () => {
    const subscription = aSubscription({ type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT', expectedPayer: namedPayer });
    const moved = decideSubscription({ subscription, cancellations: [] }, { outcome: 'ACCEPTED' }, now);
    expect(moved.subscription).not.toHaveProperty('payer');
  });
});

describe('a new subscription', () => {
  test.each(['PENDING_AUTHORIZATION', 'ERROR'] as const)('has INITIAL and then %s in its history', (status) => {
    const statusHistory = [
      { status: 'INITIAL', createdAt: later },
      { status, createdAt: later },
    ];
    expect(newStatusHistory(status, later)).toEqual({ status, statusHistory });
  });

  test.each(['INITIAL', 'ACCEPTED', 'CANCELED'] as const)('is never created as %s', (status) => {
    expect(() => newStatusHistory(status, later)).toThrow(/cannot begin/);
  });
});

test('a rejection names no payer and ends everything', () => {
  const { subscription, event } = decideSubscription(withStatus('PENDING_AUTHORIZATION'), { outcome: 'REJECTED' }, now);
  expect(subscription).toMatchObject({ status: 'REJECTED', version: 2 });
  expect(subscription).not.toHaveProperty('payer');
  expect(event).toBe('SUBSCRIPTION.REJECTED');
});

describe('a cancellation', () => {
  test.each([
    ['CANCELED', 'CANCELED', 'ACCEPTED', 'SUBSCRIPTION.CANCELED'],
    ['CANCELLATION_REJECTED', 'ACCEPTED', 'REJECTED', 'SUBSCRIPTION.CANCELLATION.REJECTED'],
  ] as const)('completes the open request by %s', (outcome, status, response, event) => {
    const open = aCancellation();
    const closed = aCancellation({ id: 'closed', status: 'REJECTED' });
    const moved = decideSubscription(accepted([closed, open]), { outcome }, now);
    expect([moved.subscription.status, moved.event]).toEqual([status, event]);
    expect(moved.subscription.cancellationsCount, 'the request was counted at its creation').toBe(0);
    expect(moved.cancellation).toEqual({
      ...open,
      status: response,
      statusHistory: [...open.statusHistory, { status: response, createdAt: later }],
      updatedAt: later,
    });
  });

  test.each([
    ['CANCELED', 'ACCEPTED'],
    ['CANCELLATION_REJECTED', 'REJECTED'],
  ] as const)('has the record of the payer when %s comes without an open request', (outcome, response) => {
    const payer = { ...namedPayer, bankData };
    const subscription = aSubscription({ status: 'ACCEPTED', payer });
    const moved = decideSubscription({ subscription, cancellations: [] }, { outcome }, now);
    expect(moved.subscription.cancellationsCount).toBe(1);
    const { cancellation } = moved;
    expect(cancellation).toEqual({
      id: now.id,
      subscriptionId: subscription.id,
      sequence: 1,
      idempotencyKey: now.id,
      status: response,
      statusHistory: ['INITIAL', 'PENDING', response].map((status) => ({ status, createdAt: later })),
      reason: 'REQUESTED_BY_PAYER',
      customer: { document: namedPayer.document },
      createdAt: later,
      updatedAt: later,
    });
  });

  test('has no request, and counts none, when the bank canceled the recurrence itself', () => {
    const moved = decideSubscription(accepted(), { outcome: 'CANCELED', end: { endedBy: 'BANK' } }, now);
    expect(moved.subscription).toMatchObject({ status: 'CANCELED', cancellationsCount: 0 });
    expect(moved).not.toHaveProperty('cancellation');
  });

  test('leaves status and history unchanged when it is rejected', () => {
    const before = accepted();
    const { subscription } = decideSubscription(before, { outcome: 'CANCELLATION_REJECTED' }, now);
    expect(subscription.statusHistory).toEqual(before.subscription.statusHistory);
    expect(subscription).toEqual({ ...before.subscription, updatedAt: later, cancellationsCount: 1, version: 2 });
  });
});

describe('a request to cancel', () => {
  const request = { id: 'new', idempotencyKey: 'k', reason: 'PAYER_DECEASED', at: later } as const;

  test('is open immediately, with its whole history, and its customer is the receiver unless it names another', () => {
    const { cancellation, subscription, event } = requestCancellation(accepted(), request);
    expect(event).toBeUndefined();
    expect(subscription).toMatchObject({ status: 'ACCEPTED', cancellationsCount: 1, updatedAt: later, version: 2 });
    expect(cancellation).toEqual(
      aCancellation({
        ...{ id: 'new', idempotencyKey: 'k', reason: 'PAYER_DECEASED', createdAt: later, updatedAt: later },
        statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status: status as 'INITIAL', createdAt: later })),
        customer: { document: receiverDocument },
      }),
    );
    const customer = { document: namedPayer.document };
    expect(requestCancellation(accepted(), { ...request, customer }).cancellation.customer).toEqual(customer);
  });

  test('may follow one that was answered, never one that is open', () => {
    const answered = accepted([aCancellation({ status: 'REJECTED' })]);
    expect(requestCancellation(answered, request).cancellation.status).toBe('PENDING');
    for (const status of ['INITIAL', 'PENDING'] as const) {
      const refusal = errorOf(() => requestCancellation(accepted([aCancellation({ status })]), request));
      expect([refusal.kind, refusal.details[0]?.issue]).toEqual(['state', 'TRANSITION_NOT_ALLOWED']);
      expect(refusal.message).toBe('The subscription has a cancellation request that is still open.');
    }
  });

  test('cancels the subscription immediately when the payer has not answered yet', () => {
    const decided = requestCancellation(withStatus('PENDING_AUTHORIZATION'), request);
    expect(decided.event).toBe('SUBSCRIPTION.CANCELED');
    expect(decided.subscription).toMatchObject({ status: 'CANCELED', cancellationsCount: 1, version: 2 });
    expect(decided.subscription.statusHistory.at(-1)).toEqual({ status: 'CANCELED', createdAt: later });
    expect(decided.cancellation.status).toBe('ACCEPTED');
    expect(decided.cancellation.statusHistory.map(({ status }) => status)).toEqual(['INITIAL', 'ACCEPTED']);
    expect(cancellationAsCreated(decided.cancellation)).toEqual(decided.cancellation);
  });

  test('is accepted 50 times at most, with rejections by the bank; a cancellation by the payer is never refused', () => {
    const nearly = (cancellationsCount: number) => ({
      subscription: aSubscription({ status: 'ACCEPTED', cancellationsCount }),
      cancellations: [],
    });
    expect(requestCancellation(nearly(49), request).subscription.cancellationsCount).toBe(50);
    const rejected = () => decideSubscription(nearly(50), { outcome: 'CANCELLATION_REJECTED' }, now);
    for (const work of [() => requestCancellation(nearly(50), request), rejected])
      expect(errorOf(work).details[0]).toEqual({
        ...{ field: 'id', issue: 'LIMIT_EXCEEDED' },
        description: 'The subscription has had 50 cancellation requests; more are not taken.',
      });
    const canceled = decideSubscription(nearly(50), { outcome: 'CANCELED' }, now);
    expect(canceled.subscription).toMatchObject({ status: 'CANCELED', cancellationsCount: 51 });
    const open = { ...nearly(50), cancellations: [aCancellation()] };
    const response = decideSubscription(open, { outcome: 'CANCELLATION_REJECTED' }, now);
    expect([response.cancellation?.status, response.subscription.cancellationsCount]).toEqual(['REJECTED', 50]);
  });

  test.each(subscriptionStatuses.filter((status) => status !== 'ACCEPTED' && status !== 'PENDING_AUTHORIZATION'))(
    'is refused when the subscription is %s',
    (status) => {
      const refusal = errorOf(() => requestCancellation(withStatus(status), request));
      expect(refusal.kind).toBe('state');
      expect(refusal.details[0]?.description).toMatch(
        new RegExp(`^A cancellation request .*the status is ${status}`, 'u'),
      );
    },
  );
});

describe('any sequence of triggers', () => {
  const bankFacts: readonly RecurrenceEvent[] = [
    acceptedFacts,
    { outcome: 'REJECTED' },
    { outcome: 'CANCELED' },
    { outcome: 'CANCELLATION_REJECTED' },
  ];
  const finalStatuses = ['REJECTED', 'CANCELED', 'ERROR'];

  test('keeps what is final, a history that ends with the status, and times that never go back', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...bankFacts), { minLength: 1, maxLength: 12 }), (reportedFacts) => {
        let state: SubscriptionWithCancellations = withStatus('PENDING_AUTHORIZATION');
        let changes = 0;
        each(reportedFacts).forEach((facts, index) => {
          const at = `2026-03-10T13:00:${String(index).padStart(2, '0')}.000Z`;
          const before = structuredClone(state);
          let moved;
          try {
            moved = decideSubscription(state, facts, { at, id: String(index) });
          } catch (error) {
            expect(error).toBeInstanceOf(RequestError);
          }
          expect(state).toEqual(before);
          if (moved === undefined) return;
          expect(finalStatuses).not.toContain(state.subscription.status);
          const { subscription, cancellation } = moved;
          if (subscription.status !== state.subscription.status) changes += 1;
          expect(subscription.statusHistory.at(-1)?.status).toBe(subscription.status);
          expect(subscription.statusHistory).toHaveLength(changes + 2);
          const times = subscription.statusHistory.map(({ createdAt }) => createdAt);
          expect(times).toEqual(times.toSorted());
          expect(cancellation?.statusHistory.at(-1)?.status).toBe(cancellation?.status);
          const others = state.cancellations.filter(({ id }) => id !== cancellation?.id);
          state = { subscription, cancellations: cancellation ? [...others, cancellation] : others };
        });
      }),
    );
  });

  test('a refusal names the status and every move that is allowed from it', () => {
    const refusal = errorOf(() =>
      decideSubscription(withStatus('PENDING_AUTHORIZATION'), { outcome: 'CANCELED' }, now),
    );
    expect(refusal.details).toEqual([
      {
        field: 'status',
        issue: 'TRANSITION_NOT_ALLOWED',
        description:
          'CANCELED is not allowed: the status is PENDING_AUTHORIZATION; allowed from it: ACCEPTED, REJECTED.',
      },
    ]);
    const final = errorOf(() => decideSubscription(withStatus('REJECTED'), acceptedFacts, now));
    expect(final.details[0]?.description).toContain('the status is REJECTED; no move is allowed from it');
  });
});
