import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../shared/domain/refusal.ts';
import type { Cancellation, SubscriptionWithCancellations } from '../../shared/domain/subscription.ts';
import { decideSubscription, requestCancellation, SUBSCRIPTION_STATUSES } from '../../shared/domain/subscription.ts';
import {
  aCancellation,
  aSubscription,
  aSubscriptionCallback,
  DEBTOR,
  LATER,
  RECEIVER_DOCUMENT,
} from '../support/builders.ts';

const PAYER = { name: 'João Souza', document: { type: 'CPF', number: '11144477735' } } as const;
const callback = aSubscriptionCallback();
const withStatus = (status: (typeof SUBSCRIPTION_STATUSES)[number], cancellations: readonly Cancellation[] = []) => ({
  subscription: aSubscription({ status }),
  cancellations,
});
const accepted = (cancellations: readonly Cancellation[] = []) => withStatus('ACCEPTED', cancellations);

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error('It was not refused.');
}

describe('an acceptance', () => {
  test("makes the debtor the payer, with the account that the payer's bank names", () => {
    const { subscription, event, cancellation } = decideSubscription(
      withStatus('PENDING_AUTHORIZATION'),
      'ACCEPTED',
      callback,
    );
    expect(subscription).toMatchObject({ status: 'ACCEPTED', updatedAt: LATER, version: 2 });
    expect(subscription.payer).toEqual({ ...DEBTOR, bankData: callback.payerAccount });
    expect([event, cancellation]).toEqual(['SUBSCRIPTION.ACCEPTED', undefined]);
  });

  test('makes the expected payer of journey 3 the payer', () => {
    const subscription = aSubscription({ type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT', expectedPayer: PAYER });
    const moved = decideSubscription({ subscription, cancellations: [] }, 'ACCEPTED', callback);
    expect(moved.subscription.payer).toEqual({ ...PAYER, bankData: callback.payerAccount });
  });
});

test('a rejection names no payer and ends everything', () => {
  const { subscription, event } = decideSubscription(withStatus('PENDING_AUTHORIZATION'), 'REJECTED', callback);
  expect(subscription).toMatchObject({ status: 'REJECTED', version: 2 });
  expect(subscription).not.toHaveProperty('payer');
  expect(event).toBe('SUBSCRIPTION.REJECTED');
});

describe('a cancellation', () => {
  test.each([
    ['CANCELED', 'CANCELED', 'ACCEPTED', 'SUBSCRIPTION.CANCELED'],
    ['CANCELLATION_REJECTED', 'ACCEPTED', 'REJECTED', 'SUBSCRIPTION.CANCELLATION.REJECTED'],
  ])('%s answers the open request', (trigger, status, answer, event) => {
    const open = aCancellation();
    const closed = aCancellation({ id: 'closed', status: 'REJECTED' });
    const moved = decideSubscription(accepted([closed, open]), trigger, callback);
    expect([moved.subscription.status, moved.event]).toEqual([status, event]);
    expect(moved.cancellation).toEqual({
      ...open,
      status: answer,
      statusHistory: [...open.statusHistory, { status: answer, createdAt: LATER }],
      updatedAt: LATER,
    });
  });

  test.each([
    ['CANCELED', 'ACCEPTED'],
    ['CANCELLATION_REJECTED', 'REJECTED'],
  ])("%s without an open request records the payer's own", (trigger, answer) => {
    const payer = { ...PAYER, bankData: callback.payerAccount };
    const subscription = aSubscription({ status: 'ACCEPTED', payer });
    const { cancellation } = decideSubscription({ subscription, cancellations: [] }, trigger, callback);
    expect(cancellation).toEqual({
      id: callback.cancellationId,
      subscriptionId: subscription.id,
      idempotencyKey: callback.cancellationId,
      status: answer,
      statusHistory: ['INITIAL', 'PENDING', answer].map((status) => ({ status, createdAt: LATER })),
      reason: 'REQUESTED_BY_PAYER',
      customer: { document: PAYER.document },
      createdAt: LATER,
      updatedAt: LATER,
    });
  });

  test('that was rejected leaves status and history as they were', () => {
    const before = accepted();
    const { subscription } = decideSubscription(before, 'CANCELLATION_REJECTED', callback);
    expect(subscription.statusHistory).toEqual(before.subscription.statusHistory);
    expect(subscription).toEqual({ ...before.subscription, updatedAt: LATER, version: 2 });
  });
});

describe('a request to cancel', () => {
  const request = { id: 'new', idempotencyKey: 'k', reason: 'PAYER_DECEASED', at: LATER } as const;

  test('is open at once, with its whole history, for the receiver unless it says for whom', () => {
    const made = requestCancellation(accepted(), request);
    expect(made).toEqual(
      aCancellation({
        ...{ id: 'new', idempotencyKey: 'k', reason: 'PAYER_DECEASED', createdAt: LATER, updatedAt: LATER },
        statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status: status as 'INITIAL', createdAt: LATER })),
        customer: { document: RECEIVER_DOCUMENT },
      }),
    );
    const customer = { document: PAYER.document };
    expect(requestCancellation(accepted(), { ...request, customer }).customer).toEqual(customer);
  });

  test('may follow one that was answered, never one that is open', () => {
    expect(requestCancellation(accepted([aCancellation({ status: 'REJECTED' })]), request).status).toBe('PENDING');
    for (const status of ['INITIAL', 'PENDING'] as const) {
      const refusal = refusalOf(() => requestCancellation(accepted([aCancellation({ status })]), request));
      expect([refusal.kind, refusal.details[0]?.issue]).toEqual(['state', 'TRANSITION_NOT_ALLOWED']);
    }
  });

  test.each(SUBSCRIPTION_STATUSES.filter((status) => status !== 'ACCEPTED'))(
    'of a subscription that is %s is refused',
    (status) => {
      const refusal = refusalOf(() => requestCancellation(withStatus(status), request));
      expect(refusal.kind).toBe('state');
      expect(refusal.details[0]?.description).toContain(`the status is ${status}`);
    },
  );
});

describe('any sequence of triggers', () => {
  const TRIGGERS = ['ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLATION_REJECTED', 'ERROR', 'INITIAL', 'PENDING'];
  const FINAL = ['REJECTED', 'CANCELED', 'ERROR'];

  test('keeps what is final, a history that ends with the status, and times that never go back', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TRIGGERS), { maxLength: 12 }), (triggers) => {
        let state: SubscriptionWithCancellations = withStatus('PENDING_AUTHORIZATION');
        let changes = 0;
        triggers.forEach((trigger, index) => {
          const at = `2026-03-10T13:00:${String(index).padStart(2, '0')}.000Z`;
          const before = structuredClone(state);
          let moved;
          try {
            moved = decideSubscription(state, trigger, aSubscriptionCallback({ at, cancellationId: String(index) }));
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
          }
          expect(state).toEqual(before);
          if (moved === undefined) return;
          expect(FINAL).not.toContain(state.subscription.status);
          const { subscription, cancellation } = moved;
          if (subscription.status !== state.subscription.status) changes += 1;
          expect(subscription.statusHistory.at(-1)?.status).toBe(subscription.status);
          expect(subscription.statusHistory).toHaveLength(changes + 1);
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
    const refusal = refusalOf(() => decideSubscription(withStatus('PENDING_AUTHORIZATION'), 'CANCELED', callback));
    expect(refusal.details).toEqual([
      {
        field: 'status',
        issue: 'TRANSITION_NOT_ALLOWED',
        description:
          'CANCELED is not allowed: the status is PENDING_AUTHORIZATION; allowed from it: ACCEPTED, REJECTED.',
      },
    ]);
    const final = refusalOf(() => decideSubscription(withStatus('REJECTED'), 'ACCEPTED', callback));
    expect(final.details[0]?.description).toContain('the status is REJECTED; no move is allowed from it');
  });
});
