import { describe, expect, it } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { RequestError } from '#shared/core/errors.ts';
import { centavos } from '#shared/core/money.ts';
import type { Defence, Dispute, DisputeStatus } from '#shared/disputes/model.ts';
import { disputeStatuses, isUndecided, missingAmount } from '#shared/disputes/model.ts';
import type { DefenceOutcome, DisputeEvent } from '#shared/disputes/states.ts';
import { answeredDefence, blockMore, decideDispute, defend, openDispute } from '#shared/disputes/states.ts';
import { created, later } from '../support/builders.ts';
import { each } from '../support/each.ts';
import { fc } from '../support/properties.ts';
import { errorOf } from '../support/refusals.ts';

const dueAt = plusSeconds(created, 7 * 86_400);
const payment = { accountId: 'account', orderId: 'order', endToEndId: 'E1', left: centavos(2500) } as const;
const claim = { kind: 'FRAUD', reason: 'A scam.', dueAt } as const;
const opening = (available: number, amount?: number, left = 2500) =>
  openDispute(
    { ...payment, left: centavos(left) },
    { ...claim, ...(amount !== undefined && { amount: centavos(amount) }) },
    { id: 'dispute', at: created, available: centavos(available) },
  );
const aDispute = (more: Partial<Dispute> = {}): Dispute => ({ ...opening(2500).dispute, ...more });
const finals = ['ACCEPTED', 'REJECTED', 'CANCELED'] as const;
const isFinal = (status: DisputeStatus): boolean => finals.some((one) => one === status);
const outcomes = ['DEFENDED', ...finals] as const;
const limit = '409 amount:LIMIT_EXCEEDED';

describe('a dispute that is opened', () => {
  it('claims all that is left when no amount is named, and blocks it', () => {
    expect(opening(9999)).toEqual({
      dispute: {
        ...{ id: 'dispute', accountId: 'account', orderId: 'order', endToEndId: 'E1', ...claim, status: 'OPEN' },
        ...{ amount: 2500, blockedAmount: 2500, returnedAmount: 0, createdAt: created, updatedAt: created, version: 1 },
        statusHistory: [{ status: 'OPEN', createdAt: created }],
      },
      balance: { kind: 'MED_BLOCKED', available: -2500, blocked: 2500 },
    });
  });

  it.each([
    [0, 0],
    [-100, 0],
    [1, 1],
    [2499, 2499],
    [2500, 2500],
    [2501, 2500],
  ])('blocks, of a claim of 2500, when %i is available, %i', (available, blocked) => {
    const { dispute, balance } = opening(available);
    expect(dispute.blockedAmount).toBe(blocked);
    expect(balance).toEqual(blocked === 0 ? undefined : { kind: 'MED_BLOCKED', available: -blocked, blocked });
  });

  it('a dispute is of at least a centavo and at most what is left of the payment', () => {
    expect(opening(0, 2500).dispute.amount).toBe(2500);
    expect(opening(0, 1).dispute.amount).toBe(1);
    expect(errorOf(() => opening(0, 2501))).toBe(limit);
    expect(errorOf(() => opening(0, undefined, 0))).toBe(limit);
    expect(errorOf(() => opening(0, 1, 0))).toBe(limit);
    expect(() => opening(0, 2501)).toThrow('Of this payment 25.00 can be claimed.');
  });

  it.each([
    [900, 900],
    [2500, 2500],
    [9999, 2500],
  ])('claims, of 2500 that are left, when the bank names no amount but a limit of %i, %i', (upTo, amount) => {
    const limited = openDispute(
      payment,
      { ...claim, upTo: centavos(upTo) },
      { id: 'dispute', at: created, available: centavos(9999) },
    );
    expect(limited.dispute).toMatchObject({ amount, blockedAmount: amount });
    expect(limited.dispute).not.toHaveProperty('upTo');
  });
});

describe('a block of more money', () => {
  const short = aDispute({ blockedAmount: centavos(1000) });
  it('takes what is missing and available, and raises version and time, but no status', () => {
    expect(blockMore(short, centavos(700), later)).toEqual({
      dispute: { ...short, blockedAmount: 1700, updatedAt: later, version: 2 },
      balance: { kind: 'MED_BLOCKED', available: -700, blocked: 700 },
    });
    expect(blockMore(short, centavos(9999), later)?.dispute.blockedAmount).toBe(2500);
  });

  it('no more is blocked when no money is missing or available', () => {
    expect(blockMore(short, centavos(0), later)).toBeUndefined();
    expect(blockMore(short, centavos(-5), later)).toBeUndefined();
    expect(blockMore(aDispute(), centavos(100), later)).toBeUndefined();
  });

  it('gives the dispute a later time than the change before it', () => {
    expect(blockMore({ ...short, updatedAt: later }, centavos(1), created)?.dispute.updatedAt).toBe(
      plusMilliseconds(later, 1),
    );
  });
});

describe('a dispute that the bank decides', () => {
  const before = aDispute({ blockedAmount: centavos(1000) });
  const accept = (amount?: number, of = before) =>
    decideDispute(of, { outcome: 'ACCEPTED', ...(amount !== undefined && { amount: centavos(amount) }) }, later);

  it.each([
    [undefined, 2500, -1500],
    [2500, 2500, -1500],
    [1001, 1001, -1],
    [1000, 1000, 0],
    [999, 999, 1],
    [1, 1, 999],
  ])(
    'gives back, accepted for %s of 2500 with 1000 blocked, %i, and available changes by %i',
    (amount, back, change) => {
      const { dispute, balance } = accept(amount);
      expect(dispute).toMatchObject({ status: 'ACCEPTED', amount: 2500, blockedAmount: 0, returnedAmount: back });
      expect(balance).toEqual({ kind: 'MED_RETURNED', available: change, blocked: -1000 });
      expect(change + -1000).toBe(-back);
    },
  );

  it('an accepted dispute takes all from available in one entry when no money was blocked', () => {
    expect(accept(undefined, aDispute({ blockedAmount: centavos(0) })).balance).toEqual({
      ...{ kind: 'MED_RETURNED', available: -2500, blocked: 0 },
    });
  });

  it('is accepted for at least a centavo and at most the claim', () => {
    for (const amount of each([0, -1, 2501])) expect(errorOf(() => accept(amount))).toBe(limit);
    expect(() => accept(2501)).toThrow('Of this dispute 25.00 can go back.');
  });

  it('takes what the bank has sent back already, also when it is more than the claim', () => {
    const taken = { outcome: 'ACCEPTED', amount: centavos(2600), isTaken: true } as const;
    expect(decideDispute(before, taken, later)).toMatchObject({
      dispute: { status: 'ACCEPTED', amount: 2600, blockedAmount: 0, returnedAmount: 2600 },
      balance: { kind: 'MED_RETURNED', available: -1600, blocked: -1000 },
    });
  });

  it('releases what is blocked when it is accepted, and all that went back is booked by another dispute', () => {
    const taken = { outcome: 'ACCEPTED', amount: centavos(0), isTaken: true } as const;
    expect(decideDispute(before, taken, later)).toMatchObject({
      dispute: { status: 'ACCEPTED', amount: 2500, blockedAmount: 0, returnedAmount: 0 },
      balance: { kind: 'MED_RELEASED', available: 1000, blocked: -1000 },
    });
  });

  it.each(['REJECTED', 'CANCELED'] as const)('releases what is blocked, and no more, when it is %s', (outcome) => {
    const { dispute, balance } = decideDispute(before, { outcome }, later);
    expect(dispute).toMatchObject({ status: outcome, blockedAmount: 0, returnedAmount: 0, updatedAt: later });
    expect(balance).toEqual({ kind: 'MED_RELEASED', available: 1000, blocked: -1000 });
    const nothing = decideDispute(aDispute({ blockedAmount: centavos(0) }), { outcome }, later);
    expect(nothing.balance).toBeUndefined();
  });

  it('keeps its money when it is DEFENDED', () => {
    const { dispute, balance } = decideDispute(before, { outcome: 'DEFENDED' }, later);
    expect(dispute).toMatchObject({ status: 'DEFENDED', blockedAmount: 1000, version: before.version + 1 });
    expect(dispute.statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED']);
    expect(balance).toBeUndefined();
  });

  it('stays what it is once it is final, and is DEFENDED once', () => {
    for (const status of each(disputeStatuses))
      for (const outcome of each(outcomes)) {
        const isAllowed = status === 'OPEN' || (status === 'DEFENDED' && outcome !== 'DEFENDED');
        expect(
          errorOf(() => decideDispute(aDispute({ status }), { outcome }, later)),
          `${status} ${outcome}`,
        ).toBe(isAllowed ? 'none' : '409 status:TRANSITION_NOT_ALLOWED');
      }
  });
});

describe('a defence', () => {
  const wanted = { text: 'Delivered.', documents: [] };
  const ask = (dispute: Dispute, at: string, defences: readonly Defence[] = []) =>
    defend({ dispute, defences }, wanted, { id: 'd', at, createdBy: 'client' });

  it('makes the dispute DEFENDED until a millisecond before it is due', () => {
    const last = plusMilliseconds(dueAt, -1);
    expect(ask(aDispute(), last)).toMatchObject({
      dispute: { status: 'DEFENDED', blockedAmount: 2500 },
      defence: { id: 'd', disputeId: 'dispute', text: 'Delivered.', createdAt: last },
    });
    for (const late of each([0, 1]))
      expect(errorOf(() => ask(aDispute(), plusMilliseconds(dueAt, late)))).toBe('409 id:OUTSIDE_WINDOW');
    expect(() => ask(aDispute(), dueAt)).toThrow(`The bank took a defence until ${dueAt}.`);
  });

  it.each(disputeStatuses.filter((status) => status !== 'OPEN'))('is refused when the dispute is %s', (status) => {
    expect(errorOf(() => ask(aDispute({ status }), later))).toBe('409 id:TRANSITION_NOT_ALLOWED');
    expect(() => ask(aDispute({ status }), later)).toThrow(`The dispute is ${status}.`);
  });

  const atBank = aDispute({ connection: 'efi' });
  const pending: Defence = {
    id: 'd',
    disputeId: 'dispute',
    ...wanted,
    createdAt: later,
    createdBy: 'client',
    status: 'PENDING',
  };

  it('is PENDING at a connected bank, and the dispute stays OPEN until the bank has it', () => {
    expect(ask(atBank, later)).toEqual({
      dispute: { ...atBank, updatedAt: later, version: atBank.version + 1 },
      defence: pending,
    });
  });

  it('is refused while another one is on its way to the bank, and not after the bank refused that', () => {
    expect(errorOf(() => ask(atBank, later, [pending]))).toBe('409 id:TRANSITION_NOT_ALLOWED');
    expect(() => ask(atBank, later, [pending])).toThrow('A defence is on its way to the bank.');
    expect(errorOf(() => ask(atBank, later, [{ ...pending, status: 'REFUSED' }]))).toBe('none');
  });

  const answered = (outcome: DefenceOutcome, dispute = atBank) => answeredDefence(dispute, pending, outcome, later);

  it('makes the dispute DEFENDED when the bank has it', () => {
    const { dispute, defence } = answered({ status: 'SENT' });
    expect(defence).toStrictEqual({ ...pending, status: 'SENT' });
    expect(dispute).toMatchObject({ status: 'DEFENDED', blockedAmount: 2500, version: atBank.version + 1 });
    expect(dispute.statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED']);
  });

  it('leaves the dispute as it is when the bank decided before it said that it has the defence', () => {
    for (const status of each(disputeStatuses.filter((one) => one !== 'OPEN'))) {
      const decided = aDispute({ connection: 'efi', status });
      expect(answered({ status: 'SENT' }, decided)).toEqual({
        dispute: decided,
        defence: { ...pending, status: 'SENT' },
      });
    }
  });

  it('leaves the dispute as it is, and says why, when the bank refuses it', () => {
    expect(answered({ status: 'REFUSED', code: 'prazo', reason: 'Too late.' })).toEqual({
      dispute: atBank,
      defence: { ...pending, status: 'REFUSED', errorMessage: 'prazo: Too late.' },
    });
  });
});

describe('the money of one dispute', () => {
  type Step = { readonly what: 'BLOCK' | (typeof outcomes)[number]; readonly amount: number };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('BLOCK', 'BLOCK', 'BLOCK', ...outcomes),
    amount: fc.integer({ min: -50, max: 300 }),
  });

  it('is blocked up to the claim, adds up over its entries, and ends with the decision, in whatever order', () => {
    let accepted = 0;
    let partly = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: -100, max: 500 }),
        fc.array(step, { maxLength: 12 }),
        (amount, available, steps) => {
          let { dispute, balance } = opening(available, amount, 400);
          const total = { available: 0, blocked: 0 };
          const book = (): void => {
            if (balance === undefined) return;
            expect(Math.abs(balance.available) + Math.abs(balance.blocked)).toBeGreaterThan(0);
            total.available += balance.available;
            total.blocked += balance.blocked;
          };
          const agrees = (): void => {
            expect(total.blocked).toBe(dispute.blockedAmount);
            expect(total.available + total.blocked).toBe(0 - dispute.returnedAmount);
            expect(dispute.blockedAmount).toBeGreaterThanOrEqual(0);
            expect(dispute.blockedAmount + dispute.returnedAmount).toBeLessThanOrEqual(dispute.amount);
            if (!isUndecided(dispute)) expect(dispute.blockedAmount).toBe(0);
            expect(dispute.statusHistory.at(-1)?.status).toBe(dispute.status);
          };
          book();
          agrees();
          for (const { what, amount: given } of steps) {
            if (what === 'BLOCK') {
              if (!isUndecided(dispute)) continue;
              const missing = missingAmount(dispute);
              const more = blockMore(dispute, centavos(given), later);
              expect(more?.balance.blocked ?? 0).toBe(Math.max(0, Math.min(missing, given)));
              if (more === undefined) continue;
              expect(more.dispute.version).toBe(dispute.version + 1);
              ({ dispute, balance } = more);
            } else {
              const event: DisputeEvent =
                what === 'ACCEPTED' ? { outcome: what, amount: centavos(given) } : { outcome: what };
              const isRefused =
                isFinal(dispute.status) ||
                (what === 'DEFENDED' && dispute.status === 'DEFENDED') ||
                (what === 'ACCEPTED' && (given < 1 || given > dispute.amount));
              if (isRefused) {
                expect(() => decideDispute(dispute, event, later)).toThrow(RequestError);
                continue;
              }
              const was = dispute;
              const decided = decideDispute(dispute, event, later);
              dispute = decided.dispute;
              balance = decided.balance;
              expect(dispute.updatedAt > was.updatedAt).toBe(true);
              if (what === 'ACCEPTED') {
                accepted += 1;
                partly += given < was.amount ? 1 : 0;
              }
            }
            book();
            agrees();
          }
        },
      ),
    );
    expect([accepted > 0, partly > 0], 'runs in which money went back, and a part of it').toEqual([true, true]);
  });
});
